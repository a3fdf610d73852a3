import type { Invariant } from '../moment.ts';
import { overlaps } from '../overlap.ts';

/** The cloud rejects overlapping changes of a load balancer, and the calls would count against the rate limit. */
export const oneWriterPerLB: Invariant = {
  name: 'OneWriterPerLB',
  statement: 'no two changing calls for the same load balancer overlap in time',
  check: (history, { evaluated }) =>
    overlaps(history, evaluated, ({ product, action }) => product === 'Slb' && action !== 'CreateLoadBalancer'),
};
