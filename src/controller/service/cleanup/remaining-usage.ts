import type { LoadBalancerId } from '../../../clb/model/ids.ts';
import type { LoadBalancer } from '../../../clb/model/load-balancer.ts';
import { EMPTY_CACHE, observe, type LookupHints } from '../../../clb/observe/observe.ts';
import type { Absent } from '../../../clb/model/state.ts';
import type { CallContext } from '../../../plan/call.ts';
import { added, NO_USAGE, type Usage } from '../../../policy/usage.ts';
import { remainingUsage } from '../../../policy/usage-in-cloud.ts';
import type { ServiceDeps, ReconcileContext } from '../context.ts';

/** Reads the load balancer of a cleanup. */
async function find(
  desired: Absent,
  hints: LookupHints,
  context: CallContext,
  { clb }: Pick<ServiceDeps, 'clb'>,
): Promise<LoadBalancer | undefined> {
  if (desired.use.kind === 'reused') return clb.read(desired.use.id, context);
  const reading = { hints, api: clb, context, onObserved: () => undefined };
  return (await observe({ ...desired, preserve: false }, EMPTY_CACHE, reading)).observed.loadBalancer;
}

/**
 * Reads the usage that a failed cleanup left, unless it is known. Growth of other Services waits for the usage, but not for the end of the cleanup.
 */
export async function readRemainingUsage(
  targets: readonly Absent[],
  { entry, inputs: { service, hints }, lane, namespace, signal }: ReconcileContext,
  deps: Pick<ServiceDeps, 'clb' | 'ledger'>,
): Promise<void> {
  if (entry.record.admittedUsage !== undefined || deps.ledger.reservedFor(service) !== undefined) return;
  const context = { signal, lane, namespace };
  const usage = new Map<LoadBalancerId, Usage>();
  for (const desired of targets) {
    const loadBalancer = await find(desired, hints, context, deps);
    if (loadBalancer === undefined || usage.has(loadBalancer.id)) continue;
    const listeners = await deps.clb.listListeners(loadBalancer.id, context);
    usage.set(loadBalancer.id, remainingUsage(desired.owner, loadBalancer, listeners, hints));
  }
  deps.ledger.observe(
    service,
    usage.values().reduce((sum, each) => added(sum, each), NO_USAGE),
  );
}
