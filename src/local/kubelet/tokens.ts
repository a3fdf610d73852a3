import type { Clock } from '../../base/clock.ts';
import type { ApiClient } from '../api-client.ts';

interface Issued {
  readonly token: string;
  /** Milliseconds of the monotonic clock. */
  readonly renewAt: number;
}

/** The fraction of the lifetime after which a token is replaced, as in a real kubelet. */
const RENEW_AFTER = 0.8;

/** The ServiceAccount tokens of the pods. The kubelet requests the current tokens in each pass, and the class renews a token before its expiry. */
export class Tokens {
  readonly #issued = new Map<string, Issued>();
  readonly #client: ApiClient;
  readonly #namespace: string;
  readonly #clock: Clock;

  constructor(client: ApiClient, namespace: string, clock: Clock) {
    this.#client = client;
    this.#namespace = namespace;
    this.#clock = clock;
  }

  /** Forgets the tokens of a ServiceAccount. Runs while the Deployment is missing, because a new ServiceAccount needs new tokens. */
  forget(serviceAccount: string): void {
    for (const key of this.#issued.keys()) if (key.startsWith(`${serviceAccount} `)) this.#issued.delete(key);
  }

  /** Returns a token with at least a fifth of its lifetime left. `seconds` is the lifetime of a new token. */
  async current(serviceAccount: string, seconds: number, audience?: string): Promise<string> {
    const key = `${serviceAccount} ${seconds} ${audience ?? ''}`;
    const known = this.#issued.get(key);
    if (known !== undefined && this.#clock.monotonic() < known.renewAt) return known.token;
    const token = await createToken(this.#client, this.#namespace, { serviceAccount, seconds, audience });
    this.#issued.set(key, { token, renewAt: this.#clock.monotonic() + seconds * 1000 * RENEW_AFTER });
    return token;
  }
}

interface TokenOrder {
  readonly serviceAccount: string;
  /** The lifetime in seconds, at least 600. */
  readonly seconds: number;
  readonly audience?: string | undefined;
}

/** Requests a token of an existing ServiceAccount from the API server with a `TokenRequest`. Tests also get tokens from this function. */
export async function createToken(client: ApiClient, namespace: string, order: TokenOrder): Promise<string> {
  const { serviceAccount, seconds, audience } = order;
  const path = `/api/v1/namespaces/${namespace}/serviceaccounts/${serviceAccount}/token`;
  const answer = (await client.create(path, {
    apiVersion: 'authentication.k8s.io/v1',
    kind: 'TokenRequest',
    spec: { expirationSeconds: seconds, ...(audience === undefined ? {} : { audiences: [audience] }) },
  })) as { readonly status: { readonly token: string } };
  return answer.status.token;
}
