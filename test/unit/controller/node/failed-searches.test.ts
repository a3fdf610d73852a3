import assert from 'node:assert/strict';
import { NODES, objectKey, type Node } from '../../../../src/base/kubernetes-objects.ts';
import { counted, registered, startedNodeBench } from '../../../support/node-fixture.ts';
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
  bench.kubernetes.events
    .filter(({ type }) => type === 'Warning')
    .map(({ target, reason, message }) => `${target.name} ${reason}: ${message.split(';')[0] ?? ''}`);
const searches = (bench: Bench): number => counted(bench.calls())['DescribeInstances'] ?? 0;
const instanceOf = (bench: Bench, name: string): string | undefined => bench.node(name)?.spec?.providerID;

/** The lookup of a Node outside of the cloud never succeeds, so lookups must back off, but must not delay new Nodes. */
describe('Nodes in use without a provider ID, while no Node names an instance of the region', () => {
  const cases: Readonly<Record<string, { instances: number; nodes: readonly Node[]; warning: string }>> = {
    'if the VPC has no instance': {
      instances: 0,
      nodes: [inUse(1), inUse(2), virtual(3)],
      warning: 'ccm SyncNodeFailed: VPC vpc-1 has no instance',
    },
    'if the instances of the VPC are other machines': {
      instances: 3,
      nodes: [inUse(1), inUse(2), virtual(3)],
      warning: 'ccm SyncNodeFailed: no Node is an instance of VPC vpc-1',
    },
    'if the only Node that is not virtual matches no instance': {
      instances: 3,
      nodes: [inUse(1), virtual(3)],
      warning:
        'n1 SyncNodeFailed: no instance of VPC vpc-1 matches the Node by name, serial number, private address or host name',
    },
  };
  for (const [where, { instances, nodes, warning }] of Object.entries(cases)) {
    it(`get one event, and lookups back off to once per hour, ${where}`, async () => {
      await using bench = await startedNodeBench({ ...WITHOUT_ROUTES, world: aNetwork(instances) }, nodes);
      await bench.clock.advance(HOUR);
      assert.equal(searches(bench), 5);
      await bench.clock.advance(2 * HOUR);
      const before = searches(bench);
      await bench.clock.advance(10 * HOUR);
      assert.equal(searches(bench) - before, 10);
      assert.deepEqual(warnings(bench), [warning]);
    });
  }

  it('get no second event if their kubelets stop and start again', async () => {
    await using bench = await startedNodeBench(WITHOUT_ROUTES, [inUse(1), inUse(2)]);
    for (const status of ['Unknown', 'True', 'Unknown', 'True']) {
      await bench.clock.advance(20 * MINUTE);
      bench.kubernetes.patch(NODES, objectKey('n1'), { status: { conditions: [{ type: 'Ready', status }] } });
    }
    assert.equal(warnings(bench).length, 1);
  });

  it('are found by the next hourly lookup after a matching instance exists', async () => {
    await using bench = await startedNodeBench(WITHOUT_ROUTES, [inUse(1, '10.1.0.14'), inUse(2)]);
    await bench.clock.advance(3 * HOUR);
    bench.simulator.seed({ instances: [{ id: 'i-4', vSwitchId: 'vsw-1', privateAddresses: ['10.1.0.14'] }] });
    await bench.clock.advance(HOUR + 5 * MINUTE);
    assert.equal(instanceOf(bench, 'n1'), 'cn-hangzhou.i-4');
  });
});

describe('after hours of lookups without a match', () => {
  const afterHours = async (): Promise<Bench> => {
    const bench = await startedNodeBench(WITHOUT_ROUTES, [inUse(1), inUse(2)]);
    await bench.clock.advance(3 * HOUR);
    return bench;
  };
  const firsts: Readonly<Record<string, (bench: Bench) => unknown>> = {
    'a new Node': (bench) => bench.put(nameless(3, '10.1.0.11')),
    'a Node that another controller initialized': (bench) => bench.put(inUse(3, '10.1.0.11')),
    'a Node that names its instance': (bench) => bench.put(registered(3, { providerID: 'cn-hangzhou.i-1' })),
  };
  for (const [which, come] of Object.entries(firsts)) {
    it(`the first matching instance starts the management of its Node at once: ${which}`, async () => {
      await using bench = await afterHours();
      come(bench);
      await bench.clock.advance(SECOND);
      assert.equal(instanceOf(bench, 'n3'), 'cn-hangzhou.i-1');
      assert.equal(bench.node('n3')?.metadata.labels?.['topology.kubernetes.io/zone'], 'cn-hangzhou-a');
    });
  }

  it('a changed address of a Node starts a lookup at once', async () => {
    await using bench = await afterHours();
    bench.kubernetes.patch(NODES, objectKey('n1'), {
      status: { addresses: [{ type: 'InternalIP', address: '10.1.0.11' }] },
    });
    await bench.clock.advance(SECOND);
    assert.equal(instanceOf(bench, 'n1'), 'cn-hangzhou.i-1');
  });

  it('each Node gets its own event when another Node has a matching instance', async () => {
    await using bench = await afterHours();
    bench.put(registered(3, { providerID: 'cn-hangzhou.i-1' }));
    await bench.clock.advance(6 * MINUTE);
    const warning = warnings(bench).join('\n');
    for (const name of ['n1', 'n2'])
      assert.match(warning, new RegExp(`^${name} SyncNodeFailed: no instance of VPC`, 'm'));
  });

  const LEFT_ALONE = { metadata: { labels: { 'service.alibabacloud.com/exclude-node': '' } } };
  const ends: Readonly<Record<string, (bench: Bench, name: string) => unknown>> = {
    'are excluded': (bench, name) => bench.kubernetes.patch(NODES, objectKey(name), LEFT_ALONE),
    'are deleted': (bench, name) => bench.kubernetes.delete(NODES, objectKey(name)),
    'report another region': (bench, name) =>
      bench.kubernetes.patch(NODES, objectKey(name), { spec: { providerID: `cn-beijing.i-${name}` } }),
  };
  for (const [how, end] of Object.entries(ends)) {
    it(`a Node that joins while other Nodes ${how} is looked up without back-off`, async () => {
      await using bench = await afterHours();
      for (const name of ['n1', 'n2']) end(bench, name);
      await bench.clock.advance(2 * HOUR);
      const before = searches(bench);
      bench.put(inUse(3));
      await bench.clock.advance(HOUR);
      assert.equal(searches(bench) - before, 5);
    });
  }

  it('the event and the lookups start again after the only matching instance is deleted', async () => {
    await using bench = await afterHours();
    bench.put(registered(3, { providerID: 'cn-hangzhou.i-1' }));
    await bench.clock.advance(20 * MINUTE);
    bench.kubernetes.delete(NODES, objectKey('n3'));
    const [warning, before] = [warnings(bench).length, searches(bench)];
    await bench.clock.advance(HOUR);
    assert.deepEqual(warnings(bench).slice(warning), ['ccm SyncNodeFailed: no Node is an instance of VPC vpc-1']);
    assert.ok(searches(bench) - before <= 5);
  });
});
