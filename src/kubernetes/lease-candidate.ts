import { instantOf, type Clock, type Instant } from '../base/clock.ts';
import { hasReason, messageOf } from '../base/errors.ts';
import type { Logger } from '../base/log.ts';
import type { Lease } from '../base/objects.ts';
import type { LeaseClient } from './lease-client.ts';
import { claimed, durationOf, fingerprintOf, holderOf } from './lease-record.ts';

export interface CandidateOptions {
  readonly client: LeaseClient;
  readonly clock: Clock;
  readonly random: () => number;
  readonly log: Logger;
  readonly identity: string;
  /** Milliseconds, all of them. */
  readonly leaseMs: number;
  readonly retryMs: number;
  readonly longestCallMs: number;
}

/** A lease that has just become ours. */
export interface Taken {
  readonly lease: Lease;
  /** When the request that took it was sent. */
  readonly sentAt: Instant;
  /** For how many milliseconds nothing may be written yet, because a call of the leader before us may still be under way. */
  readonly quietMs: number;
}

/** Waits for a lease to be free. Others' clocks are never trusted: it has run out when its record has not changed for as long as it says. */
export class Candidate {
  readonly #options: CandidateOptions;
  #seen: { readonly fingerprint: string; readonly at: number } | undefined;
  #said = '';

  constructor(options: CandidateOptions) {
    this.#options = options;
  }

  /** Tries until the lease is ours; rejects only with the signal's reason. */
  async take(signal: AbortSignal): Promise<Taken> {
    const { clock, random, retryMs } = this.#options;
    for (;;) {
      signal.throwIfAborted();
      const taken = await this.#try(signal).catch((error: unknown) => this.#complain(error, signal));
      if (taken !== undefined) return taken;
      await clock.sleep(retryMs * (0.5 + random() / 2), signal);
    }
  }

  async #try(signal: AbortSignal): Promise<Taken | undefined> {
    const { client, clock } = this.#options;
    const lease = await this.#read(signal);
    const quietMs = lease === undefined ? this.#quietBeforeMaking() : this.#quietBeforeTaking(lease);
    if (quietMs === undefined) return undefined;
    const sentAt = instantOf(clock);
    const spec = this.#claim(lease);
    const ours = lease === undefined ? await client.create(spec, signal) : await client.update(lease, spec, signal);
    return { lease: ours, sentAt, quietMs };
  }

  /** One that we saw before was deleted: its holder may not know yet. One that never was has no holder. */
  #quietBeforeMaking(): number {
    const { leaseMs, longestCallMs } = this.#options;
    return this.#seen === undefined ? 0 : leaseMs + longestCallMs;
  }

  /** Absent when the lease is another's. After one that ran out, calls of its holder may still be under way; after a release, none. */
  #quietBeforeTaking(lease: Lease): number | undefined {
    const { clock, identity, leaseMs, longestCallMs } = this.#options;
    const fingerprint = fingerprintOf(lease);
    const now = clock.monotonic();
    if (this.#seen?.fingerprint !== fingerprint) this.#seen = { fingerprint, at: now };
    const holder = holderOf(lease);
    if (holder === '') return 0;
    if (holder === identity || now - this.#seen.at > durationOf(lease, leaseMs)) return longestCallMs;
    this.#say(`waiting for the lead, which ${holder} has`);
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

  /** Another was faster: no more than that. Anything else somebody should know. */
  #complain(error: unknown, signal: AbortSignal): undefined {
    if (signal.aborted || hasReason(error, 'Conflict')) return;
    this.#say(`the lease could not be read or written: ${messageOf(error)}`, 'warn');
  }

  #say(message: string, level: 'info' | 'warn' = 'info'): void {
    if (message !== this.#said) this.#options.log[level](message);
    this.#said = message;
  }
}
