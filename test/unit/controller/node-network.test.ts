import assert from 'node:assert/strict';
import { NODES, objectKey, type Node } from '../../../src/objects.ts';
import { conditionStatus, nodeStand, podRange, registered, startedNodeStand } from '../../support/node-stand.ts';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;

type Stand = ReturnType<typeof nodeStand>;

const keys = (node: Node | undefined): string[] => (node?.spec?.taints ?? []).map(({ key }) => key);
const withRange = (index: number, providerID = `cn-hangzhou.i-${index}`): object =>
  registered(index, { providerID, podCIDR: podRange(index) });
const said = (stand: Stand, name: string): string | undefined =>
  stand.node(name)?.status?.conditions?.find(({ type }) => type === 'NetworkUnavailable')?.message;
const forbid = (stand: Stand, action: string): void =>
  stand.simulator.faults([{ action, effect: 'refuse', code: 'Forbidden.RAM', status: 403, count: 'forever' }]);

describe('a Node whose network plugin says that its network is available', () => {
  const pluginSays = (stand: Stand, name: string, status: string): void => {
    const others = (stand.node(name)?.status?.conditions ?? []).filter(({ type }) => type !== 'NetworkUnavailable');
    const condition = { type: 'NetworkUnavailable', status, reason: 'FlannelIsUp', message: 'Flannel is running' };
    stand.kubernetes.patch(NODES, objectKey(name), { status: { conditions: [...others, condition] } });
  };

  it('waits for its route all the same', async () => {
    await using stand = nodeStand();
    forbid(stand, 'CreateRouteEntries');
    stand.put(withRange(1));
    pluginSays(stand, 'n1', 'False');
    stand.start();
    await stand.clock.advance(10 * SECOND);
    assert.deepEqual(keys(stand.node('n1')), ['node.kubernetes.io/network-unavailable']);
    assert.equal(conditionStatus(stand.node('n1'), 'NetworkUnavailable'), 'True');
    stand.simulator.clearFaults();
    await stand.clock.advance(MINUTE);
    assert.equal(said(stand, 'n1'), `The routes to ${podRange(1)} are available`);
  });

  it('waits again when the plugin says so before the route is there', async () => {
    await using stand = nodeStand();
    forbid(stand, 'CreateRouteEntries');
    stand.put(withRange(1));
    stand.start();
    await stand.clock.advance(10 * SECOND);
    pluginSays(stand, 'n1', 'False');
    await stand.clock.advance(10 * SECOND);
    assert.equal(conditionStatus(stand.node('n1'), 'NetworkUnavailable'), 'True');
  });

  it('is said to be routed once it is', async () => {
    await using stand = await startedNodeStand({}, [withRange(1)]);
    await stand.clock.advance(10 * SECOND);
    pluginSays(stand, 'n1', 'False');
    await stand.clock.advance(10 * SECOND);
    assert.equal(said(stand, 'n1'), `The routes to ${podRange(1)} are available`);
  });
});

describe('a Node that waits for a route which nobody makes', () => {
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

  it('is let go when it is excluded, as its event advises', async () => {
    await using stand = nodeStand();
    stand.simulator.seed({ vSwitches: [{ id: 'vsw-9', vpcId: 'vpc-1', cidrBlock: '172.20.9.0/24' }] });
    stand.put(registered(1, { podCIDR: '172.20.9.0/26' }));
    stand.start();
    await stand.clock.advance(MINUTE);
    assert.equal(conditionStatus(stand.node('n1'), 'NetworkUnavailable'), 'True');
    stand.kubernetes.patch(NODES, objectKey('n1'), EXCLUDE);
    await stand.clock.advance(SECOND);
    assert.equal(said(stand, 'n1'), 'Routes are not managed here');
    assert.equal(conditionStatus(stand.node('n1'), 'NetworkUnavailable'), 'False');
    const writes = stand.kubernetes.writes.length;
    await stand.clock.advance(20 * MINUTE);
    assert.equal(stand.kubernetes.writes.length, writes);
  });

  it('waits again when it is managed again', async () => {
    await using stand = nodeStand();
    forbid(stand, 'CreateRouteEntries');
    stand.put(withRange(1));
    stand.start();
    await stand.clock.advance(10 * SECOND);
    stand.kubernetes.patch(NODES, objectKey('n1'), EXCLUDE);
    await stand.clock.advance(10 * SECOND);
    assert.equal(conditionStatus(stand.node('n1'), 'NetworkUnavailable'), 'False');
    stand.kubernetes.patch(NODES, objectKey('n1'), {
      metadata: { labels: { 'service.alibabacloud.com/exclude-node': null } },
    });
    await stand.clock.advance(MINUTE);
    assert.equal(conditionStatus(stand.node('n1'), 'NetworkUnavailable'), 'True');
  });

  it('is let go when routes were switched off, whatever kind of Node it is', async () => {
    await using stand = await startedNodeStand({ flags: ['--configure-cloud-routes=false'] }, [
      waiting(1),
      waiting(2, 'aws:///x/i-2'),
      waiting(3, ''),
      waiting(4, 'cn-beijing.i-4'),
      waiting(5, 'cn-hangzhou.i-2', { type: 'virtual-kubelet' }),
      waiting(6, undefined, EXCLUDE.metadata.labels),
      waiting(7, 'ack-hybrid://one'),
    ]);
    for (let index = 1; index <= 7; index += 1)
      assert.equal(conditionStatus(stand.node(`n${index}`), 'NetworkUnavailable'), 'False', `n${index}`);
  });

  it('is let go when routes were switched off, also without the permission to read instances', async () => {
    await using stand = nodeStand({ flags: ['--configure-cloud-routes=false'] });
    forbid(stand, 'DescribeInstances');
    stand.put(waiting(1));
    stand.start();
    await stand.clock.advance(SECOND);
    assert.equal(conditionStatus(stand.node('n1'), 'NetworkUnavailable'), 'False');
  });
});
