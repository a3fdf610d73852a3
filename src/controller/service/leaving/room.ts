import type { Action } from '../../../clb/action.ts';
import { isReached } from '../../../clb/served.ts';
import type { Absent, Observed } from '../../../clb/state.ts';
import { isPublished } from '../../../clb/told.ts';
import type { Service } from '../../../objects.ts';
import type { Withheld } from '../../../plan/plan.ts';
import { fitLabel, nameOfPlace, placeOf, type Place } from '../places.ts';

/*
 * A label has room for two load balancers of people, as a rule. Where it has none for one more that a Service names, those on which it was begun in
 * vain are left. What serves it stays until the next one does, even if that has to wait.
 */

/** Where a Service wants to be served, and where something of it may be from before. */
interface Course {
  readonly service: Service;
  readonly named: Place;
  readonly formers: readonly Absent[];
}

/** Whether all of it can be told. A Service that says an address goes over to nothing. */
const hasRoom = ({ service, named, formers }: Course): boolean =>
  isPublished(service) || fitLabel([...formers.map(({ use }) => placeOf(use)), named], service.metadata.uid);

/** The load balancers of people that are to be left for the one that is named: of all that do not serve the Service, none where there is room. */
export async function formersInTheWay(
  course: Course,
  look: (former: Absent) => Promise<Observed>,
): Promise<readonly Absent[]> {
  if (hasRoom(course)) return [];
  const idle: Absent[] = [];
  for (const former of course.formers)
    if (former.use.kind === 'reused' && !isReached(former.owner, await look(former))) idle.push(former);
  return idle;
}

/** How a load balancer is called that a Service used before. */
export const nameOf = ({ use }: Absent): string => nameOfPlace(placeOf(use));

const NO_ROOM = 'NoRoom';

/** Why nothing is begun where the Service is to be served; nothing where there is room. */
export function lackOfRoom(course: Course): readonly Withheld<Action>[] {
  if (hasRoom(course)) return [];
  const all = course.formers.map(nameOf).join(' and ');
  const reason = `the Service still has something on ${all}, and its label portcullis.io/uses has no room for one more; ask for one of them until it serves all ports; then take the address out of the status again, and name this one`;
  return [{ rule: NO_ROOM, reason }];
}
