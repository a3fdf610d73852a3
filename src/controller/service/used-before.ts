import type { LoadBalancerId } from '../../clb/ids.ts';
import { OWN, type Place } from './places.ts';

/** What is recorded on a Service of where something of it may be. */
interface Recorded {
  readonly uses: readonly Place[];
  readonly intent?: string;
  readonly loadBalancerId?: LoadBalancerId;
}

/** Where something is about to be done. */
export interface Whereabouts {
  /** The load balancer on which it is done, and that is to serve: of one of people, nothing else tells later where to look. */
  readonly use?: Place;
  /** One of people that is known to have served before, by its record alone. */
  readonly former?: LoadBalancerId;
  /** The one on which it is done beside what serves, or is to. */
  readonly beside?: Place;
}

/**
 * Where something of this very Service may be from before it came to a place, in the order of use. What was recorded and is not said to be
 * people's may be its own, and so may what was to be created. Without a place: wherever something of it may be.
 */
export function usedBefore({ uses, intent, loadBalancerId: recorded }: Recorded, place?: Place): readonly Place[] {
  const isOnPeoples = recorded === undefined || recorded === place || uses.includes(recorded);
  const mayHaveOwn = place !== OWN && !uses.includes(OWN) && (intent !== undefined || !isOnPeoples);
  const others = uses.filter((other) => other !== place);
  return mayHaveOwn ? [OWN, ...others] : others;
}

/** Where something of the Service may be once something is begun, in the order of use; absent where that is told. */
export function placesAfter(marks: Recorded, { use, former, beside }: Whereabouts): readonly Place[] | undefined {
  if (use === undefined)
    return beside === undefined || marks.uses.includes(beside) ? undefined : [beside, ...marks.uses];
  const uses = former === undefined ? marks.uses : [...marks.uses, former];
  return [...usedBefore({ ...marks, uses }, use), use];
}
