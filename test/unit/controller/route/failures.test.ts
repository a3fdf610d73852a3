import assert from 'node:assert/strict';
import { NODES, objectKey, type Node } from '../../../../src/base/kubernetes-objects.ts';
import {
  conditionStatus,
  counted,
  nodeBench,
  podRange,
  registered,
  UNINITIALIZED,
} from '../../../support/node-fixture.ts';
import { aCall, aNetwork } from '../../../support/simulator.ts';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;

type Bench = ReturnType<typeof nodeBench>;

const withRange = (index: number, podCIDR = podRange(index)): object => registered(index, { podCIDR });
const destinations = (bench: Bench): string[] =>
  [...(bench.simulator.world.routeTables.get('vtb-1')?.entries.values() ?? [])]
    .map(({ destination, nextHopId }) => `${destination} ${nextHopId}`)
    .sort();
const all = (...indexes: number[]): string[] => indexes.map((index) => `${podRange(index)} i-${index}`).sort();

/** One rejected route must not stop the routes of other Nodes. */
describe('routes after a failure', () => {
  it('are created for all other Nodes if the cloud rejects the route of one Node', async () => {
    const { vSwitches = [] } = aNetwork();
    const local = { id: 'vsw-9', vpcId: 'vpc-1', cidrBlock: '172.20.9.0/24', zoneId: 'cn-hangzhou-a' };
    await using bench = nodeBench({ instances: 8, world: { vSwitches: [...vSwitches, local] } });
    for (const index of [1, 2, 4, 5, 6, 7, 8]) bench.put(withRange(index));
    bench.put(withRange(3, '172.20.9.0/26'));
    bench.start();
    await bench.clock.advance(MINUTE);
    assert.deepEqual(destinations(bench), all(1, 2, 4, 5, 6, 7, 8));
    assert.equal(conditionStatus(bench.node('n8'), 'NetworkUnavailable'), 'False');
    assert.equal(conditionStatus(bench.node('n3'), 'NetworkUnavailable'), 'True');
    assert.match(bench.eventTexts().join('\n'), /n3 CreateRouteFailed: 172.20.9.0\/26: .*lies in the vSwitch vsw-9/);
  });

  it('are reported as impossible for an instance in another VPC, and created for all other Nodes', async () => {
    const world = aNetwork(2);
    await using bench = nodeBench({
      world: {
        ...world,
        vpcs: [...(world.vpcs ?? []), { id: 'vpc-2', cidrBlock: '10.0.0.0/8' }],
        vSwitches: [...(world.vSwitches ?? []), { id: 'vsw-2', vpcId: 'vpc-2', cidrBlock: '10.2.0.0/16' }],
        instances: [...(world.instances ?? []), { id: 'i-3', vSwitchId: 'vsw-2', privateAddresses: ['10.2.0.3'] }],
      },
    });
    for (const index of [1, 2, 3]) bench.put(withRange(index));
    bench.start();
    await bench.clock.advance(MINUTE);
    assert.deepEqual(destinations(bench), all(1, 2));
    assert.match(bench.eventTexts().join('\n'), /n3 CreateRouteFailed: .*i-3 does not exist in the VPC vpc-1/);
  });

  it('to a missing instance are retried rarely, and created after the Node is initialized', async () => {
    await using bench = nodeBench({ world: aNetwork(2) });
    bench.put(withRange(1));
    bench.put(withRange(3));
    bench.start();
    await bench.clock.advance(4 * MINUTE);
    const tries = bench.calls().filter((action) => action === 'CreateRouteEntries').length;
    // One attempt is in the batch that creates the route of n1, and one follows alone.
    assert.equal(tries, 2);
    assert.match(bench.eventTexts().join('\n'), /n3 CreateRouteFailed: .*check Global.vpcid in the cloud-config file/);
    bench.simulator.seed({
      instances: [{ id: 'i-3', vSwitchId: 'vsw-1', privateAddresses: ['10.1.0.13'] }],
    });
    while (bench.node('n3')?.spec?.taints?.some(({ key }) => key === UNINITIALIZED) === true)
      await bench.clock.advance(SECOND);
    await bench.clock.advance(5 * SECOND);
    assert.equal(conditionStatus(bench.node('n3'), 'NetworkUnavailable'), 'False');
  });

  it('are created in the existing table if another configured table does not exist', async () => {
    await using bench = nodeBench({ tableIds: ['vtb-9', 'vtb-1'] });
    bench.put(withRange(1));
    bench.start();
    await bench.clock.advance(MINUTE);
    assert.deepEqual(destinations(bench), all(1));
    assert.equal(conditionStatus(bench.node('n1'), 'NetworkUnavailable'), 'True');
    assert.match(
      bench.eventTexts().join('\n'),
      /ccm SyncRouteFailed: Failed to read route table vtb-9: VPC vpc-1 has no such route table \(its tables: vtb-1/,
    );
  });

  it('are created within seconds in a table that the first list of tables omitted', async () => {
    await using bench = nodeBench();
    const body = JSON.stringify({ RequestId: 'r', RouterTableList: { RouterTableListType: [] }, TotalCount: 0 });
    bench.simulator.faults([{ action: 'DescribeRouteTableList', effect: 'malformed-body', body, count: 1 }]);
    bench.put(withRange(1));
    bench.start();
    await bench.clock.advance(20 * SECOND);
    assert.deepEqual(destinations(bench), all(1));
  });

  it('wait for a configured table if several tables are possible', async () => {
    const routeTables = [
      { id: 'vtb-1', vpcId: 'vpc-1' },
      { id: 'vtb-2', vpcId: 'vpc-1', type: 'Custom' as const },
    ];
    await using bench = nodeBench({ tableIds: [], world: { routeTables } });
    bench.put(withRange(1));
    bench.start();
    await bench.clock.advance(MINUTE);
    assert.match(bench.eventTexts().join('\n'), /ccm SyncRouteFailed: VPC vpc-1 has 2 route tables, .*routeTableIDs/);
    assert.deepEqual(destinations(bench), []);
    assert.ok((counted(bench.calls())['DescribeRouteTableList'] ?? 0) <= 3);
  });

  it('without permission are reported on the Nodes, and created when the permission exists', async () => {
    await using bench = nodeBench();
    bench.simulator.faults([{ action: 'CreateRouteEntries', effect: 'reject', code: 'Forbidden.RAM', count: 3 }]);
    bench.put(withRange(1));
    bench.start();
    await bench.clock.advance(5 * SECOND);
    const message = bench.node('n1')?.status?.conditions?.find(({ type }) => type === 'NetworkUnavailable')?.message;
    assert.match(
      message ?? '',
      /permission vpc:CreateRouteEntries is missing; grant the permission to the RAM user or role/,
    );
    assert.match(bench.eventTexts().join('\n'), /ccm CloudPermissionDenied: .*vpc:CreateRouteEntries/);
    await bench.clock.advance(2 * MINUTE);
    assert.deepEqual(destinations(bench), all(1));
    assert.equal(conditionStatus(bench.node('n1'), 'NetworkUnavailable'), 'False');
  });

  it('are not created if tables cannot be listed, and the missing permission is reported', async () => {
    await using bench = nodeBench({ tableIds: [] });
    bench.simulator.faults([
      { action: 'DescribeRouteTableList', effect: 'reject', code: 'Forbidden.RAM', count: 'forever' },
    ]);
    bench.put(withRange(1));
    bench.start();
    await bench.clock.advance(MINUTE);
    const reported = bench.eventTexts().filter((line) => line.startsWith('ccm CloudPermissionDenied'));
    assert.equal(reported.length, 1);
    assert.match(reported[0] ?? '', /permission vpc:DescribeRouteTableList is missing/);
  });

  it('are created although stale routes cannot be deleted, which is reported', async () => {
    const stale = { destination: podRange(7), nextHopId: 'i-3' };
    await using bench = nodeBench({ world: { routeTables: [{ id: 'vtb-1', vpcId: 'vpc-1', entries: [stale] }] } });
    bench.simulator.faults([{ action: 'DeleteRouteEntries', effect: 'reject', code: 'Forbidden.RAM', count: 99 }]);
    bench.put(withRange(1));
    bench.start();
    await bench.clock.advance(MINUTE);
    assert.deepEqual(destinations(bench), [...all(1), `${podRange(7)} i-3`].sort());
    assert.match(bench.eventTexts().join('\n'), /ccm CloudPermissionDenied: .*vpc:DeleteRouteEntries/);
  });

  it('that another client creates to a wrong instance meanwhile are corrected within seconds', async () => {
    await using bench = nodeBench();
    bench.put(withRange(1));
    let made = false;
    bench.start({
      onCall: async (action, when) => {
        if (made || action !== 'CreateRouteEntries' || when === 'after') return;
        made = true;
        const entry = { RouteTableId: 'vtb-1', DestinationCidrBlock: podRange(1), NextHopType: 'Instance' };
        await bench.simulator.execute(
          aCall('CreateRouteEntry', { ...entry, NextHopId: 'i-3' }, 'Vpc'),
          new AbortController().signal,
        );
      },
    });
    await bench.clock.advance(20 * SECOND);
    assert.deepEqual(destinations(bench), all(1));
    assert.equal(conditionStatus(bench.node('n1'), 'NetworkUnavailable'), 'False');
  });

  it('that are temporarily missing in a list cause no unavailable Node', async () => {
    await using bench = nodeBench();
    for (const index of [1, 2, 3]) bench.put(withRange(index));
    const first = bench.start();
    await bench.clock.advance(MINUTE);
    first.kill();
    const statuses = new Set<string | undefined>();
    bench.kubernetes.connect().nodes.onChange(({ after }) => {
      statuses.add(conditionStatus(after, 'NetworkUnavailable'));
    });
    const body = JSON.stringify({ RequestId: 'r', RouteEntrys: { RouteEntry: [] }, NextToken: '' });
    bench.simulator.faults([{ action: 'DescribeRouteEntryList', effect: 'malformed-body', body, count: 3 }]);
    bench.start();
    await bench.clock.advance(5 * MINUTE);
    assert.ok(!statuses.has('True'));
    assert.deepEqual(destinations(bench), all(1, 2, 3));
  });

  it('of a Node without a pod range are reported as missing only after half a minute', async () => {
    await using bench = nodeBench();
    bench.start();
    await bench.clock.advance(MINUTE);
    const node = registered(1) as Node;
    const creationTimestamp = new Date(bench.clock.now()).toISOString();
    bench.put({ ...node, metadata: { ...node.metadata, creationTimestamp } });
    await bench.clock.advance(10 * SECOND);
    assert.doesNotMatch(bench.eventTexts().join('\n'), /CreateRouteFailed/);
    await bench.clock.advance(MINUTE);
    assert.match(
      bench.eventTexts().join('\n'),
      /n1 CreateRouteFailed: .*has no range of pods; start kube-controller-manager/,
    );
    const message = bench.node('n1')?.status?.conditions?.find(({ type }) => type === 'NetworkUnavailable')?.message;
    assert.match(message ?? '', /has no range of pods; start kube-controller-manager/);
    bench.kubernetes.patch(NODES, objectKey('n1'), { spec: { podCIDR: podRange(1), podCIDRs: [podRange(1)] } });
    await bench.clock.advance(3 * SECOND);
    assert.equal(conditionStatus(bench.node('n1'), 'NetworkUnavailable'), 'False');
  });

  it('of many Nodes with the same error are reported once per Node over all retries', async () => {
    await using bench = nodeBench({ controllers: ['route'] });
    for (let index = 1; index <= 50; index += 1) bench.put(withRange(index, `192.168.${index}.0/24`));
    bench.start();
    for (let turn = 0; turn < 20; turn += 1) {
      await bench.clock.advance(SECOND);
      bench.put(registered(100 + turn));
    }
    const reported = bench.kubernetes.events.filter(({ reason }) => reason === 'CreateRouteFailed');
    assert.equal(reported.filter(({ message }) => message.includes('outside')).length, 50);
  });

  it('that a user created in the same table are never changed', async () => {
    const entries = [
      { destination: '0.0.0.0/0', nextHopId: 'i-3' },
      { destination: '192.168.0.0/24', nextHopId: 'i-3' },
      { destination: '172.20.0.0/16', nextHopId: 'i-3' },
    ];
    await using bench = nodeBench({ world: { routeTables: [{ id: 'vtb-1', vpcId: 'vpc-1', entries }] } });
    bench.put(withRange(1));
    bench.start();
    await bench.clock.advance(MINUTE);
    assert.equal(destinations(bench).length, 4);
  });
});
