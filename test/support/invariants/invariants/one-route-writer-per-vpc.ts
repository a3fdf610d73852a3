import type { Invariant } from '../moment.ts';
import { overlaps } from '../overlap.ts';

/** The cloud rejects overlapping changes of the routes of a VPC, and the calls would count against the rate limit. */
export const oneRouteWriterPerVPC: Invariant = {
  name: 'OneRouteWriterPerVPC',
  statement: 'no two changes of routes in the same VPC overlap in time',
  check: (history, { evaluated }) => overlaps(history, evaluated, ({ action }) => action.includes('RouteEntr')),
};
