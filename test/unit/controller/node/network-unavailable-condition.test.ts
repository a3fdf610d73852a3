import assert from 'node:assert/strict';
import { NODES, objectKey, type Node } from '../../../../src/base/kubernetes-objects.ts';
import { conditionStatus, nodeBench, podRange, registered, startedNodeBench } from '../../../support/node-fixture.ts';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;

type Bench = ReturnType<typeof nodeBench>;

const keys = (node: Node | undefined): string[] => (node?.spec?.taints ?? []).map(({ key }) => key);
const withRange = (index: number, providerID = `cn-hangzhou.i-${index}`): object =>
  registered(index, { providerID, podCIDR: podRange(index) });
const networkMessage = (bench: Bench, name: string): string | undefined =>
  bench.node(name)?.status?.conditions?.find(({ type }) => type === 'NetworkUnavailable')?.message;
const warnings = (bench: Bench): string[] =>
  bench.kubernetes.events
    .filter(({ type }) => type === 'Warning')
    .map(({ target, reason, message }) => `${target.name} ${reason}: ${message}`);
const forbid = (bench: Bench, action: string): void =>
  bench.simulator.faults([{ action, effect: 'reject', code: 'Forbidden.RAM', status: 403, count: 'forever' }]);

/** Pods on a Node without a route are unreachable, so the condition must stay until the route exists. */
describe('a Node with an available network according to its network plugin', () => {
  const setPluginStatus = (bench: Bench, name: string, status: string): void => {
    const others = (bench.node(name)?.status?.conditions ?? []).filter(({ type }) => type !== 'NetworkUnavailable');
    const condition = { type: 'NetworkUnavailable', status, reason: 'FlannelIsUp', message: 'Flannel is running' };
    bench.kubernetes.patch(NODES, objectKey(name), { status: { conditions: [...others, condition] } });
  };

  it('waits for its route nevertheless', async () => {
    await using bench = nodeBench();
    forbid(bench, 'CreateRouteEntries');
    bench.put(withRange(1));
    setPluginStatus(bench, 'n1', 'False');
    bench.start();
    await bench.clock.advance(10 * SECOND);
    assert.deepEqual(keys(bench.node('n1')), ['node.kubernetes.io/network-unavailable']);
    assert.equal(conditionStatus(bench.node('n1'), 'NetworkUnavailable'), 'True');
    bench.simulator.clearFaults();
    await bench.clock.advance(MINUTE);
    assert.equal(networkMessage(bench, 'n1'), `The routes to ${podRange(1)} are available`);
  });

  it('waits again if the plugin reports availability before the route exists', async () => {
    await using bench = nodeBench();
    forbid(bench, 'CreateRouteEntries');
    bench.put(withRange(1));
    bench.start();
    await bench.clock.advance(10 * SECOND);
    setPluginStatus(bench, 'n1', 'False');
    await bench.clock.advance(10 * SECOND);
    assert.equal(conditionStatus(bench.node('n1'), 'NetworkUnavailable'), 'True');
  });

  it('is reported as routed when the route exists', async () => {
    await using bench = await startedNodeBench({}, [withRange(1)]);
    await bench.clock.advance(10 * SECOND);
    setPluginStatus(bench, 'n1', 'False');
    await bench.clock.advance(10 * SECOND);
    assert.equal(networkMessage(bench, 'n1'), `The routes to ${podRange(1)} are available`);
  });
});

describe('a Node without a route has the reason in its condition', () => {
  it('if its range overlaps a vSwitch', async () => {
    await using bench = nodeBench();
    bench.simulator.seed({ vSwitches: [{ id: 'vsw-9', vpcId: 'vpc-1', cidrBlock: '172.20.9.0/24' }] });
    bench.put(registered(1, { podCIDR: '172.20.9.0/26' }));
    bench.start();
    await bench.clock.advance(MINUTE);
    assert.match(
      networkMessage(bench, 'n1') ?? '',
      /^A route to 172.20.9.0\/26 is missing: CreateRouteEntries: .*lies in the vSwitch vsw-9 \(InvalidCidrBlock\); a range of pods must not overlap a vSwitch/,
    );
  });

  it('if the table is full, with the same text for any number of entries', async () => {
    await using bench = await startedNodeBench({ cloudSettings: { routesPerTable: 1 } }, [withRange(1), withRange(2)]);
    await bench.clock.advance(MINUTE);
    assert.equal(
      networkMessage(bench, 'n2'),
      `A route to ${podRange(2)} is missing: the quota of entries leaves no room for route ${podRange(2)}; raise the quota vpc_quota_route_entrys_num, or delete entries that you do not need`,
    );
  });

  it('if its range equals the range of the cluster, which has another next hop', async () => {
    const entries = [{ destination: '172.20.0.0/16', nextHopId: 'i-3' }];
    await using bench = await startedNodeBench({ world: { routeTables: [{ id: 'vtb-1', vpcId: 'vpc-1', entries }] } }, [
      registered(1, { podCIDR: '172.20.0.0/16' }),
    ]);
    await bench.clock.advance(MINUTE);
    assert.match(
      networkMessage(bench, 'n1') ?? '',
      /is missing: route table vtb-1 sends 172.20.0.0\/16 to i-3; .*delete the entry/,
    );
    assert.match(warnings(bench).join('\n'), /^n1 RouteConflict: route table vtb-1 sends/);
  });

  it('if its range is outside the range of the cluster', async () => {
    await using bench = await startedNodeBench({}, [registered(1, { podCIDR: '10.99.0.0/24' })]);
    await bench.clock.advance(MINUTE);
    assert.match(
      networkMessage(bench, 'n1') ?? '',
      /is missing: the pod range 10.99.0.0\/24 is outside .*--cluster-cidr/,
    );
  });

  it('if the VPC has several tables and none is configured', async () => {
    const routeTables = (['System', 'Custom'] as const).map((type, index) => ({
      id: `vtb-${index + 1}`,
      vpcId: 'vpc-1',
      type,
    }));
    await using bench = await startedNodeBench({ tableIds: [], world: { routeTables } }, [withRange(1)]);
    await bench.clock.advance(6 * MINUTE);
    assert.match(networkMessage(bench, 'n1') ?? '', /is missing: VPC vpc-1 has 2 route tables, .*Global.routeTableIDs/);
  });

  it('if a configured table does not exist', async () => {
    await using bench = await startedNodeBench({ tableIds: ['vtb-9', 'vtb-1'] }, [withRange(1)]);
    await bench.clock.advance(MINUTE);
    assert.match(
      networkMessage(bench, 'n1') ?? '',
      /is missing: failed to read route table vtb-9: VPC vpc-1 has no such route table/,
    );
  });

  it('and keeps the transition time of the condition while it waits', async () => {
    await using bench = nodeBench();
    bench.start();
    bench.put(registered(1, { podCIDR: '10.99.0.0/24' }));
    const since = (): string | undefined =>
      bench.node('n1')?.status?.conditions?.find(({ type }) => type === 'NetworkUnavailable')?.lastTransitionTime;
    const seen = new Set<string | undefined>();
    for (let second = 0; second < 20; second += 1) {
      await bench.clock.advance(SECOND);
      seen.add(since());
    }
    seen.delete(undefined);
    const writes = bench.kubernetes.writes.length;
    await bench.clock.advance(2 * 60 * MINUTE);
    assert.equal(bench.kubernetes.writes.length, writes, 'the same words are written again');
    assert.equal(seen.size, 1);
    assert.match(networkMessage(bench, 'n1') ?? '', /outside/);
  });
});

describe('a Node that waits for a route that no controller creates', () => {
  const EXCLUDE = { metadata: { labels: { 'service.alibabacloud.com/exclude-node': '' } } };
  const waiting = (index: number, providerID?: string, labels: Readonly<Record<string, string>> = {}): object => {
    const node = withRange(index, providerID) as Node;
    const left = { type: 'NetworkUnavailable', status: 'True', reason: 'NoRouteCreated', message: 'left over' };
    return {
      ...node,
      metadata: { ...node.metadata, labels },
      spec: { ...node.spec, taints: [] },
      status: { ...node.status, conditions: [...(node.status?.conditions ?? []), left] },
    };
  };

  it('becomes available if it is excluded', async () => {
    await using bench = nodeBench();
    bench.simulator.seed({ vSwitches: [{ id: 'vsw-9', vpcId: 'vpc-1', cidrBlock: '172.20.9.0/24' }] });
    bench.put(registered(1, { podCIDR: '172.20.9.0/26' }));
    bench.start();
    await bench.clock.advance(MINUTE);
    assert.equal(conditionStatus(bench.node('n1'), 'NetworkUnavailable'), 'True');
    bench.kubernetes.patch(NODES, objectKey('n1'), EXCLUDE);
    await bench.clock.advance(SECOND);
    assert.match(networkMessage(bench, 'n1') ?? '', /^The Node has the label .*, so the controller creates no route$/);
    assert.equal(conditionStatus(bench.node('n1'), 'NetworkUnavailable'), 'False');
    const writes = bench.kubernetes.writes.length;
    await bench.clock.advance(20 * MINUTE);
    assert.equal(bench.kubernetes.writes.length, writes);
  });

  it('waits again after the exclusion label is removed', async () => {
    await using bench = nodeBench();
    forbid(bench, 'CreateRouteEntries');
    bench.put(withRange(1));
    bench.start();
    await bench.clock.advance(10 * SECOND);
    bench.kubernetes.patch(NODES, objectKey('n1'), EXCLUDE);
    await bench.clock.advance(10 * SECOND);
    assert.equal(conditionStatus(bench.node('n1'), 'NetworkUnavailable'), 'False');
    bench.kubernetes.patch(NODES, objectKey('n1'), {
      metadata: { labels: { 'service.alibabacloud.com/exclude-node': null } },
    });
    await bench.clock.advance(MINUTE);
    assert.equal(conditionStatus(bench.node('n1'), 'NetworkUnavailable'), 'True');
  });

  it('becomes available if routes are disabled, for any kind of Node', async () => {
    await using bench = await startedNodeBench({ flags: ['--configure-cloud-routes=false'] }, [
      waiting(1),
      waiting(2, 'aws:///x/i-2'),
      waiting(3, ''),
      waiting(4, 'cn-beijing.i-4'),
      waiting(5, 'cn-hangzhou.i-2', { type: 'virtual-kubelet' }),
      waiting(6, undefined, EXCLUDE.metadata.labels),
      waiting(7, 'ack-hybrid://one'),
    ]);
    for (let index = 1; index <= 7; index += 1)
      assert.equal(conditionStatus(bench.node(`n${index}`), 'NetworkUnavailable'), 'False', `n${index}`);
  });

  it('becomes available if routes are disabled, even without the permission to read instances', async () => {
    await using bench = nodeBench({ flags: ['--configure-cloud-routes=false'] });
    forbid(bench, 'DescribeInstances');
    bench.put(waiting(1));
    bench.start();
    await bench.clock.advance(SECOND);
    assert.equal(conditionStatus(bench.node('n1'), 'NetworkUnavailable'), 'False');
  });
});
