import type { Invariant } from '../moment.ts';
import { isOurs } from '../ownership.ts';

export const singleLB: Invariant = {
  name: 'SingleLB',
  says: 'for each Service at most one load balancer ever exists that carries its owner tag',
  check: (history, { judged }) =>
    history.flatMap((moment, at) => {
      if (moment.kind !== 'ended' || !isOurs(moment.call)) return [];
      const { siblings } = moment;
      if (siblings === undefined) return [];
      judged();
      return siblings.length > 1 ? [{ at, found: `${siblings.join(' and ')} carry the same owner tag` }] : [];
    }),
};
