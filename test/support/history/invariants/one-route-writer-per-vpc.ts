import type { Invariant } from '../moment.ts';
import { overlaps } from '../overlap.ts';

export const oneRouteWriterPerVPC: Invariant = {
  name: 'OneRouteWriterPerVPC',
  says: 'no two changes of routes in the same VPC overlap in time',
  check: (history, { judged }) => overlaps(history, judged, ({ action }) => action.includes('RouteEntr')),
};
