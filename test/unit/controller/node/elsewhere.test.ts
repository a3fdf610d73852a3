import assert from 'node:assert/strict';
import { NODES, objectKey, type Node } from '../../../../src/base/objects.ts';
import { counted, registered, startedNodeBench } from '../../../support/node-bench.ts';
import { aNetwork } from '../../../support/simulator.ts';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const WITHOUT_ROUTES = { flags: ['--configure-cloud-routes=false'] };

type Bench = Awaited<ReturnType<typeof startedNodeBench>>;

/** Returns a Node with this address and without a provider ID. */
function nameless(index: number, address: string): Node {
  const node = registered(index, { providerID: '' }) as Node;
  return { ...node, status: { ...node.status, addresses: [{ type: 'InternalIP', address }] } };
}
/** Returns a Node on a machine outside of the cloud, from which another controller removed the taint. */
const inUse = (index: number, address = `192.168.0.${index}`): Node => {
  const node = nameless(index, address);
  return { ...node, spec: { ...node.spec, taints: [] } };
};
const virtual = (index: number): Node => {
  const node = inUse(index);
  return { ...node, metadata: { ...node.metadata, labels: { type: 'virtual-kubelet' } } };
};

const warnings = (bench: Bench): readonly string[] =>
  bench.kubernetes.told
    .filter(({ type }) => type === 'Warning')
    .map(({ target, reason, message }) => `${target.name} ${reason}: ${message.split(':')[0] ?? ''}`);
const searches = (bench: Bench): number => counted(bench.calls())['DescribeInstances'] ?? 0;
const instanceOf = (bench: Bench, name: string): string | undefined => bench.node(name)?.spec?.providerID;

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
      await using bench = await startedNodeBench({ ...WITHOUT_ROUTES, world: aNetwork(instances) }, nodes);
      await bench.clock.advance(HOUR);
      assert.equal(searches(bench), 5);
      await bench.clock.advance(2 * HOUR);
      const before = searches(bench);
      await bench.clock.advance(10 * HOUR);
      assert.equal(searches(bench) - before, 10);
      assert.deepEqual(warnings(bench), [told]);
    });
  }

  it('are not told of again when their kubelets fall silent and come back', async () => {
    await using bench = await startedNodeBench(WITHOUT_ROUTES, [inUse(1), inUse(2)]);
    for (const status of ['Unknown', 'True', 'Unknown', 'True']) {
      await bench.clock.advance(20 * MINUTE);
      bench.kubernetes.patch(NODES, objectKey('n1'), { status: { conditions: [{ type: 'Ready', status }] } });
    }
    assert.equal(warnings(bench).length, 1);
  });

  it('are found at last when an instance comes that one of them is', async () => {
    await using bench = await startedNodeBench(WITHOUT_ROUTES, [inUse(1, '10.1.0.14'), inUse(2)]);
    await bench.clock.advance(3 * HOUR);
    bench.simulator.seed({ instances: [{ id: 'i-4', vSwitchId: 'vsw-1', privateAddresses: ['10.1.0.14'] }] });
    await bench.clock.advance(HOUR + 5 * MINUTE);
    assert.equal(instanceOf(bench, 'n1'), 'cn-hangzhou.i-4');
  });
});

describe('where Nodes in use were looked for in vain for hours', () => {
  const afterHours = async (): Promise<Bench> => {
    const bench = await startedNodeBench(WITHOUT_ROUTES, [inUse(1), inUse(2)]);
    await bench.clock.advance(3 * HOUR);
    return bench;
  };
  const firsts: Readonly<Record<string, (bench: Bench) => unknown>> = {
    'a new Node': (bench) => bench.put(nameless(3, '10.1.0.11')),
    'one that somebody else has let in': (bench) => bench.put(inUse(3, '10.1.0.11')),
    'one that names its instance': (bench) => bench.put(registered(3, { providerID: 'cn-hangzhou.i-1' })),
  };
  for (const [which, come] of Object.entries(firsts)) {
    it(`the first instance among them is looked after at once: ${which}`, async () => {
      await using bench = await afterHours();
      come(bench);
      await bench.clock.advance(SECOND);
      assert.equal(instanceOf(bench, 'n3'), 'cn-hangzhou.i-1');
      assert.equal(bench.node('n3')?.metadata.labels?.['topology.kubernetes.io/zone'], 'cn-hangzhou-a');
    });
  }

  it('one of them whose address changes is looked for at once', async () => {
    await using bench = await afterHours();
    bench.kubernetes.patch(NODES, objectKey('n1'), {
      status: { addresses: [{ type: 'InternalIP', address: '10.1.0.11' }] },
    });
    await bench.clock.advance(SECOND);
    assert.equal(instanceOf(bench, 'n1'), 'cn-hangzhou.i-1');
  });

  it('each is told so itself when another Node has turned out to be an instance', async () => {
    await using bench = await afterHours();
    bench.put(registered(3, { providerID: 'cn-hangzhou.i-1' }));
    await bench.clock.advance(6 * MINUTE);
    const told = warnings(bench).join('\n');
    for (const name of ['n1', 'n2']) assert.match(told, new RegExp(`^${name} SyncNodeFailed: no instance of VPC`, 'm'));
  });

  const LEFT_ALONE = { metadata: { labels: { 'service.alibabacloud.com/exclude-node': '' } } };
  const ends: Readonly<Record<string, (bench: Bench, name: string) => unknown>> = {
    'are excluded': (bench, name) => bench.kubernetes.patch(NODES, objectKey(name), LEFT_ALONE),
    'are gone': (bench, name) => bench.kubernetes.delete(NODES, objectKey(name)),
    'say that they are in another region': (bench, name) =>
      bench.kubernetes.patch(NODES, objectKey(name), { spec: { providerID: `cn-beijing.i-${name}` } }),
  };
  for (const [how, end] of Object.entries(ends)) {
    it(`one that comes when they ${how} is looked for as they were at first`, async () => {
      await using bench = await afterHours();
      for (const name of ['n1', 'n2']) end(bench, name);
      await bench.clock.advance(2 * HOUR);
      const before = searches(bench);
      bench.put(inUse(3));
      await bench.clock.advance(HOUR);
      assert.equal(searches(bench) - before, 5);
    });
  }

  it('they are told of and looked for as at first when the only instance among them has gone', async () => {
    await using bench = await afterHours();
    bench.put(registered(3, { providerID: 'cn-hangzhou.i-1' }));
    await bench.clock.advance(20 * MINUTE);
    bench.kubernetes.delete(NODES, objectKey('n3'));
    const [told, before] = [warnings(bench).length, searches(bench)];
    await bench.clock.advance(HOUR);
    assert.deepEqual(warnings(bench).slice(told), ['ccm SyncNodeFailed: no Node is an instance of VPC vpc-1']);
    assert.ok(searches(bench) - before <= 5);
  });
});
