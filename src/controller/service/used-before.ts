import type { Beginning, Marks } from './marks.ts';
import { OWN, type Place } from './places.ts';

type Recorded = Pick<Marks, 'uses' | 'intent' | 'loadBalancerId'>;

/**
 * Where something of this very Service may be from before it came to a place, in the order of use. What was recorded and is not said to be
 * people's may be its own, and so may what was to be created.
 */
export function usedBefore({ uses, intent, loadBalancerId: recorded }: Recorded, place: Place): readonly Place[] {
  const isOnPeoples = recorded === undefined || recorded === place || uses.includes(recorded);
  const mayHaveOwn = place !== OWN && !uses.includes(OWN) && (intent !== undefined || !isOnPeoples);
  const others = uses.filter((other) => other !== place);
  return mayHaveOwn ? [OWN, ...others] : others;
}

/** Where something of the Service may be once something is begun, in the order of use; absent where that is told. */
export function placesAfter(
  marks: Recorded,
  { use, former, beside }: Pick<Beginning, 'use' | 'former' | 'beside'>,
): readonly Place[] | undefined {
  if (use === undefined)
    return beside === undefined || marks.uses.includes(beside) ? undefined : [beside, ...marks.uses];
  const uses = former === undefined ? marks.uses : [...marks.uses, former];
  return [...usedBefore({ ...marks, uses }, use), use];
}
