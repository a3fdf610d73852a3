import { OWN } from '../../../clb/model/load-balancer-ref.ts';
import { REUSED_TAG } from '../../../clb/model/naming.ts';
import { invalidateAll } from '../../../clb/observe/observe.ts';
import { findBound } from '../adopt/find-bound.ts';
import { readInputs, type ServiceInputs } from '../inputs.ts';
import type { ServiceState } from '../state/service-state.ts';
import { pendingMs } from '../state/pending-operations.ts';
import { invalidateLateDeletions } from './late-deletion-invalidation.ts';
import { finishCleanup } from './cleanup.ts';
import type { BareReconcileContext, ServiceDeps } from '../context.ts';

/** The inputs for the sync, or the milliseconds to wait before the sync. */
export type Resumed =
  { readonly inputs: ServiceInputs; readonly waitMs?: never } | { readonly inputs?: never; readonly waitMs: number };

/** Resumes a Service that wants a load balancer again after its cleanup started. */
export async function resumeFromCleanup(
  inputs: ServiceInputs,
  context: BareReconcileContext,
  deps: ServiceDeps,
): Promise<Resumed> {
  const { entry } = context;
  if (!entry.isCleaningUp) return { inputs };
  invalidateLateDeletions(inputs, context, deps);
  // A pending call of the cleanup could remove resources that the sync adds.
  const waitMs = pendingMs(entry, deps.clock);
  if (waitMs > 0) return { waitMs };
  const resumed = await afterCleanup(inputs, context, deps);
  entry.isCleaningUp = false;
  return { inputs: resumed };
}

async function afterCleanup(
  inputs: ServiceInputs,
  context: BareReconcileContext,
  deps: ServiceDeps,
): Promise<ServiceInputs> {
  const { entry } = context;
  entry.knowledge = invalidateAll(entry.knowledge);
  await findBound(inputs, { ...context, lane: 'change' }, deps);
  if (entry.bound !== undefined && !wasPreserved(inputs, entry)) return inputs;
  // The Service now counts as new, so the published address is removed.
  delete entry.bound;
  const service = await finishCleanup(inputs.service, context, deps);
  return readInputs(service, entry.record, deps);
}

/** Returns whether the cleanup has preserved the owned load balancer that serves the Service, and removed its owner tag. */
function wasPreserved(
  { parsed, requested }: ServiceInputs,
  { bound, knowledge }: Pick<ServiceState, 'bound' | 'knowledge'>,
): boolean {
  const isMarked = knowledge.observed.loadBalancer?.tags[REUSED_TAG] !== undefined;
  return parsed.options.preserveLbOnDelete === true && requested === OWN && bound !== OWN && !isMarked;
}
