import { OWN } from '../../../clb/model/load-balancer-ref.ts';
import { defaultLoadBalancerName, OWNER_TAG } from '../../../clb/model/naming.ts';
import type { Service } from '../../../base/kubernetes-objects.ts';
import { boundIn, isRecordedAsOwned } from '../state/binding-record.ts';
import type { ServiceInputs } from '../inputs.ts';
import type { ServiceState } from '../state/service-state.ts';

/** The reason of the condition if another load balancer than the requested load balancer serves the Service. */
export const CHANGE_NOT_SUPPORTED = 'LoadBalancerChangeNotSupported';

/** The reason of the condition if the load balancer of a Service lost its owner tag. */
export const OWNER_TAG_MISSING = 'OwnerTagMissing';

const HOW_TO_MOVE =
  'to move, create a second Service and switch DNS, or change the type to ClusterIP, wait for the event CleanLoadBalancer, and change the type back';

type Known = Pick<ServiceState, 'bound' | 'knowledge' | 'record'>;

/** Returns the id of the load balancer that serves a Service; undefined if the id is unknown. */
const idOf = ({ bound, knowledge, record }: Known): string | undefined =>
  knowledge.observed.loadBalancer?.id ?? (bound === OWN ? boundIn(record) : bound);

type Request = Pick<ServiceInputs, 'service' | 'requested'>;

/** Returns the id of the owned load balancer if the annotation `id` names it, and therefore has no effect. */
export function namedOwn({ requested }: Request, known: Known): string | undefined {
  const id = idOf(known);
  return known.bound === OWN && requested === id ? id : undefined;
}

/** The explanation why the requested load balancer does not serve a Service, as the reason and message of the condition. */
export interface BlockedChange {
  readonly reason: typeof CHANGE_NOT_SUPPORTED | typeof OWNER_TAG_MISSING;
  readonly message: string;
}

/** Returns the explanation for an owned load balancer that lost its owner tag, so that only backends are synced. */
const unproven = (id: string, { uid }: Service['metadata']): BlockedChange => ({
  reason: OWNER_TAG_MISSING,
  message: `load balancer ${id} was created for this Service, but lost the tag ${OWNER_TAG}, so only backends are synced; set the tag to ${defaultLoadBalancerName(uid)}`,
});

/** Returns the explanation if a Service has another load balancer than requested, or if the owner tag is missing. */
export function blockedChange({ service, requested }: Request, known: Known): BlockedChange | undefined {
  const { bound, record } = known;
  if (bound !== undefined && bound !== OWN && [OWN, bound].includes(requested) && isRecordedAsOwned(record, bound))
    return unproven(bound, service.metadata);
  const id = idOf(known);
  if (bound === undefined || requested === bound || requested === id) return undefined;
  const request =
    requested === OWN ? 'the annotation id was removed' : `the annotation id names load balancer ${requested}`;
  const back = bound === OWN ? 'remove the annotation id' : `set the annotation id back to ${bound}`;
  const which = bound === OWN ? `the owned load balancer${id === undefined ? '' : ` ${id}`}` : `load balancer ${bound}`;
  const message = `${request}, but ${which} still serves the Service: a Service cannot change its load balancer; ${back}; ${HOW_TO_MOVE}`;
  return { reason: CHANGE_NOT_SUPPORTED, message };
}
