import { instantOf, type Clock, type Instant } from '../base/clock.ts';
import { hasReason, messageOf } from '../base/errors.ts';
import type { Logger } from '../base/log.ts';
import type { Lease } from '../base/kubernetes-objects.ts';
import type { LeaseClient } from './lease-client.ts';
import { claimed, durationOf, fingerprintOf, holderOf } from './lease-record.ts';

export interface CandidateOptions {
  readonly client: LeaseClient;
  readonly clock: Clock;
  readonly random: () => number;
  readonly log: Logger;
  readonly identity: string;
  /** The time for which each renewal of the Lease is valid. */
  readonly leaseMs: number;
  readonly retryMs: number;
  readonly longestCallMs: number;
}

/** A Lease that this process has just acquired. */
export interface AcquiredLease {
  readonly lease: Lease;
  /** The start of the validity of the Lease: the time at which the successful request was sent. */
  readonly sentAt: Instant;
  /** The time for which the new leader must not write, in milliseconds, because a call of the previous leader may still be running. */
  readonly quietMs: number;
}

/** Waits for the Lease of the leader election. */
export class LeaseCandidate {
  readonly #options: CandidateOptions;
  /** The last read record of the Lease. A record that stays unchanged expires after its duration on the local clock. */
  #seen: { readonly fingerprint: string; readonly at: number } | undefined;
  #lastMessage = '';

  constructor(options: CandidateOptions) {
    this.#options = options;
  }

  /** Retries until this process holds the Lease. Rejects only with the reason of the aborted signal. */
  async acquire(signal: AbortSignal): Promise<AcquiredLease> {
    const { clock, random, retryMs } = this.#options;
    for (;;) {
      signal.throwIfAborted();
      const acquired = await this.#try(signal).catch((error: unknown) => this.#logFailure(error, signal));
      if (acquired !== undefined) return acquired;
      await clock.sleep(retryMs * (0.5 + random() / 2), signal);
    }
  }

  async #try(signal: AbortSignal): Promise<AcquiredLease | undefined> {
    const { client, clock } = this.#options;
    const lease = await this.#read(signal);
    const quietMs = lease === undefined ? this.#quietBeforeCreation() : this.#quietBeforeTakeover(lease);
    if (quietMs === undefined) return undefined;
    const sentAt = instantOf(clock);
    const spec = this.#claim(lease);
    const ours = lease === undefined ? await client.create(spec, signal) : await client.update(lease, spec, signal);
    return { lease: ours, sentAt, quietMs };
  }

  /** Returns the quiet time of a new Lease. If this Lease replaces a deleted Lease, the holder of the deleted Lease may still write. */
  #quietBeforeCreation(): number {
    const { leaseMs, longestCallMs } = this.#options;
    return this.#seen === undefined ? 0 : leaseMs + longestCallMs;
  }

  /** Returns the quiet time of an existing Lease. Undefined if the Lease of another process is still valid. */
  #quietBeforeTakeover(lease: Lease): number | undefined {
    const { clock, identity, leaseMs, longestCallMs } = this.#options;
    const fingerprint = fingerprintOf(lease);
    const now = clock.monotonic();
    if (this.#seen?.fingerprint !== fingerprint) this.#seen = { fingerprint, at: now };
    const holder = holderOf(lease);
    // A leader releases the Lease only after its calls end.
    if (holder === '') return 0;
    if (holder === identity || now - this.#seen.at > durationOf(lease, leaseMs)) return longestCallMs;
    this.#logIfChanged(`waiting for the lease, held by ${holder}`);
    return undefined;
  }

  async #read(signal: AbortSignal): Promise<Lease | undefined> {
    try {
      return await this.#options.client.read(signal);
    } catch (error) {
      if (hasReason(error, 'NotFound')) return undefined;
      throw error;
    }
  }

  #claim(lease: Lease | undefined): Lease['spec'] {
    const { identity, leaseMs, clock } = this.#options;
    return claimed(lease?.spec, { identity, leaseMs, now: clock.now() });
  }

  /** Logs a failure, except a conflict, which only means that another process was faster. */
  #logFailure(error: unknown, signal: AbortSignal): undefined {
    if (signal.aborted || hasReason(error, 'Conflict')) return;
    this.#logIfChanged(`failed to acquire the lease: ${messageOf(error)}`, 'warn');
  }

  #logIfChanged(message: string, level: 'info' | 'warn' = 'info'): void {
    if (message !== this.#lastMessage) this.#options.log[level](message);
    this.#lastMessage = message;
  }
}
