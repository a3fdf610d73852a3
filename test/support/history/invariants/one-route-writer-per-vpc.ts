import type { Invariant } from '../moment.ts';
import { overlaps } from '../overlap.ts';

export const oneRouteWriterPerVPC: Invariant = {
  name: 'OneRouteWriterPerVPC',
  statement: 'no two changes of routes in the same VPC overlap in time',
  check: (history, { evaluated }) => overlaps(history, evaluated, ({ action }) => action.includes('RouteEntr')),
};
