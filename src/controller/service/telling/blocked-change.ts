import { OWN } from '../../../clb/load-balancer-ref.ts';
import { boundIn } from '../state/binding-record.ts';
import type { ServiceInputs } from '../inputs.ts';
import type { Entry } from '../memory.ts';

/** The reason of the condition if the annotation `id` asks for another load balancer than the one that serves the Service. */
export const CHANGE_NOT_SUPPORTED = 'LoadBalancerChangeNotSupported';

const HOW_TO_MOVE =
  'to move, create a second Service and switch DNS, or change the type to ClusterIP, wait for the event CleanLoadBalancer, and change it back';

type Known = Pick<Entry, 'bound' | 'knowledge' | 'record'>;

/** Returns the id of the load balancer that serves a Service, if it is known. */
const idOf = ({ bound, knowledge, record }: Known): string | undefined =>
  knowledge.observed.loadBalancer?.id ?? (bound === OWN ? boundIn(record) : bound);

type Request = Pick<ServiceInputs, 'requested'>;

/** Returns the id of the Service's own load balancer if the annotation `id` names it, which has no effect. */
export function namedOwn({ requested }: Request, known: Known): string | undefined {
  const id = idOf(known);
  return known.bound === OWN && requested === id ? id : undefined;
}

/** Returns what happened, why, and what to do if the annotation `id` asks for another load balancer than the bound one. */
export function blockedChange({ requested }: Request, known: Known): string | undefined {
  const { bound } = known;
  const id = idOf(known);
  if (bound === undefined || requested === bound || requested === id) return undefined;
  const asks =
    requested === OWN ? 'the annotation id was removed' : `the annotation id names load balancer ${requested}`;
  const back = bound === OWN ? 'remove the annotation id' : `set the annotation id back to ${bound}`;
  const which = bound === OWN ? `its own load balancer${id === undefined ? '' : ` ${id}`}` : `load balancer ${bound}`;
  return `${asks}, but nothing has moved: a Service stays with ${which}, which it is bound to; ${back}; ${HOW_TO_MOVE}`;
}
