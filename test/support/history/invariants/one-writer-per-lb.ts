import type { Invariant } from '../moment.ts';
import { overlaps } from '../overlap.ts';

export const oneWriterPerLB: Invariant = {
  name: 'OneWriterPerLB',
  statement: 'no two changing calls for the same load balancer overlap in time',
  check: (history, { evaluated }) =>
    overlaps(history, evaluated, ({ product, action }) => product === 'Slb' && action !== 'CreateLoadBalancer'),
};
