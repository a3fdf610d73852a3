import { withRecord, type ServiceInputs } from '../inputs.ts';
import { LoadBalancerSearch } from './load-balancer-search.ts';
import { invalidateLoadBalancer } from '../state/service-state.ts';
import { isDefinitionMissing } from '../state/binding-store.ts';
import { hasRecord, type BindingRecord } from '../state/binding-record.ts';
import { hasBeenServed } from '../state/service-metadata.ts';
import type { BareReconcileContext, ServiceDeps } from '../context.ts';
import { storeRecord } from '../state/service-writes.ts';

/** Stores a corrected record, and returns the inputs with this record. */
export async function adopt(
  inputs: ServiceInputs,
  corrected: BindingRecord | undefined,
  context: BareReconcileContext,
  deps: ServiceDeps,
): Promise<ServiceInputs> {
  if (corrected === undefined) return inputs;
  await storeRecord(inputs.service, corrected, context, deps).catch((error: unknown) => {
    // Without the CustomResourceDefinition of bindings, only backends are synced.
    if (!isDefinitionMissing(error)) throw error;
    context.entry.record = corrected;
  });
  return withRecord(inputs, corrected);
}

/** Finds the load balancer of a Service without a binding, and stores its record. */
export async function adoptForCleanup(
  inputs: ServiceInputs,
  context: BareReconcileContext,
  deps: ServiceDeps,
): Promise<ServiceInputs> {
  const { service, record, hints } = inputs;
  if (hasRecord(record) || !hasBeenServed(service, record)) return inputs;
  invalidateLoadBalancer(context.entry);
  const search = new LoadBalancerSearch(service, hints, { ...context, lane: 'delete' }, deps);
  const found = (await search.byAddress()) ?? (hints.recordedId && (await search.read(hints.recordedId)));
  // The cleanup needs the record to recognize an owned load balancer that lost its owner tag.
  return adopt(inputs, found && (await search.correctedRecord(found)), context, deps);
}
