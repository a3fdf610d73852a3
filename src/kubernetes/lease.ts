import type { Gauge } from 'prom-client';
import { instantOf, mostSince, type Clock, type Instant } from '../base/clock.ts';
import { slept, within } from '../base/deadline.ts';
import { PortcullisError, hasReason } from '../base/errors.ts';
import type { Logger } from '../base/log.ts';
import type { Lease } from '../base/objects.ts';
import { LeaseClient } from './lease-client.ts';
import { Candidate } from './lease-candidate.ts';
import { claimed, holderOf, released } from './lease-record.ts';
import type { Requests } from './transport.ts';
import type { WriteGuard } from './writer.ts';

export interface ElectionOptions {
  readonly requests: Requests;
  readonly clock: Clock;
  readonly log: Logger;
  readonly random?: () => number;
  readonly leading: Gauge<'name'>;
  /** Who we are; no two processes that live at the same time may share it. One that comes back under its old name does not wait for the lease to run out. */
  readonly identity: string;
  /** `kube-system/ccm` when absent. */
  readonly lease?: { readonly namespace: string; readonly name: string };
  /** 15 s, 10 s and 2 s when absent. */
  readonly timing?: ElectionTiming;
  /** The longest that a call of a leader may take, in milliseconds; 9,000 when absent. */
  readonly longestCallMs?: number;
}

/** Milliseconds. */
export interface ElectionTiming {
  /** For how long a renewal keeps others away. */
  readonly leaseMs: number;
  /** For how long a leader goes on that cannot renew; less than the lease. */
  readonly renewDeadlineMs: number;
  /** Between two tries. */
  readonly retryMs: number;
}

export const DEFAULT_LEASE = { namespace: 'kube-system', name: 'ccm' };
export const DEFAULT_TIMING: ElectionTiming = { leaseMs: 15_000, renewDeadlineMs: 10_000, retryMs: 2_000 };
const LONGEST_CALL_MS = 9_000;
/** Between the end of the last call that may be sent and the end of the lease. */
const MARGIN_MS = 1_000;
/** The last try to renew, if all before it failed, is sent this part of the deadline before it. */
const LAST_TRY = 0.05;
/** For what leads to stop after the lease is lost. */
const LOSS_GRACE_MS = 5_000;
/** A leader whose lease ended this long ago without its noticing is stuck. */
const STUCK_MS = 20_000;
/** Renewals and the release are not cut short: a cut one may have taken effect unseen. */
const NEVER = new AbortController().signal;

/**
 * Takes part in the election for one Lease. Others' clocks are never trusted: a lease has run out when its record has not changed for
 * as long as it says, by our own clock. Our own ends `leaseMs` after the last renewal was *sent*.
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
  /** By the monotonic clock. */
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

  /** Whether a call of up to `callTimeoutMs` would end while nobody else can lead, and nothing of a leader before us can be under way. */
  mayWrite(callTimeoutMs: number): boolean {
    const { clock } = this.#options;
    return (
      this.#isLeading &&
      clock.monotonic() >= this.#mayWriteFrom &&
      this.#timing.leaseMs - mostSince(clock, this.#renewedAt) > callTimeoutMs + MARGIN_MS
    );
  }

  /** For the health check: what is wrong, if the process believes to lead long after it cannot. */
  problem(): string | undefined {
    const overdueMs = this.#sinceRenewalMs() - this.#timing.leaseMs;
    return this.#isLeading && overdueMs > STUCK_MS
      ? `the lease ended ${Math.round(overdueMs / 1000)} s ago`
      : undefined;
  }

  /**
   * Waits for the lead and runs `lead` while we have it, with the transitions of the Lease that was acquired. When `signal` is aborted, `lead`'s signal is too, the lease is kept until `lead`
   * has ended, and is then released for the next one. When the lease is lost, `lead`'s signal is aborted with `LostLeadership`, which this rejects with.
   */
  async run(lead: Lead, signal: AbortSignal): Promise<void> {
    const { clock, random = Math.random, identity, longestCallMs = LONGEST_CALL_MS } = this.#options;
    const { leaseMs, retryMs } = this.#timing;
    const candidate = new Candidate({
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
    // What leads has been told; but a process that cannot stop it must not wait for it.
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

  /** Renews until `over`; aborts `lost` when that has failed for too long or the lease is another's. Never rejects. */
  async #renew(lost: AbortController, over: AbortSignal): Promise<void> {
    while (await slept(this.#options.clock, this.#pauseMs(), over)) {
      const isOthers = this.#isOverdue() || (await this.#renewOnce()) === false;
      if (!isOthers && !this.#isOverdue()) continue;
      this.#isLeading = false;
      this.#options.leading.set(this.#label, 0);
      this.#log.error('the lead is lost');
      lost.abort(
        new PortcullisError(
          'LostLeadership',
          'the lease could not be renewed in time or another replica has it: this process must not go on',
        ),
      );
      return;
    }
  }

  /** Until the next try; shorter where that would come too late for the deadline. After the last one: until the deadline has passed. */
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

  /** Answers whether the lease is still ours; nothing when that is not known. Ends within the time of two calls, whatever happens. */
  async #renewOnce(): Promise<boolean | undefined> {
    const lease = this.#lease;
    if (lease === undefined) return false;
    try {
      await this.#update(lease).catch((error: unknown) => this.#renewChanged(error));
      return this.#isLeading;
    } catch (error) {
      this.#log.warn({ err: error }, 'the lease could not be renewed');
      return undefined;
    }
  }

  async #update(lease: Lease): Promise<void> {
    const sentAt = instantOf(this.#options.clock);
    this.#won(await this.#client.update(lease, this.#claim(lease), NEVER), sentAt);
  }

  /** Somebody wrote to it, perhaps our own renewal whose answer was lost. One that was deleted is another's to make. */
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
      this.#log.info('the lead is released');
    } catch (error) {
      this.#log.warn({ err: error }, 'the lease could not be released: the next leader waits until it has run out');
    }
  }
}

/** The work of a leader. `transitions` counts how often the Lease has changed hands; absent if the Lease does not say. */
export type Lead = (signal: AbortSignal, transitions: number | undefined) => Promise<void>;

interface Leading {
  readonly quietMs: number;
  readonly stop: AbortSignal;
  readonly lost: AbortSignal;
}
