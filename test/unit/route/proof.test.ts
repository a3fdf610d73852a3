import assert from 'node:assert/strict';
import { provenTables, type TableEvidence } from '../../../src/route/proof.ts';
import type { RouteEntry } from '../../../src/route/route.ts';

const to = (instanceId?: string): RouteEntry => ({
  ...{ tableId: 'vtb-1', id: 'rte-1', destination: '172.20.1.0/24', status: 'Available', description: '' },
  ...(instanceId === undefined ? {} : { instanceId }),
});
const OURS = new Set(['i-a']);
const proven = (first: RouteEntry, { isOfVpc, isOwnVpc }: Omit<TableEvidence, 'instances'>): readonly string[] => [
  ...provenTables(
    new Map([
      ['vtb-1', [first]],
      ['vtb-2', []],
    ]),
    { instances: OURS, isOfVpc, isOwnVpc },
  ),
];

describe('tables', () => {
  const cases: Record<string, [actual: readonly string[], expected: readonly string[]]> = {
    'are nobody’s that is known while none leads to a Node': [
      proven(to('i-x'), { isOfVpc: true, isOwnVpc: false }),
      [],
    ],
    'are nobody’s that is known where one leads to no instance': [proven(to(), { isOfVpc: true, isOwnVpc: false }), []],
    'of one VPC are all the cluster’s as soon as one leads to a Node': [
      proven(to('i-a'), { isOfVpc: true, isOwnVpc: false }),
      ['vtb-1', 'vtb-2'],
    ],
    'of the VPC of a Node are all the cluster’s': [
      proven(to('i-x'), { isOfVpc: true, isOwnVpc: true }),
      ['vtb-1', 'vtb-2'],
    ],
    'of nobody knows which VPC are the cluster’s only where they lead to a Node': [
      proven(to('i-a'), { isOfVpc: false, isOwnVpc: true }),
      ['vtb-1'],
    ],
  };
  for (const [sentence, [actual, expected]] of Object.entries(cases))
    it(sentence, () => assert.deepEqual(actual, expected));
});
