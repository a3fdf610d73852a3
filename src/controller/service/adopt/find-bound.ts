import type { LoadBalancer } from '../../../clb/model/load-balancer.ts';
import { OWN, type LoadBalancerRef } from '../../../clb/model/load-balancer-ref.ts';
import { REUSED_TAG } from '../../../clb/model/naming.ts';
import type { LookupHints } from '../../../clb/observe/observe.ts';
import { isPublished } from '../../../clb/model/provisioning-evidence.ts';
import type { PortcullisError } from '../../../base/errors.ts';
import type { Service } from '../../../base/kubernetes-objects.ts';
import { LoadBalancerSearch, type BindingContext, type BindingDeps } from './load-balancer-search.ts';
import { failureOf } from '../sync/tolerated-failure.ts';
import type { ServiceInputs } from '../inputs.ts';
import { boundIn, type BindingRecord } from '../state/binding-record.ts';

/** The load balancer that a Service keeps as long as the load balancer exists. */
export interface Bound {
  readonly ref: LoadBalancerRef;
  /** True if the status still shows an address or a host name, but the load balancer that served the Service no longer exists. */
  readonly isGone: boolean;
  /** The record with corrected ownership; undefined if the stored record is right. */
  readonly corrected?: BindingRecord;
}

/** The result of a read of the bound or requested load balancer. After a failure, other evidence can show which load balancer serves the Service. */
interface Named {
  readonly named?: LoadBalancer | undefined;
  readonly failure?: PortcullisError;
}

async function readNamed(ref: LoadBalancerRef, search: LoadBalancerSearch): Promise<Named> {
  if (ref === OWN) return {};
  let named: LoadBalancer | undefined;
  const failure = await failureOf(async () => {
    named = await search.read(ref);
  });
  return { named, ...(failure === undefined ? {} : { failure }) };
}

/** The facts about a Service that point to the load balancer that serves it. */
interface ServiceEvidence {
  /** The load balancer that the annotation `id` requests. Counts only if no existing load balancer serves the Service. */
  readonly requested: LoadBalancerRef;
  /** The load balancer that this process remembers from an earlier sync; undefined if none. */
  readonly bound: LoadBalancerRef | undefined;
  readonly isPublished: boolean;
  readonly hints: LookupHints;
  /** True if the binding records a load balancer. */
  readonly hasBinding: boolean;
}

/** Returns `recorded`, unless only `named` has resources of the Service. Used if the status hides the address. */
async function byLabel(recorded: LoadBalancer, named: LoadBalancer | undefined, search: LoadBalancerSearch) {
  if (await search.hasResources(recorded)) return recorded;
  return named !== undefined && (await search.hasResources(named)) ? named : recorded;
}

/** Returns the load balancer of the binding or label. A label alone is no proof, because any user may write labels. */
async function byRecord(serviceEvidence: ServiceEvidence, named: LoadBalancer | undefined, search: LoadBalancerSearch) {
  const { recordedId } = serviceEvidence.hints;
  const isHidden = serviceEvidence.hints.isAddressHidden === true;
  if (recordedId === undefined) return isHidden ? named : undefined;
  const recorded = await search.read(recordedId);
  if (recorded === undefined || !(await search.mayServe(recorded))) return undefined;
  if (serviceEvidence.hasBinding) return recorded;
  if (recordedId === serviceEvidence.requested) return serviceEvidence.isPublished ? recorded : undefined;
  if (isHidden) return byLabel(recorded, named, search);
  // A copied manifest can contain the label of an earlier Service, whose preserved load balancer has no reuse tag.
  const mayServe = serviceEvidence.isPublished || recorded.tags[REUSED_TAG] !== undefined;
  return mayServe && (await search.hasResources(recorded)) ? recorded : undefined;
}

/** Returns whether `named` serves the Service. The published address suffices, because it did not lead to `named`; the annotation or an earlier sync did. */
const isServing = (
  named: LoadBalancer,
  { requested, bound, isPublished: isServicePublished }: ServiceEvidence,
  search: LoadBalancerSearch,
) => isProven(named, search) || (bound === named.id && (bound === requested || isServicePublished));

const isProven = (named: LoadBalancer, search: LoadBalancerSearch): boolean =>
  search.isOwn(named) || search.hasPublished(named);

const isAddressShown = ({ isAddressHidden, published }: LookupHints): boolean =>
  isAddressHidden !== true && published.length > 0;

/** The load balancers with the owner tag or the published address. */
interface Shown {
  /** The load balancer that is proven to serve the Service: by the owner tag, or by the address and resources of the Service. */
  readonly found?: LoadBalancer | undefined;
  /** The load balancer with the published address. The address alone proves nothing, because a user with access to the status can forge it. */
  readonly addressed?: LoadBalancer | undefined;
}

async function proven({ hints }: ServiceEvidence, search: LoadBalancerSearch): Promise<Shown> {
  const own = await search.own();
  if (own !== undefined || !isAddressShown(hints)) return { found: own };
  const addressed = await search.byAddress();
  const isFound = addressed !== undefined && (await search.hasResources(addressed));
  return isFound ? { found: addressed, addressed } : { addressed };
}

/** Returns the serving load balancer, which can differ from `bound` after a restore or a move by another controller. */
async function serving(
  bound: LoadBalancer,
  serviceEvidence: ServiceEvidence,
  search: LoadBalancerSearch,
): Promise<LoadBalancer> {
  if (isProven(bound, search) || !isAddressShown(serviceEvidence.hints)) return bound;
  return (await proven(serviceEvidence, search)).found ?? bound;
}

/** Returns the load balancer that serves the Service, by the strongest evidence; undefined if no load balancer serves it. */
async function findServing(
  serviceEvidence: ServiceEvidence,
  search: LoadBalancerSearch,
): Promise<LoadBalancer | undefined> {
  const { requested, bound, hints } = serviceEvidence;
  const { named, failure } = await readNamed(bound ?? requested, search);
  if (failure !== undefined && bound !== undefined) throw failure;
  if (named !== undefined && isServing(named, serviceEvidence, search)) return serving(named, serviceEvidence, search);
  const { found, addressed } = await proven(serviceEvidence, search);
  if (found !== undefined) return found;
  // Without a record of another load balancer, only the failed read could show which load balancer serves the Service.
  const isUnreadable = hints.recordedId === undefined || hints.recordedId === requested;
  if (failure !== undefined && isUnreadable) throw failure;
  const recorded = await byRecord(serviceEvidence, named, search);
  if (recorded !== undefined) return recorded;
  if (!serviceEvidence.isPublished) search.remember(named);
  return addressed?.id === requested ? addressed : undefined;
}

/** Returns whether the Service stays bound without a new read. A pending operation keeps an unpublished Service bound. */
function staysBound(
  bound: LoadBalancerRef,
  requested: LoadBalancerRef,
  service: Service,
  { knowledge, pendingOperations }: BindingContext['entry'],
): boolean {
  const { observed, invalidated } = knowledge;
  const isServicePublished = isPublished(service);
  if (!isServicePublished && pendingOperations.size > 0) return true;
  if (invalidated.has('load-balancer')) return false;
  return observed.loadBalancer === undefined
    ? bound === requested && !isServicePublished
    : bound === requested || isServicePublished;
}

const served = (ref: LoadBalancerRef): Bound => ({ ref, isGone: false });

/** Returns the serving load balancer, or else the requested load balancer. Makes no call while the cached state is valid. */
export async function findBound(inputs: ServiceInputs, context: BindingContext, deps: BindingDeps): Promise<Bound> {
  const search = new LoadBalancerSearch(inputs.service, inputs.hints, context, deps);
  const bound = await knownOrFound(inputs, context.entry, search);
  const { loadBalancer } = context.entry.knowledge.observed;
  if (loadBalancer?.id !== bound.ref) return bound;
  const corrected = await search.correctedRecord(loadBalancer);
  return corrected === undefined ? bound : { ...bound, corrected };
}

/** Returns the bound load balancer from memory, or searches by the evidence of the Service. */
async function knownOrFound(
  { service, requested, hints }: ServiceInputs,
  entry: BindingContext['entry'],
  search: LoadBalancerSearch,
): Promise<Bound> {
  if (entry.bound !== undefined && staysBound(entry.bound, requested, service, entry)) return served(entry.bound);
  const hasBinding = boundIn(entry.record) !== undefined;
  const serviceEvidence = { requested, bound: entry.bound, isPublished: isPublished(service), hints, hasBinding };
  const found = await findServing(serviceEvidence, search);
  if (found === undefined) {
    delete entry.bound;
    return { ref: requested, isGone: serviceEvidence.isPublished };
  }
  search.remember(found);
  entry.bound = search.isOwn(found) ? OWN : found.id;
  return served(entry.bound);
}
