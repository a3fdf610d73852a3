import type { Gauge } from 'prom-client';
import { instantOf, mostSince, type Clock, type Instant } from '../base/clock.ts';
import { slept, within } from '../base/deadline.ts';
import { PortcullisError, hasReason } from '../base/errors.ts';
import type { Logger } from '../base/log.ts';
import type { Lease } from '../base/objects.ts';
import { LeaseClient } from './lease-client.ts';
import { LeaseCandidate } from './lease-candidate.ts';
import { claimed, holderOf, released } from './lease-record.ts';
import type { Requests } from './transport.ts';
import type { WriteGuard } from './writer.ts';

export interface ElectionOptions {
  readonly requests: Requests;
  readonly clock: Clock;
  readonly log: Logger;
  readonly random?: () => number;
  readonly leading: Gauge<'name'>;
  /** The identity of the process, unique among running processes. A process with the last holder's identity does not wait until the Lease expires. */
  readonly identity: string;
  /** Default: `kube-system/ccm`. */
  readonly lease?: { readonly namespace: string; readonly name: string };
  /** Default: 15 s, 10 s and 2 s. */
  readonly timing?: ElectionTiming;
  /** The longest call of a leader, in milliseconds. Default: 9,000. */
  readonly longestCallMs?: number;
}

/** The durations of an election, in milliseconds. */
export interface ElectionTiming {
  /** The validity of a renewal. */
  readonly leaseMs: number;
  /** The time that a leader continues without a renewal. Less than `leaseMs`. */
  readonly renewDeadlineMs: number;
  /** The pause between two attempts. */
  readonly retryMs: number;
}

export const DEFAULT_LEASE = { namespace: 'kube-system', name: 'ccm' };
export const DEFAULT_TIMING: ElectionTiming = { leaseMs: 15_000, renewDeadlineMs: 10_000, retryMs: 2_000 };
const LONGEST_CALL_MS = 9_000;
/** The time between the end of the last permitted call and the end of the Lease. */
const MARGIN_MS = 1_000;
/** The part of the deadline that remains for the last attempt to renew. */
const LAST_TRY = 0.05;
/** The time that the leader's work has to stop after the process loses the Lease. */
const LOSS_GRACE_MS = 5_000;
/** A leader is stuck if its Lease ended this long ago and it still leads. */
const STUCK_MS = 20_000;
/** Renewals and the release are never aborted, because an aborted write may still take effect. */
const NEVER = new AbortController().signal;

/**
 * Takes part in the election for one Lease. Only the local clock counts: a Lease of another holder has expired if its record has not changed for
 * its own duration. The own Lease ends `leaseMs` after the last renewal was *sent*.
 */
export class Election implements WriteGuard {
  readonly #options: ElectionOptions;
  readonly #timing: ElectionTiming;
  readonly #client: LeaseClient;
  readonly #label: { readonly name: string };
  readonly #log: Logger;
  #lease: Lease | undefined;
  #isLeading = false;
  #renewedAt: Instant = { now: 0, monotonic: 0 };
  /** In monotonic milliseconds. */
  #mayWriteFrom = 0;

  constructor(options: ElectionOptions) {
    const lease = options.lease ?? DEFAULT_LEASE;
    this.#options = options;
    this.#timing = options.timing ?? DEFAULT_TIMING;
    this.#client = new LeaseClient(options.requests, options.clock, this.#timing.renewDeadlineMs / 2, lease);
    this.#label = { name: lease.name };
    this.#log = options.log.child({ lease: `${lease.namespace}/${lease.name}`, identity: options.identity });
    options.leading.set(this.#label, 0);
  }

  get isLeading(): boolean {
    return this.#isLeading;
  }

  /**
   * Returns whether the process may send a write. A call of `callTimeoutMs` must end before the Lease expires, because then another process may lead.
   * Calls of an earlier leader must have ended, too.
   */
  mayWrite(callTimeoutMs: number): boolean {
    const { clock } = this.#options;
    return (
      this.#isLeading &&
      clock.monotonic() >= this.#mayWriteFrom &&
      this.#timing.leaseMs - mostSince(clock, this.#renewedAt) > callTimeoutMs + MARGIN_MS
    );
  }

  /** Returns the problem for the health check if the process still leads long after its Lease ended. */
  problem(): string | undefined {
    const overdueMs = this.#sinceRenewalMs() - this.#timing.leaseMs;
    return this.#isLeading && overdueMs > STUCK_MS
      ? `the lease expired ${Math.round(overdueMs / 1000)} s ago`
      : undefined;
  }

  /**
   * Acquires the Lease and runs `lead`. If `signal` is aborted, aborts the signal of `lead` and releases the Lease when `lead` has ended. Rejects
   * `LostLeadership` if the Lease is lost.
   */
  async run(lead: Lead, signal: AbortSignal): Promise<void> {
    const { clock, random = Math.random, identity, longestCallMs = LONGEST_CALL_MS } = this.#options;
    const { leaseMs, retryMs } = this.#timing;
    const candidate = new LeaseCandidate({
      client: this.#client,
      clock,
      random,
      log: this.#log,
      identity,
      leaseMs,
      retryMs,
      longestCallMs,
    });
    const { lease, sentAt, quietMs } = await candidate.take(signal);
    this.#won(lease, sentAt);
    this.#log.info({ quietMs }, 'leading');
    this.#mayWriteFrom = this.#options.clock.monotonic() + quietMs;
    const lost = new AbortController();
    const over = new AbortController();
    const renewing = this.#renew(lost, over.signal);
    try {
      const transitions = lease.spec?.leaseTransitions;
      await this.#lead((leading) => lead(leading, transitions), { quietMs, stop: signal, lost: lost.signal });
      lost.signal.throwIfAborted();
    } finally {
      over.abort();
      await renewing;
      await this.#stepDown(!lost.signal.aborted);
    }
  }

  async #lead(lead: (signal: AbortSignal) => Promise<void>, { quietMs, stop, lost }: Leading): Promise<void> {
    const either = AbortSignal.any([stop, lost]);
    if (quietMs > 0 && !(await slept(this.#options.clock, quietMs, either))) return;
    const leading = lead(either);
    const gone = new Promise<void>((resolve) => lost.addEventListener('abort', () => resolve(), { once: true }));
    await Promise.race([leading, gone]);
    if (!lost.aborted) return;
    // The signal of `lead` is aborted; a process that cannot stop `lead` must not wait for it.
    await within(this.#options.clock, LOSS_GRACE_MS, NEVER, () => leading).catch(() => undefined);
  }

  #claim(lease: Lease): Lease['spec'] {
    const { identity, clock } = this.#options;
    return claimed(lease.spec, { identity, leaseMs: this.#timing.leaseMs, now: clock.now() });
  }

  #won(lease: Lease, sentAt: Instant): void {
    this.#lease = lease;
    this.#renewedAt = sentAt;
    this.#isLeading = true;
    this.#options.leading.set(this.#label, 1);
  }

  /** Renews the Lease until `over`. Aborts `lost` if renewals fail for too long or another process holds the Lease. Never rejects. */
  async #renew(lost: AbortController, over: AbortSignal): Promise<void> {
    while (await slept(this.#options.clock, this.#pauseMs(), over)) {
      const isOthers = this.#isOverdue() || (await this.#renewOnce()) === false;
      if (!isOthers && !this.#isOverdue()) continue;
      this.#isLeading = false;
      this.#options.leading.set(this.#label, 0);
      this.#log.error('lease lost');
      lost.abort(
        new PortcullisError(
          'LostLeadership',
          'the lease was not renewed in time, or another replica holds the lease: the process stops',
        ),
      );
      return;
    }
  }

  /** Returns the milliseconds until the next attempt, shortened to meet the deadline. After the last attempt: until the deadline has passed. */
  #pauseMs(): number {
    const { retryMs, renewDeadlineMs } = this.#timing;
    const leftMs = renewDeadlineMs - this.#sinceRenewalMs();
    const toLastTryMs = leftMs - renewDeadlineMs * LAST_TRY;
    return Math.min(retryMs, toLastTryMs > 0 ? toLastTryMs : leftMs + 1);
  }

  #isOverdue(): boolean {
    return this.#sinceRenewalMs() > this.#timing.renewDeadlineMs;
  }

  #sinceRenewalMs(): number {
    return this.#options.clock.monotonic() - this.#renewedAt.monotonic;
  }

  /** Returns whether the process still holds the Lease; undefined if unknown. Sends at most three calls: after a conflict, a read and a second update. */
  async #renewOnce(): Promise<boolean | undefined> {
    const lease = this.#lease;
    if (lease === undefined) return false;
    try {
      await this.#update(lease).catch((error: unknown) => this.#renewChanged(error));
      return this.#isLeading;
    } catch (error) {
      this.#log.warn({ err: error }, 'failed to renew the lease');
      return undefined;
    }
  }

  async #update(lease: Lease): Promise<void> {
    const sentAt = instantOf(this.#options.clock);
    this.#won(await this.#client.update(lease, this.#claim(lease), NEVER), sentAt);
  }

  /** Renews the Lease after a conflict if this process still holds it. Gives up leadership if the Lease was deleted or has another holder. */
  async #renewChanged(error: unknown): Promise<void> {
    if (!hasReason(error, 'Conflict') && !hasReason(error, 'NotFound')) throw error;
    const lease = hasReason(error, 'Conflict') ? await this.#client.read(NEVER) : undefined;
    if (lease !== undefined && holderOf(lease) === this.#options.identity) await this.#update(lease);
    else this.#isLeading = false;
  }

  async #stepDown(isOurs: boolean): Promise<void> {
    this.#isLeading = false;
    this.#options.leading.set(this.#label, 0);
    const lease = this.#lease;
    if (!isOurs || lease === undefined) return;
    try {
      await this.#client.update(lease, released(lease.spec, this.#options.clock.now()), NEVER);
      this.#log.info('lease released');
    } catch (error) {
      this.#log.warn({ err: error }, 'failed to release the lease: the next leader waits until the lease expires');
    }
  }
}

/** The work of a leader. `transitions` counts the changes of the holder; undefined if the Lease does not record them. */
export type Lead = (signal: AbortSignal, transitions: number | undefined) => Promise<void>;

interface Leading {
  readonly quietMs: number;
  readonly stop: AbortSignal;
  readonly lost: AbortSignal;
}
