import type { Clock } from '../../src/base/clock.ts';
import { PortcullisError } from '../../src/base/errors.ts';
import type { ApiCall } from '../../src/kubernetes/api-call.ts';
import type { Requests } from '../../src/kubernetes/transport.ts';
import type { Lease } from '../../src/base/kubernetes-objects.ts';

/** A Lease on an API server double, for elections in virtual time. */
export class LeaseStore {
  lease: Lease | undefined;
  /** The duration of each call, in milliseconds. */
  latencyMs = 10;
  writes = 0;
  /** Monotonic time of each call. */
  readonly calledAt: number[] = [];
  readonly #clock: Clock;
  #version = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  get holder(): string | undefined {
    return this.lease?.spec?.holderIdentity;
  }

  /** Returns the client of one process. With `broken`, requests fail before they reach the store, or their responses are lost. */
  connect(): Requests & { broken: 'before' | 'after' | undefined } {
    const link = {
      broken: undefined as 'before' | 'after' | undefined,
      json: async <Value>(call: ApiCall, signal: AbortSignal): Promise<Value> => {
        this.calledAt.push(this.#clock.monotonic());
        await this.#clock.sleep(this.latencyMs, signal);
        if (link.broken === 'before') throw new PortcullisError('Unavailable', 'cut off');
        const answer = this.#answer(call);
        if (link.broken === 'after') throw new PortcullisError('OutcomeUnknown', 'the answer was lost');
        return answer as Value;
      },
      stream: () => Promise.reject(new Error('an election needs no streams')),
    };
    return link;
  }

  #answer({ method, body }: ApiCall): Lease {
    if (method === 'POST') {
      if (this.lease !== undefined) throw new PortcullisError('Conflict', 'already exists', { code: '409' });
      return this.#store(body as Lease);
    }
    if (this.lease === undefined) throw new PortcullisError('NotFound', 'no such lease', { code: '404' });
    if (method === 'GET') return this.lease;
    const sent = body as Lease;
    if (sent.metadata.resourceVersion !== this.lease.metadata.resourceVersion) {
      throw new PortcullisError('Conflict', 'the object has been modified', { code: '409' });
    }
    return this.#store(sent);
  }

  #store(sent: Lease): Lease {
    this.writes += 1;
    this.#version += 1;
    this.lease = { ...sent, metadata: { ...sent.metadata, resourceVersion: String(this.#version) } };
    return this.lease;
  }
}
