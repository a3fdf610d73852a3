import assert from 'node:assert/strict';
import { NODES, objectKey, type Node } from '../../../../src/base/objects.ts';
import { counted, registered, startedNodeStand } from '../../../support/node-bench.ts';
import { aNetwork } from '../../../support/simulator.ts';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const WITHOUT_ROUTES = { flags: ['--configure-cloud-routes=false'] };

type Stand = Awaited<ReturnType<typeof startedNodeStand>>;

/** A Node at this address that does not say which instance it is. */
function nameless(index: number, address: string): Node {
  const node = registered(index, { providerID: '' }) as Node;
  return { ...node, status: { ...node.status, addresses: [{ type: 'InternalIP', address }] } };
}
/** A machine elsewhere that somebody else has let in. */
const inUse = (index: number, address = `192.168.0.${index}`): Node => {
  const node = nameless(index, address);
  return { ...node, spec: { ...node.spec, taints: [] } };
};
const virtual = (index: number): Node => {
  const node = inUse(index);
  return { ...node, metadata: { ...node.metadata, labels: { type: 'virtual-kubelet' } } };
};

const warnings = (stand: Stand): readonly string[] =>
  stand.kubernetes.told
    .filter(({ type }) => type === 'Warning')
    .map(({ target, reason, message }) => `${target.name} ${reason}: ${message.split(':')[0] ?? ''}`);
const searches = (stand: Stand): number => counted(stand.calls())['DescribeInstances'] ?? 0;
const instanceOf = (stand: Stand, name: string): string | undefined => stand.node(name)?.spec?.providerID;

describe('Nodes in use without a provider ID, while no Node names an instance of the region', () => {
  const cases: Readonly<Record<string, { instances: number; nodes: readonly Node[]; told: string }>> = {
    'where the VPC has no instance': {
      instances: 0,
      nodes: [inUse(1), inUse(2), virtual(3)],
      told: 'ccm SyncNodeFailed: VPC vpc-1 has no instance',
    },
    'where its instances are other machines': {
      instances: 3,
      nodes: [inUse(1), inUse(2), virtual(3)],
      told: 'ccm SyncNodeFailed: no Node is an instance of VPC vpc-1',
    },
    'where there is one such Node alone, which may be the one that is wrong': {
      instances: 3,
      nodes: [inUse(1), virtual(3)],
      told: 'n1 SyncNodeFailed: no instance of VPC vpc-1 fits the Node by name, serial number, private address or host name',
    },
  };
  for (const [where, { instances, nodes, told }] of Object.entries(cases)) {
    it(`are told of once, and looked for ever more seldom, at last once an hour, ${where}`, async () => {
      await using stand = await startedNodeStand({ ...WITHOUT_ROUTES, world: aNetwork(instances) }, nodes);
      await stand.clock.advance(HOUR);
      assert.equal(searches(stand), 5);
      await stand.clock.advance(2 * HOUR);
      const before = searches(stand);
      await stand.clock.advance(10 * HOUR);
      assert.equal(searches(stand) - before, 10);
      assert.deepEqual(warnings(stand), [told]);
    });
  }

  it('are not told of again when their kubelets fall silent and come back', async () => {
    await using stand = await startedNodeStand(WITHOUT_ROUTES, [inUse(1), inUse(2)]);
    for (const status of ['Unknown', 'True', 'Unknown', 'True']) {
      await stand.clock.advance(20 * MINUTE);
      stand.kubernetes.patch(NODES, objectKey('n1'), { status: { conditions: [{ type: 'Ready', status }] } });
    }
    assert.equal(warnings(stand).length, 1);
  });

  it('are found at last when an instance comes that one of them is', async () => {
    await using stand = await startedNodeStand(WITHOUT_ROUTES, [inUse(1, '10.1.0.14'), inUse(2)]);
    await stand.clock.advance(3 * HOUR);
    stand.simulator.seed({ instances: [{ id: 'i-4', vSwitchId: 'vsw-1', privateAddresses: ['10.1.0.14'] }] });
    await stand.clock.advance(HOUR + 5 * MINUTE);
    assert.equal(instanceOf(stand, 'n1'), 'cn-hangzhou.i-4');
  });
});

describe('where Nodes in use were looked for in vain for hours', () => {
  const afterHours = async (): Promise<Stand> => {
    const stand = await startedNodeStand(WITHOUT_ROUTES, [inUse(1), inUse(2)]);
    await stand.clock.advance(3 * HOUR);
    return stand;
  };
  const firsts: Readonly<Record<string, (stand: Stand) => unknown>> = {
    'a new Node': (stand) => stand.put(nameless(3, '10.1.0.11')),
    'one that somebody else has let in': (stand) => stand.put(inUse(3, '10.1.0.11')),
    'one that names its instance': (stand) => stand.put(registered(3, { providerID: 'cn-hangzhou.i-1' })),
  };
  for (const [which, come] of Object.entries(firsts)) {
    it(`the first instance among them is looked after at once: ${which}`, async () => {
      await using stand = await afterHours();
      come(stand);
      await stand.clock.advance(SECOND);
      assert.equal(instanceOf(stand, 'n3'), 'cn-hangzhou.i-1');
      assert.equal(stand.node('n3')?.metadata.labels?.['topology.kubernetes.io/zone'], 'cn-hangzhou-a');
    });
  }

  it('one of them whose address changes is looked for at once', async () => {
    await using stand = await afterHours();
    stand.kubernetes.patch(NODES, objectKey('n1'), {
      status: { addresses: [{ type: 'InternalIP', address: '10.1.0.11' }] },
    });
    await stand.clock.advance(SECOND);
    assert.equal(instanceOf(stand, 'n1'), 'cn-hangzhou.i-1');
  });

  it('each is told so itself when another Node has turned out to be an instance', async () => {
    await using stand = await afterHours();
    stand.put(registered(3, { providerID: 'cn-hangzhou.i-1' }));
    await stand.clock.advance(6 * MINUTE);
    const told = warnings(stand).join('\n');
    for (const name of ['n1', 'n2']) assert.match(told, new RegExp(`^${name} SyncNodeFailed: no instance of VPC`, 'm'));
  });

  const LEFT_ALONE = { metadata: { labels: { 'service.alibabacloud.com/exclude-node': '' } } };
  const ends: Readonly<Record<string, (stand: Stand, name: string) => unknown>> = {
    'are excluded': (stand, name) => stand.kubernetes.patch(NODES, objectKey(name), LEFT_ALONE),
    'are gone': (stand, name) => stand.kubernetes.delete(NODES, objectKey(name)),
    'say that they are in another region': (stand, name) =>
      stand.kubernetes.patch(NODES, objectKey(name), { spec: { providerID: `cn-beijing.i-${name}` } }),
  };
  for (const [how, end] of Object.entries(ends)) {
    it(`one that comes when they ${how} is looked for as they were at first`, async () => {
      await using stand = await afterHours();
      for (const name of ['n1', 'n2']) end(stand, name);
      await stand.clock.advance(2 * HOUR);
      const before = searches(stand);
      stand.put(inUse(3));
      await stand.clock.advance(HOUR);
      assert.equal(searches(stand) - before, 5);
    });
  }

  it('they are told of and looked for as at first when the only instance among them has gone', async () => {
    await using stand = await afterHours();
    stand.put(registered(3, { providerID: 'cn-hangzhou.i-1' }));
    await stand.clock.advance(20 * MINUTE);
    stand.kubernetes.delete(NODES, objectKey('n3'));
    const [told, before] = [warnings(stand).length, searches(stand)];
    await stand.clock.advance(HOUR);
    assert.deepEqual(warnings(stand).slice(told), ['ccm SyncNodeFailed: no Node is an instance of VPC vpc-1']);
    assert.ok(searches(stand) - before <= 5);
  });
});
