import { Agent, request } from 'undici';
import { PortcullisError } from '../base/errors.ts';
import type { ClusterAddress } from './kubeconfig.ts';
import type { Credential } from './pki.ts';

/** A client of the sandbox's API server. Paths are URLs without the host, and results are parsed JSON. */
export interface ApiClient {
  readonly get: (path: string, signal?: AbortSignal) => Promise<unknown>;
  /** Returns the object, or undefined if the object does not exist. */
  readonly find: (path: string, signal?: AbortSignal) => Promise<unknown>;
  readonly create: (path: string, body: object, signal?: AbortSignal) => Promise<unknown>;
  /** Creates or updates the object at `path` by server-side apply. Takes over fields that other clients manage. */
  readonly apply: (path: string, body: object, signal?: AbortSignal) => Promise<unknown>;
  /** Applies a strategic merge patch, which merges lists by the keys of their items. */
  readonly patch: (path: string, body: object, signal?: AbortSignal) => Promise<unknown>;
  /** Returns whether the API server reports that it is ready. */
  readonly ready: (signal?: AbortSignal) => Promise<boolean>;
  readonly close: () => Promise<void>;
}

interface Call {
  readonly method: 'GET' | 'POST' | 'PATCH';
  readonly path: string;
  readonly contentType?: string;
  readonly body?: string;
  readonly signal?: AbortSignal | undefined;
}

const TIMEOUT_MS = 10_000;
const FIELD_MANAGER = 'portcullis-sandbox';
const NOT_FOUND = 404;

/** Creates a client. A request fails after 10 s. A missing object throws `NotFound`, except in `find`. Other rejections throw `Rejected`. */
export function apiClient(
  { server, certificateAuthority }: ClusterAddress,
  { certificate, key }: Credential,
): ApiClient {
  const agent = new Agent({
    allowH2: false,
    connections: 8,
    connect: { ca: certificateAuthority, cert: certificate, key },
  });

  async function send({ method, path, contentType, body, signal }: Call) {
    const timeout = AbortSignal.timeout(TIMEOUT_MS);
    const response = await request(server + path, {
      method,
      dispatcher: agent,
      headers: { accept: 'application/json', ...(contentType === undefined ? {} : { 'content-type': contentType }) },
      body: body ?? null,
      signal: signal === undefined ? timeout : AbortSignal.any([signal, timeout]),
    });
    return { status: response.statusCode, text: await response.body.text() };
  }

  async function call(order: Call): Promise<unknown> {
    const { status, text } = await send(order);
    if (status >= 300) throw rejectionError(order, status, text);
    return JSON.parse(text) as unknown;
  }

  return {
    get: (path, signal) => call({ method: 'GET', path, signal }),
    find: async (path, signal) => {
      const order: Call = { method: 'GET', path, signal };
      const { status, text } = await send(order);
      if (status === NOT_FOUND) return undefined;
      if (status >= 300) throw rejectionError(order, status, text);
      return JSON.parse(text) as unknown;
    },
    create: (path, body, signal) =>
      call({ method: 'POST', path, contentType: 'application/json', body: JSON.stringify(body), signal }),
    apply: (path, body, signal) =>
      call({
        method: 'PATCH',
        path: `${path}?fieldManager=${FIELD_MANAGER}&force=true`,
        contentType: 'application/apply-patch+yaml',
        body: JSON.stringify(body),
        signal,
      }),
    patch: (path, body, signal) =>
      call({
        method: 'PATCH',
        path,
        contentType: 'application/strategic-merge-patch+json',
        body: JSON.stringify(body),
        signal,
      }),
    ready: async (signal) => (await send({ method: 'GET', path: '/readyz', signal })).status === 200,
    close: () => agent.destroy(),
  };
}

function rejectionError({ method, path }: Call, status: number, text: string): PortcullisError {
  return new PortcullisError(
    status === NOT_FOUND ? 'NotFound' : 'Rejected',
    `${method} ${path}: ${status} ${messageIn(text)}`,
    {
      code: String(status),
    },
  );
}

/** Returns the message of a `Status` object. Returns any other response unchanged. */
function messageIn(text: string): string {
  try {
    const status = JSON.parse(text) as { readonly message?: string };
    return status.message ?? text;
  } catch {
    return text;
  }
}
