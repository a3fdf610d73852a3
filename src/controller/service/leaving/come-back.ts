import { parseAnnotations } from '../../../annotation/parse.ts';
import { desireNothing, ownerOf } from '../../../clb/desired.ts';
import { forget, observe } from '../../../clb/observe.ts';
import type { Absent, Observed } from '../../../clb/state.ts';
import { isPublished } from '../../../clb/told.ts';
import type { Service } from '../../../objects.ts';
import { hintsOf, readMarks } from '../marks.ts';
import type { Entry } from '../memory.ts';
import { OWN, placeNamed } from '../places.ts';
import { letGo } from './release.ts';
import type { BareTurn, ServiceDeps } from '../turn.ts';

/** Whether a Service wants what was begun to be taken from it: any load balancer, or its own in place of another by which it was to be served. */
export function isComingBack(service: Service, { isLeaving }: Pick<Entry, 'isLeaving'>): boolean {
  if (isLeaving || readMarks(service).leaving !== 'own') return isLeaving;
  const { options } = parseAnnotations(service.metadata.annotations ?? {});
  return placeNamed(options) === OWN && !isPublished(service);
}

/** Whether nothing is there that may be its own. What was recorded and is not marked as its own has been let go where it was to be preserved. */
const isGone = ({ preserve }: Absent, { loadBalancer, strangerId }: Observed): boolean =>
  loadBalancer === undefined && (strangerId === undefined || preserve);

/**
 * A Service that wants a load balancer again after leaving its own was begun. Where that is gone, so is the address that it had: it is as one
 * that never had any. Else it goes on with it, in which all that was taken off is put back.
 */
export async function comeBack(service: Service, turn: BareTurn, deps: ServiceDeps): Promise<Service> {
  const { entry, signal, namespace } = turn;
  entry.knowledge = forget(entry.knowledge);
  if (readMarks(service).uses.length > 0) return service;
  const { options } = parseAnnotations(service.metadata.annotations ?? {});
  const nothing = desireNothing(ownerOf(service, deps.settings), options, false);
  const { observed } = await observe({ ...nothing, use: { kind: 'owned' } }, entry.knowledge, {
    hints: hintsOf(service, options),
    api: deps.clb,
    context: { signal, lane: 'change', namespace },
    learn: (known) => (entry.knowledge = known),
  });
  return isGone(nothing, observed) ? letGo(service, turn, deps) : service;
}
