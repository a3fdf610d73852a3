import { parseAnnotations } from '../../../annotation/parse.ts';
import { OWN, requestedRef } from '../../../clb/load-balancer-ref.ts';
import { REUSED_TAG } from '../../../clb/naming.ts';
import { forget } from '../../../clb/observe.ts';
import type { Service } from '../../../objects.ts';
import { findBound } from '../bound.ts';
import type { Entry } from '../memory.ts';
import { letGo } from './release.ts';
import type { BareTurn, ServiceDeps } from '../turn.ts';

/**
 * A Service that wants a load balancer again after its cleanup was begun. Where nothing serves it any more, so is the address gone that it had:
 * it is as one that never had any. Else it goes on with what serves it, in which all that was taken off is put back.
 */
export async function comeBack(service: Service, turn: BareTurn, deps: ServiceDeps): Promise<Service> {
  const { entry } = turn;
  entry.knowledge = forget(entry.knowledge);
  await findBound(service, { ...turn, lane: 'change' }, deps);
  if (entry.bound !== undefined && !wasPreserved(service, entry)) return service;
  delete entry.bound;
  return letGo(service, turn, deps);
}

/** Returns whether what serves the Service was its own until the cleanup untagged it. */
function wasPreserved(service: Service, { bound, knowledge }: Pick<Entry, 'bound' | 'knowledge'>): boolean {
  const { options } = parseAnnotations(service.metadata.annotations);
  const isMarked = knowledge.observed.loadBalancer?.tags[REUSED_TAG] !== undefined;
  return options.preserveLbOnDelete === true && requestedRef(options) === OWN && bound !== OWN && !isMarked;
}
