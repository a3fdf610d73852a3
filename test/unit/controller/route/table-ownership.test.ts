import assert from 'node:assert/strict';
import type { SeedInput } from '../../../../src/local/simulator/seed.ts';
import { conditionStatus, counted, nodeBench, podRange, registered } from '../../../support/node-fixture.ts';
import { aNetwork } from '../../../support/simulator.ts';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;

type Bench = ReturnType<typeof nodeBench>;
type Entries = NonNullable<NonNullable<SeedInput['routeTables']>[number]['entries']>;

const withRange = (index: number): object => registered(index, { podCIDR: podRange(index) });
const destinations = (bench: Bench, table = 'vtb-1'): readonly string[] =>
  [...(bench.simulator.world.routeTables.get(table)?.entries.values() ?? [])]
    .map(({ destination, nextHopId }) => `${destination} ${nextHopId}`)
    .sort();
const written = (entries: Entries): readonly string[] =>
  entries.map(({ destination, nextHopId }) => `${destination} ${nextHopId}`).sort();

/** Returns the VPC of the cloud-config, which another cluster uses, and the VPC of this cluster's only instance. */
const twoVpcs = (ofVpc1: Entries, ofVpc9: Entries = []): SeedInput => ({
  ...aNetwork(1),
  vpcs: [
    { id: 'vpc-1', cidrBlock: '10.0.0.0/8' },
    { id: 'vpc-9', cidrBlock: '192.168.0.0/16' },
  ],
  vSwitches: [
    { id: 'vsw-1', vpcId: 'vpc-1', cidrBlock: '10.1.0.0/16' },
    { id: 'vsw-9', vpcId: 'vpc-9', cidrBlock: '192.168.1.0/24' },
  ],
  instances: [
    { id: 'i-1', vSwitchId: 'vsw-1', privateAddresses: ['10.1.0.11'] },
    { id: 'i-9', vSwitchId: 'vsw-9', privateAddresses: ['192.168.1.9'] },
  ],
  routeTables: [
    { id: 'vtb-1', vpcId: 'vpc-1', entries: ofVpc1 },
    { id: 'vtb-9', vpcId: 'vpc-9', entries: ofVpc9 },
  ],
});

const LISTING_DENIED = {
  ...{ action: 'DescribeRouteTableList', effect: 'reject', code: 'Forbidden.RAM', status: 403 },
  count: 'forever',
} as const;

/** A wrong route table belongs to another cluster, and a deletion would cut off its pods. */
describe('a route table without proof that this cluster uses it', () => {
  const others: Entries = [
    { destination: podRange(36), nextHopId: 'i-1' },
    { destination: podRange(9), nextHopId: 'i-1' },
  ];

  for (const controllers of [['node', 'route'], ['route']] as const)
    it(`keeps its entries if the cloud-config names another VPC (${controllers.join(' and ')})`, async () => {
      await using bench = nodeBench({ world: twoVpcs(others), tableIds: [], controllers });
      bench.put(withRange(9));
      bench.start();
      await bench.clock.advance(30 * MINUTE);
      assert.deepEqual(destinations(bench), written(others));
      const reported = bench
        .eventTexts()
        .filter((line) => line.includes('nothing proves that route table vtb-1 belongs'));
      assert.ok(reported.length > 0 && reported.length <= 3, reported.join('\n'));
      assert.match(reported[0] ?? '', /^ccm SyncRouteFailed: .*check Global.vpcid/);
      // Limits the number of repeated reads.
      assert.ok((counted(bench.calls())['DescribeInstances'] ?? 0) <= 15);
    });

  it('is reported once for all Nodes if its VPC has none of them', async () => {
    const { instances = [], ...world } = twoVpcs(others);
    const tenth = { id: 'i-10', vSwitchId: 'vsw-9', privateAddresses: ['192.168.1.10'] };
    await using bench = nodeBench({ world: { ...world, instances: [...instances, tenth] }, tableIds: [] });
    for (const index of [9, 10]) bench.put(withRange(index));
    bench.start();
    await bench.clock.advance(5 * MINUTE);
    assert.deepEqual(destinations(bench), written(others));
    const reported = bench.eventTexts().filter((line) => line.startsWith('ccm '));
    assert.equal(reported.length, 1, reported.join('\n'));
  });

  it('keeps the descriptions of its entries if a Node is excluded', async () => {
    await using bench = nodeBench({ world: twoVpcs(others), tableIds: [] });
    const excluded = withRange(9) as { readonly metadata: object };
    const labels = { 'service.alibabacloud.com/exclude-node': '' };
    bench.put({ ...excluded, metadata: { ...excluded.metadata, labels } });
    bench.start();
    await bench.clock.advance(10 * MINUTE);
    assert.equal(counted(bench.calls())['ModifyRouteEntry'], undefined);
  });

  it('keeps its entries if its VPC cannot be read, which is reported', async () => {
    const foreign: Entries = [{ destination: podRange(36), nextHopId: 'i-9' }];
    await using bench = nodeBench({ world: twoVpcs([], foreign), tableIds: ['vtb-1', 'vtb-9'] });
    bench.simulator.faults([LISTING_DENIED]);
    bench.put(withRange(1));
    bench.start();
    await bench.clock.advance(5 * MINUTE);
    assert.deepEqual(destinations(bench, 'vtb-9'), written(foreign));
    assert.deepEqual(destinations(bench), [`${podRange(1)} i-1`]);
    const reported = bench.eventTexts().filter((line) => line.startsWith('ccm CloudPermissionDenied'));
    assert.equal(reported.length, 1);
    assert.match(reported[0] ?? '', /permission vpc:DescribeRouteTableList is missing.*route table vtb-9/);
  });

  it('keeps its entries while the request for instances fails, and loses stale routes afterwards', async () => {
    const stale: Entries = [{ destination: podRange(7), nextHopId: 'i-3' }];
    await using bench = nodeBench({
      controllers: ['route'],
      world: { routeTables: [{ id: 'vtb-1', vpcId: 'vpc-1', entries: stale }] },
      cloudSettings: { routesPerTable: 1 },
    });
    bench.simulator.faults([
      { action: 'DescribeInstances', effect: 'reject', code: 'ServiceUnavailable', status: 503, count: 3 },
    ]);
    bench.put(withRange(1));
    bench.start();
    await bench.clock.advance(10 * SECOND);
    assert.deepEqual(destinations(bench), written(stale));
    await bench.clock.advance(MINUTE);
    assert.deepEqual(destinations(bench), [`${podRange(1)} i-1`]);
  });
});

describe('a route table of this cluster', () => {
  it('loses its stale routes although it is full of them and has no route to a Node', async () => {
    const stale = [7, 8].map((index) => ({ destination: podRange(index), nextHopId: 'i-3' }));
    await using bench = nodeBench({
      controllers: ['route'],
      world: { routeTables: [{ id: 'vtb-1', vpcId: 'vpc-1', entries: stale }] },
      cloudSettings: { routesPerTable: 2 },
    });
    bench.put(withRange(1));
    bench.start();
    await bench.clock.advance(30 * SECOND);
    assert.deepEqual(destinations(bench), [`${podRange(1)} i-1`]);
    assert.equal(conditionStatus(bench.node('n1'), 'NetworkUnavailable'), 'False');
    assert.equal(counted(bench.calls())['DescribeInstances'], 1);
  });

  it('loses its stale routes although its VPC cannot be read, when it has a route to a Node', async () => {
    const stale: Entries = [{ destination: podRange(7), nextHopId: 'i-3' }];
    await using bench = nodeBench({ world: { routeTables: [{ id: 'vtb-1', vpcId: 'vpc-1', entries: stale }] } });
    bench.simulator.faults([LISTING_DENIED]);
    bench.put(withRange(1));
    bench.start();
    await bench.clock.advance(30 * SECOND);
    assert.deepEqual(destinations(bench), [`${podRange(1)} i-1`]);
    assert.doesNotMatch(bench.eventTexts().join('\n'), /CloudPermissionDenied/);
  });

  it('is recognized without a call if it has a route to a Node', async () => {
    const entries: Entries = [
      { destination: podRange(1), nextHopId: 'i-1' },
      { destination: podRange(7), nextHopId: 'i-3' },
    ];
    await using bench = nodeBench({
      controllers: ['route'],
      world: { routeTables: [{ id: 'vtb-1', vpcId: 'vpc-1', entries }] },
    });
    bench.put(withRange(1));
    bench.start();
    await bench.clock.advance(MINUTE);
    assert.deepEqual(destinations(bench), [`${podRange(1)} i-1`]);
    assert.equal(counted(bench.calls())['DescribeInstances'], undefined);
  });
});
