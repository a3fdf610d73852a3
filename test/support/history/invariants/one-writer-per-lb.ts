import type { Invariant } from '../moment.ts';
import { overlaps } from '../overlap.ts';

export const oneWriterPerLB: Invariant = {
  name: 'OneWriterPerLB',
  says: 'no two changing calls for the same load balancer overlap in time',
  check: (history, { judged }) =>
    overlaps(history, judged, ({ product, action }) => product === 'Slb' && action !== 'CreateLoadBalancer'),
};
