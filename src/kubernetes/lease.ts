import type { Gauge } from 'prom-client';
import { instantOf, mostSince, type Clock, type Instant } from '../base/clock.ts';
import { slept, within } from '../base/deadline.ts';
import { PortcullisError, hasReason } from '../base/errors.ts';
import type { Logger } from '../base/log.ts';
import type { Lease } from '../base/kubernetes-objects.ts';
import { LeaseClient } from './lease-client.ts';
import { LeaseCandidate } from './lease-acquisition.ts';
import { claimed, holderOf, released } from './lease-record.ts';
import type { Requests } from './transport.ts';
import type { WriteGuard } from './writer.ts';

export interface ElectionOptions {
  readonly requests: Requests;
  readonly clock: Clock;
  readonly log: Logger;
  readonly random?: () => number;
  readonly leading: Gauge<'name'>;
  /** The identity of this process, which must be unique: a process with the identity of the holder does not wait until the Lease expires. */
  readonly identity: string;
  /** Default: `kube-system/ccm`. */
  readonly lease?: { readonly namespace: string; readonly name: string };
  /** Default: 15 s, 10 s and 2 s. */
  readonly timing?: ElectionTiming;
  /** The timeout of the longest write of a leader, in milliseconds. Default: 9,000. */
  readonly longestCallMs?: number;
}

/** The durations of an election, in milliseconds. */
export interface ElectionTiming {
  /** The time for which a renewal is valid. */
  readonly leaseMs: number;
  /** The time after which a leader without a renewal stops. Less than `leaseMs`. */
  readonly renewDeadlineMs: number;
  /** The pause between two attempts. */
  readonly retryMs: number;
}

export const DEFAULT_LEASE = { namespace: 'kube-system', name: 'ccm' };
export const DEFAULT_TIMING: ElectionTiming = { leaseMs: 15_000, renewDeadlineMs: 10_000, retryMs: 2_000 };
const LONGEST_CALL_MS = 9_000;
/** The shortest time between the end of a write and the end of the Lease, in milliseconds. */
const MARGIN_MS = 1_000;
/** The part of `renewDeadlineMs` that is reserved for the last attempt to renew. */
const LAST_TRY = 0.05;
/** The time, in milliseconds, that running work has to stop after the Lease is lost. */
const LOSS_GRACE_MS = 5_000;
/** The time after the end of the Lease, in milliseconds, at which a process that still leads counts as stuck. */
const STUCK_MS = 20_000;
/** The signal of renewals and of the release. The signal is never aborted, because an aborted write may still take effect. */
const NEVER = new AbortController().signal;

/** Elects the leader among the replicas of the controller, so that two replicas never write at the same time. */
export class Election implements WriteGuard {
  readonly #options: ElectionOptions;
  readonly #timing: ElectionTiming;
  readonly #client: LeaseClient;
  readonly #label: { readonly name: string };
  readonly #log: Logger;
  #lease: Lease | undefined;
  #isLeading = false;
  /** The start of the validity of the Lease: the time at which the last renewal was sent. */
  #renewedAt: Instant = { now: 0, monotonic: 0 };
  /** The time from which this process may write as the leader, in monotonic milliseconds. */
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

  /** Returns whether this process may send a write. The Lease must outlast the timeout of the write. */
  mayWrite(callTimeoutMs: number): boolean {
    const { clock } = this.#options;
    return (
      this.#isLeading &&
      clock.monotonic() >= this.#mayWriteFrom &&
      this.#timing.leaseMs - mostSince(clock, this.#renewedAt) > callTimeoutMs + MARGIN_MS
    );
  }

  /** Returns the problem for the liveness check if the process still leads long after its Lease ended; otherwise undefined. */
  problem(): string | undefined {
    const overdueMs = this.#sinceRenewalMs() - this.#timing.leaseMs;
    return this.#isLeading && overdueMs > STUCK_MS
      ? `the lease expired ${Math.round(overdueMs / 1000)} s ago`
      : undefined;
  }

  /** Acquires the Lease, runs `lead`, and releases the Lease. Rejects with `LostLeadership` if the Lease is lost. */
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
    const { lease, sentAt, quietMs } = await candidate.acquire(signal);
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
    const leaseLost = new Promise<void>((resolve) => lost.addEventListener('abort', () => resolve(), { once: true }));
    await Promise.race([leading, leaseLost]);
    if (!lost.aborted) return;
    // `lead` may ignore its aborted signal, so the wait has a limit.
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

  /** Renews the Lease until `over` is aborted. Aborts `lost` if renewals fail for too long or another process holds the Lease. Never rejects. */
  async #renew(lost: AbortController, over: AbortSignal): Promise<void> {
    while (await slept(this.#options.clock, this.#pauseMs(), over)) {
      const isLost = this.#isOverdue() || (await this.#renewOnce()) === false;
      if (!isLost && !this.#isOverdue()) continue;
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

  /** Returns the milliseconds until the next attempt to renew. The last attempt starts shortly before the deadline. */
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

  /** Returns whether this process still holds the Lease; undefined if unknown. After a conflict, reads the Lease and updates it once more. */
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

  /** Renews the Lease after a conflict if this process still holds the Lease; if not, ends the leadership. */
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

/** The work of a leader. `transitions` counts how often the Lease changed its holder; undefined if unknown. */
export type Lead = (signal: AbortSignal, transitions: number | undefined) => Promise<void>;

interface Leading {
  readonly quietMs: number;
  readonly stop: AbortSignal;
  readonly lost: AbortSignal;
}
