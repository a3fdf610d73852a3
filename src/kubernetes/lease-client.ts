import type { Clock } from '../base/clock.ts';
import { within } from '../base/deadline.ts';
import { LEASES, objectKey, type Lease } from '../base/kubernetes-objects.ts';
import type { ApiCall } from './api-call.ts';
import { collectionPath, objectPath } from './api-paths.ts';
import type { Requests } from './transport.ts';

/** Reads and writes the Lease of the leader election. */
export class LeaseClient {
  readonly #requests: Requests;
  readonly #clock: Clock;
  readonly #callMs: number;
  readonly #lease: { readonly namespace: string; readonly name: string };

  constructor(
    requests: Requests,
    clock: Clock,
    callMs: number,
    lease: { readonly namespace: string; readonly name: string },
  ) {
    this.#requests = requests;
    this.#clock = clock;
    this.#callMs = callMs;
    this.#lease = lease;
  }

  read(signal: AbortSignal): Promise<Lease> {
    return this.#call({ method: 'GET', path: this.#path() }, signal);
  }

  create(spec: Lease['spec'], signal: AbortSignal): Promise<Lease> {
    const body = { apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', metadata: this.#lease, spec };
    return this.#call({ method: 'POST', path: collectionPath(LEASES, this.#lease.namespace), body }, signal);
  }

  /** Replaces the spec. Rejects with `Conflict` if the Lease has changed since `before` was read. */
  update(before: Lease, spec: Lease['spec'], signal: AbortSignal): Promise<Lease> {
    return this.#call({ method: 'PUT', path: this.#path(), body: { ...before, spec } }, signal);
  }

  #path(): string {
    return objectPath(LEASES, objectKey(this.#lease.name, this.#lease.namespace));
  }

  #call(call: ApiCall, signal: AbortSignal): Promise<Lease> {
    // The rate limit does not apply, because a late renewal would end the leadership.
    const bounded = { ...call, timeoutMs: this.#callMs, unlimited: true };
    return within(this.#clock, this.#callMs, signal, (inner) => this.#requests.json<Lease>(bounded, inner));
  }
}
