import assert from 'node:assert/strict';
import { provenTables, type TableEvidence } from '../../../src/route/proven-route-tables.ts';
import type { RouteEntry } from '../../../src/route/route.ts';

const to = (instanceId?: string): RouteEntry => ({
  ...{ tableId: 'vtb-1', id: 'rte-1', destination: '172.20.1.0/24', status: 'Available', description: '' },
  ...(instanceId === undefined ? {} : { instanceId }),
});
const OURS = new Set(['i-a']);
const proven = (
  first: RouteEntry,
  { tablesVerified, vpcProvenOurs }: Omit<TableEvidence, 'instances'>,
): readonly string[] => [
  ...provenTables(
    new Map([
      ['vtb-1', [first]],
      ['vtb-2', []],
    ]),
    { instances: OURS, tablesVerified, vpcProvenOurs },
  ),
];

/** Routes are changed only in tables that provably belong to this cluster. */
describe('route tables', () => {
  const cases: Record<string, [actual: readonly string[], expected: readonly string[]]> = {
    'are of unknown ownership while none has a route to a Node': [
      proven(to('i-x'), { tablesVerified: true, vpcProvenOurs: false }),
      [],
    ],
    'are of unknown ownership with a route to another kind of next hop': [
      proven(to(), { tablesVerified: true, vpcProvenOurs: false }),
      [],
    ],
    'of a VPC all belong to the cluster if any has a route to a Node': [
      proven(to('i-a'), { tablesVerified: true, vpcProvenOurs: false }),
      ['vtb-1', 'vtb-2'],
    ],
    'of the VPC of a Node all belong to the cluster': [
      proven(to('i-x'), { tablesVerified: true, vpcProvenOurs: true }),
      ['vtb-1', 'vtb-2'],
    ],
    'of an unknown VPC belong to the cluster only with a route to a Node': [
      proven(to('i-a'), { tablesVerified: false, vpcProvenOurs: true }),
      ['vtb-1'],
    ],
  };
  for (const [title, [actual, expected]] of Object.entries(cases)) it(title, () => assert.deepEqual(actual, expected));
});
