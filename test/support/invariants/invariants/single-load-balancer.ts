import type { Invariant } from '../moment.ts';
import { isOurs } from '../ownership.ts';

/** A second load balancer costs money, and no one finds it. */
export const singleLoadBalancer: Invariant = {
  name: 'SingleLoadBalancer',
  statement: 'at most one load balancer exists per Service with its owner tag',
  check: (history, { evaluated }) =>
    history.flatMap((moment, at) => {
      if (moment.kind !== 'ended' || !isOurs(moment.call)) return [];
      const { siblings } = moment;
      if (siblings === undefined) return [];
      evaluated();
      return siblings.length > 1 ? [{ at, found: `${siblings.join(' and ')} have the same owner tag` }] : [];
    }),
};
