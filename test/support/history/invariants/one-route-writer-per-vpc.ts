import type { Invariant } from '../moment.ts';
import { overlaps } from '../overlap.ts';

export const oneRouteWriterPerVPC: Invariant = {
  name: 'OneRouteWriterPerVPC',
  says: 'no two changes of routes in one VPC overlap in time',
  check: (history) => overlaps(history, ({ action }) => action.includes('RouteEntr')),
};
