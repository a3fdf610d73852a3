import { Counter, Gauge, type Registry } from 'prom-client';
import { jitteredBackoffMs } from '../../base/backoff.ts';
import type { Clock } from '../../base/clock.ts';
import { PrunedFields } from '../../base/crd-pruned-fields.ts';
import { PortcullisError, messageOf } from '../../base/errors.ts';
import type { LoadBalancerBinding } from '../../inventory/binding.ts';
import { OWNERS } from '../../inventory/custom-resources.ts';
import type { Logger } from '../../base/log.ts';
import type { Watched } from '../../base/cache-interfaces.ts';
import { createOrphanWatch } from './orphan-search.ts';
import { runPass, type PassResult, type PassParts } from './inventory-pass.ts';

export interface InventoryParts extends Omit<PassParts, 'orphans' | 'prunedFields'> {
  readonly bindings: Watched<LoadBalancerBinding>;
  readonly clock: Clock;
  readonly log: Logger;
  readonly registry: Registry;
  /** Returns a random number from 0 up to 1, for the jitter of retries. */
  readonly random: () => number;
}

/**
 * The inventory controller. Publishes the load balancers of the region as ClassicLoadBalancers, so that the webhook can decide without cloud
 * credentials.
 */
export interface InventoryController {
  /** Runs a pass over the region every minute until the signal aborts, then rejects with its reason. Logs and retries failed passes. */
  run(signal: AbortSignal): Promise<void>;
}

/** The time from the end of a pass to the next pass, in milliseconds. */
const INTERVAL_MS = 60_000;
const RETRY = { baseMs: 5_000, maxMs: INTERVAL_MS };

/** Creates the inventory controller. Call only while the process leads. */
export function createInventoryController(inventoryParts: InventoryParts): InventoryController {
  const { clock, log, random } = inventoryParts;
  const parts = {
    ...inventoryParts,
    orphans: createOrphanWatch(inventoryParts),
    prunedFields: new PrunedFields(),
  };
  const metrics = inventoryMetrics(inventoryParts.registry);
  let failures = 0;
  let lastCause = '';

  const reportFailure = (error: unknown): void => {
    const { reason, code } = error instanceof PortcullisError ? error : { reason: 'Bug', code: undefined };
    const message = messageOf(error);
    metrics.failed(reason);
    // Warns once about a lasting cause. The error code identifies the cause, because messages differ in the request id.
    const cause = code ?? message;
    log[cause === lastCause ? 'debug' : 'warn']({ reason, failures, error: message }, 'inventory pass failed');
    lastCause = cause;
  };
  const reconcile = async (signal: AbortSignal): Promise<number> => {
    const since = clock.monotonic();
    try {
      const found = await runPass(parts, () => clock.now(), signal);
      metrics.seen(found, clock.now());
      log.debug({ loadBalancers: found.region.size, ms: clock.monotonic() - since }, 'inventory pass complete');
      failures = 0;
      lastCause = '';
      return INTERVAL_MS;
    } catch (error) {
      signal.throwIfAborted();
      failures += 1;
      reportFailure(error);
      const retryAfterMs = error instanceof PortcullisError ? error.retryAfterMs : undefined;
      return Math.max(retryAfterMs ?? 0, jitteredBackoffMs(RETRY, failures, random));
    }
  };
  return {
    run: async (signal) => {
      for (;;) {
        signal.throwIfAborted();
        await clock.sleep(await reconcile(signal), signal);
      }
    },
  };
}

/** The kinds of orphans that the inventory finds. Server groups are missing, because the inventory does not read them. */
const ORPHAN_KINDS = ['load-balancer', 'listener', 'binding'] as const;

function inventoryMetrics(registry: Registry) {
  const registers = [registry];
  const loadBalancers = new Gauge({
    name: 'portcullis_inventory_load_balancers',
    help: 'Load balancers of the region by owner, as of the last complete pass.',
    labelNames: ['owner'],
    registers,
  });
  const orphans = new Gauge({
    name: 'portcullis_inventory_orphans',
    help: 'Orphans by kind, as of the last two complete passes.',
    labelNames: ['kind'],
    registers,
  });
  const observed = new Gauge({
    name: 'portcullis_inventory_observed_timestamp_seconds',
    help: 'When the last complete pass over the region ended.',
    registers,
  });
  const failures = new Counter({
    name: 'portcullis_inventory_failures_total',
    help: 'Failed passes over the region, by reason.',
    labelNames: ['reason'],
    registers,
  });
  return {
    seen: (found: PassResult, now: number) => {
      const owners = Map.groupBy(found.region.values(), ({ owner }) => owner);
      for (const owner of OWNERS) loadBalancers.set({ owner }, owners.get(owner)?.length ?? 0);
      const kinds = Map.groupBy(found.orphans, ({ kind }) => kind);
      for (const kind of ORPHAN_KINDS) orphans.set({ kind }, kinds.get(kind)?.length ?? 0);
      observed.set(now / 1000);
    },
    failed: (reason: string) => failures.inc({ reason }),
  };
}
