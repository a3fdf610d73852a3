import { request } from 'undici';
import type { Clock } from '../base/clock.ts';
import { DeadlineExceeded, within } from '../base/deadline.ts';
import { messageOf, PortcullisError } from '../base/errors.ts';

/** The metadata service of ECS, which describes the instance that the process runs on. */
export interface Metadata {
  /** Returns an item, such as `region-id`, or undefined if the instance has no such item. Rejects with `Unavailable` within five seconds. */
  read(item: string, signal: AbortSignal): Promise<string | undefined>;
}

export interface MetadataOptions {
  /** Example: `http://100.100.100.200`. */
  readonly endpoint: string;
  /** Whether each request sends a token (IMDSv2), which instances in security-hardened mode require. */
  readonly isHardened: boolean;
  readonly clock: Clock;
}

const DEFAULT_ENDPOINT = 'http://100.100.100.200';

/** Returns the endpoint: `METADATA_ENDPOINT` of the environment, as in the Alibaba Cloud Controller Manager, or the default of all instances. */
export function metadataEndpoint(environment: Readonly<Record<string, string | undefined>>): string {
  const configured = environment['METADATA_ENDPOINT']?.trim() ?? '';
  if (configured === '') return DEFAULT_ENDPOINT;
  const url = URL.canParse(configured) ? new URL(configured) : undefined;
  if (url?.protocol === 'http:') return url.origin;
  throw new PortcullisError(
    'InvalidConfiguration',
    `METADATA_ENDPOINT is ${JSON.stringify(configured)}: set a URL such as ${DEFAULT_ENDPOINT}, or unset the variable`,
  );
}

const TOKEN_SECONDS = 21_600;
/** The remaining lifetime at which a token is replaced, in milliseconds. */
const TOKEN_MARGIN_MS = 600_000;
const TRIES = 5;
const PAUSE_MS = 200;
const TRY_MS = 2_000;
const TOTAL_MS = 5_000;

interface MetadataResponse {
  readonly status: number;
  readonly text: string;
}

/** An error response of the service. Not retried, because the next request would fail too. */
class MetadataRejection extends Error {}

/** Returns the client of the metadata service, from which the process reads its region and the keys of its RAM role. */
export function createMetadata(options: MetadataOptions): Metadata {
  const { endpoint, isHardened, clock } = options;
  const service = new Service(options);
  return {
    read: async (item, signal) => {
      try {
        const { status, text } = await within(clock, TOTAL_MS, signal, (inner) => service.ask(item, inner));
        if (status === 404 || (status === 200 && text === '')) return undefined;
        if (status !== 200)
          throw new MetadataRejection(`the response for ${item} has HTTP status ${status}${hint(status, isHardened)}`);
        return text;
      } catch (error) {
        if (signal.aborted) throw error;
        throw new PortcullisError(
          'Unavailable',
          `failed to read the instance metadata at ${endpoint}: ${whyOf(error)}`,
        );
      }
    },
  };
}

/** Sends requests to the metadata service, with tokens and retries. */
class Service {
  readonly #options: MetadataOptions;
  #token: { readonly text: string; readonly untilMs: number } | undefined;

  constructor(options: MetadataOptions) {
    this.#options = options;
  }

  /** Returns the response for an item, with any HTTP status. Retries only requests without a response. */
  async ask(item: string, signal: AbortSignal): Promise<MetadataResponse> {
    for (let tries = 1; ; tries += 1) {
      try {
        return await this.#askOnce(`meta-data/${item}`, signal);
      } catch (error) {
        if (signal.aborted || error instanceof MetadataRejection || tries >= TRIES) throw error;
        await this.#options.clock.sleep(PAUSE_MS, signal);
      }
    }
  }

  async #askOnce(path: string, signal: AbortSignal): Promise<MetadataResponse> {
    const answer = await this.#send('GET', path, await this.#tokenHeader(signal), signal);
    if (this.#token === undefined || (answer.status !== 401 && answer.status !== 403)) return answer;
    // A restarted service does not know earlier tokens.
    this.#token = undefined;
    return this.#send('GET', path, await this.#tokenHeader(signal), signal);
  }

  async #tokenHeader(signal: AbortSignal): Promise<Record<string, string>> {
    const { isHardened, clock } = this.#options;
    if (!isHardened) return {};
    if (this.#token === undefined || clock.monotonic() >= this.#token.untilMs) {
      const text = await this.#fetchToken(signal);
      this.#token = { text, untilMs: clock.monotonic() + TOKEN_SECONDS * 1_000 - TOKEN_MARGIN_MS };
    }
    return { 'x-aliyun-ecs-metadata-token': this.#token.text };
  }

  async #fetchToken(signal: AbortSignal): Promise<string> {
    const headers = { 'x-aliyun-ecs-metadata-token-ttl-seconds': String(TOKEN_SECONDS) };
    const { status, text } = await this.#send('PUT', 'api/token', headers, signal);
    if (status === 200 && text !== '') return text;
    throw new MetadataRejection(
      `the response for a token has HTTP status ${status}: if the service has no tokens, set --enable-imdsv2=false`,
    );
  }

  async #send(
    method: 'GET' | 'PUT',
    path: string,
    headers: Record<string, string>,
    signal: AbortSignal,
  ): Promise<MetadataResponse> {
    const { endpoint, clock } = this.#options;
    return within(clock, TRY_MS, signal, async (either) => {
      const { statusCode, body } = await request(`${endpoint}/latest/${path}`, { method, headers, signal: either });
      return { status: statusCode, text: (await body.text()).trim() };
    });
  }
}

const hint = (status: number, isHardened: boolean): string =>
  !isHardened && (status === 401 || status === 403) ? ': if the service requires tokens, set --enable-imdsv2' : '';

/** Returns the reason of a failure: the code of a connection error, such as `ECONNREFUSED`, because the code is more specific than the message. */
function whyOf(error: unknown): string {
  if (error instanceof DeadlineExceeded) return error.message;
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  return typeof code === 'string' ? code : messageOf(error);
}
