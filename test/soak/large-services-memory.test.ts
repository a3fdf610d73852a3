import type { LargeKind } from '../support/large-services/kinds.ts';
import { assertFits } from '../support/large-services/memory.ts';
import type { ListForm } from '../support/large-services/server.ts';

/** The fields that make a Service large, and the way in which a cache lists the Services. */
const ROWS: readonly (readonly [LargeKind, ListForm])[] = [
  ['an annotation', 'pages'],
  ['an annotation', 'streaming lists'],
  ['finalizers', 'pages'],
  ['labels', 'streaming lists'],
  ['ports', 'streaming lists'],
  ['a status', 'pages'],
  ['large fields of every kind', 'streaming lists'],
];

/**
 * Tenants can create very large Services, and choose which field is large. If the caches exceeded the memory limits, Kubernetes would kill the process.
 */
describe('5,000 large Services', function () {
  this.timeout(300_000);

  for (const [kind, form] of ROWS) {
    it(`with ${kind} fit into the shipped memory limits, when read by ${form}`, () => assertFits(kind, form));
  }
});
