import assert from 'node:assert/strict';
import { NODES, objectKey, type Node } from '../../../src/objects.ts';
import {
  conditionStatus,
  counted,
  nodeStand,
  registered,
  startedNodeStand,
  UNINITIALIZED,
} from '../../support/node-stand.ts';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;

const taints = (node: Node | undefined): string[] => (node?.spec?.taints ?? []).map(({ key }) => key);
const silent = (stand: ReturnType<typeof nodeStand>, name: string, status = 'Unknown'): void => {
  const lastTransitionTime = new Date(stand.clock.now()).toISOString();
  stand.kubernetes.patch(NODES, objectKey(name), {
    status: { conditions: [{ type: 'Ready', status, lastTransitionTime }] },
  });
};
const release = (stand: ReturnType<typeof nodeStand>, id: string): void => {
  stand.simulator.world.instances.remove(id, stand.clock.now());
};

describe('a new Node', () => {
  it('gets addresses, labels, and the taint of its network in place of the one of the cloud', async () => {
    await using stand = await startedNodeStand({ controllers: ['node'] }, [registered(1)]);
    const node = stand.node('n1');
    assert.deepEqual(taints(node), ['node.kubernetes.io/network-unavailable']);
    assert.equal(conditionStatus(node, 'NetworkUnavailable'), 'True');
    assert.equal(conditionStatus(node, 'Ready'), 'True');
    assert.deepEqual(node?.status?.addresses, [
      { type: 'InternalIP', address: '10.1.0.11' },
      { type: 'Hostname', address: 'n1' },
    ]);
    assert.equal(node.metadata.labels?.['topology.kubernetes.io/zone'], 'cn-hangzhou-a');
    assert.equal(
      stand.simulator.world.networkInterfaces.rows().find(({ instanceId }) => instanceId === 'i-1')?.sourceDestCheck,
      false,
    );
    assert.match(stand.told().join('\n'), /n1 InitializedNode/);
  });

  it('never is without both taints while its route is missing', async () => {
    const seen: string[][] = [];
    await using stand = nodeStand({ controllers: ['node'] });
    stand.put(registered(1));
    stand.kubernetes.connect().nodes.onChange(({ after }) => seen.push(taints(after)));
    stand.start();
    await stand.clock.advance(SECOND);
    assert.ok(seen.length >= 2);
    assert.ok(seen.every((keys) => keys.length > 0));
  });

  it('without routes is let in at once', async () => {
    await using stand = await startedNodeStand({ controllers: ['node'], settings: { routes: false } }, [registered(1)]);
    assert.deepEqual(taints(stand.node('n1')), []);
    assert.equal(conditionStatus(stand.node('n1'), 'NetworkUnavailable'), undefined);
  });

  it('without a provider ID is found by its address, and told so', async () => {
    await using stand = nodeStand({ controllers: ['node'] });
    const node = registered(2, { providerID: '' }) as Node;
    stand.put({ ...node, status: { ...node.status, addresses: [{ type: 'InternalIP', address: '10.1.0.12' }] } });
    stand.start();
    await stand.clock.advance(SECOND);
    assert.equal(stand.node('n2')?.spec?.providerID, 'cn-hangzhou.i-2');
    assert.match(stand.told().join('\n'), /n2 NodeProviderIDSet: The instance i-2 was found by the private address/);
  });

  it('that no instance fits keeps its taint, says why, and is tried again', async () => {
    await using stand = await startedNodeStand({ controllers: ['node'] }, [registered(9, { providerID: '' })]);
    assert.deepEqual(taints(stand.node('n9')), [UNINITIALIZED]);
    assert.match(stand.told().join('\n'), /n9 AddNodeFailed: no instance of VPC vpc-1 fits the Node/);
    stand.simulator.seed({
      instances: [{ id: 'i-9', name: 'n9', vSwitchId: 'vsw-1', privateAddresses: ['10.1.0.99'] }],
    });
    await stand.clock.advance(MINUTE);
    assert.equal(stand.node('n9')?.spec?.providerID, 'cn-hangzhou.i-9');
  });

  it('of another cloud keeps its taint and says why, and others are let in', async () => {
    await using stand = await startedNodeStand({ controllers: ['node'], settings: { routes: false } }, [
      registered(1, { providerID: 'aws:///eu/i-1' }),
      registered(2),
    ]);
    assert.deepEqual(taints(stand.node('n1')), [UNINITIALIZED]);
    assert.deepEqual(taints(stand.node('n2')), []);
    assert.match(
      stand.told().join('\n'),
      /n1 AddNodeFailed: the provider ID "aws:\/\/\/eu\/i-1" names no instance of this cloud/,
    );
  });

  it('of virtual-kubelet is freed without any call', async () => {
    const node = registered(1, { providerID: '' }) as Node;
    await using stand = await startedNodeStand({ controllers: ['node'] }, [
      { ...node, metadata: { ...node.metadata, labels: { type: 'virtual-kubelet' } } },
    ]);
    assert.deepEqual(taints(stand.node('n1')), []);
    assert.deepEqual(stand.calls(), []);
  });

  it('is let in without the permission to open its interface, and that is said', async () => {
    await using stand = nodeStand({ controllers: ['node'] });
    stand.simulator.faults([
      { action: 'ModifyNetworkInterfaceAttribute', effect: 'refuse', code: 'Forbidden.RAM', count: 9 },
    ]);
    stand.put(registered(1));
    stand.start();
    await stand.clock.advance(SECOND);
    assert.deepEqual(taints(stand.node('n1')), ['node.kubernetes.io/network-unavailable']);
    assert.match(stand.told().join('\n'), /n1 CloudPermissionDenied: .*pods of this Node are unreachable/);
  });

  it('keeps a taint that somebody else adds in the middle', async () => {
    await using stand = nodeStand({ controllers: ['node'] });
    stand.put(registered(1));
    let added = false;
    stand.kubernetes.connect().nodes.onChange(({ after }) => {
      if (added || conditionStatus(after, 'NetworkUnavailable') !== 'True') return;
      added = true;
      const patch = {
        spec: { taints: [...(after?.spec?.taints ?? []), { key: 'example.com/x', effect: 'NoSchedule' }] },
      };
      queueMicrotask(() => stand.kubernetes.patch(NODES, objectKey('n1'), patch));
    });
    stand.start();
    await stand.clock.advance(MINUTE);
    assert.deepEqual(taints(stand.node('n1')).sort(), ['example.com/x', 'node.kubernetes.io/network-unavailable']);
  });
});

describe('a Node that is there', () => {
  it('is written to only when something has changed', async () => {
    await using stand = await startedNodeStand({ controllers: ['node'] }, [registered(1), registered(2)]);
    const writes = stand.kubernetes.writes.length;
    await stand.clock.advance(20 * MINUTE);
    assert.equal(stand.kubernetes.writes.length, writes);
  });

  it('is tainted while its instance is stopped, and freed when it is back', async () => {
    await using stand = await startedNodeStand({ controllers: ['node'], settings: { routes: false } }, [registered(1)]);
    const instance = stand.simulator.world.instances.get('i-1');
    assert.ok(instance !== undefined);
    stand.simulator.world.instances.insert({ ...instance, status: 'Stopped' }, 0);
    silent(stand, 'n1');
    await stand.clock.advance(SECOND);
    assert.deepEqual(taints(stand.node('n1')), ['node.cloudprovider.kubernetes.io/shutdown']);
    stand.simulator.world.instances.insert({ ...instance, status: 'Running' }, 0);
    silent(stand, 'n1', 'True');
    await stand.clock.advance(SECOND);
    assert.deepEqual(taints(stand.node('n1')), []);
  });

  it('gets a label back that somebody has changed', async () => {
    await using stand = await startedNodeStand({ controllers: ['node'] }, [registered(1)]);
    const label = 'topology.kubernetes.io/region';
    stand.kubernetes.patch(NODES, objectKey('n1'), { metadata: { labels: { [label]: 'mars' } } });
    await stand.clock.advance(SECOND);
    assert.equal(stand.node('n1')?.metadata.labels?.[label], 'cn-hangzhou');
  });
});

describe('a Node whose instance is gone', () => {
  it('is deleted once that is proven twice, after the grace, and told of', async () => {
    await using stand = await startedNodeStand({ controllers: ['node'] }, [registered(1), registered(2)]);
    release(stand, 'i-1');
    silent(stand, 'n1');
    await stand.clock.advance(50 * SECOND);
    assert.notEqual(stand.node('n1'), undefined);
    await stand.clock.advance(2 * MINUTE);
    assert.equal(stand.node('n1'), undefined);
    assert.notEqual(stand.node('n2'), undefined);
    assert.match(stand.told().join('\n'), /n1 DeletedNode/);
  });

  it('stays while its kubelet answers', async () => {
    await using stand = await startedNodeStand({ controllers: ['node'] }, [registered(1), registered(2)]);
    release(stand, 'i-1');
    await stand.clock.advance(20 * MINUTE);
    assert.notEqual(stand.node('n1'), undefined);
  });

  it('stays, with all others, when the cloud answers nothing at all', async () => {
    await using stand = await startedNodeStand({ controllers: ['node'] }, [
      registered(1),
      registered(2),
      registered(3),
    ]);
    for (const id of ['i-1', 'i-2', 'i-3']) release(stand, id);
    for (const name of ['n1', 'n2', 'n3']) silent(stand, name);
    await stand.clock.advance(20 * MINUTE);
    assert.deepEqual(
      ['n1', 'n2', 'n3'].filter((name) => stand.node(name) === undefined),
      [],
    );
    assert.match(stand.told().join('\n'), /CloudPermissionDenied: DescribeInstances answered none of/);
  });

  it('is one of a tenth in one pass; the others wait for the next', async () => {
    const names = Array.from({ length: 20 }, (_, index) => index + 1);
    await using stand = await startedNodeStand(
      { controllers: ['node'], instances: 20 },
      names.map((index) => registered(index)),
    );
    for (const index of names.slice(0, 8)) {
      release(stand, `i-${index}`);
      silent(stand, `n${index}`);
    }
    const left = (): number => names.filter((index) => stand.node(`n${index}`) !== undefined).length;
    await stand.clock.advance(4 * MINUTE);
    assert.equal(left(), 18);
    assert.match(stand.told().join('\n'), /NodeRemovalSuppressed/);
    await stand.clock.advance(5 * MINUTE);
    assert.equal(left(), 17);
  });
});

describe('calls for Nodes', () => {
  it('are one for fifty new ones, one for their interfaces, and one for each interface (B15)', async () => {
    const nodes = Array.from({ length: 50 }, (_, index) => registered(index + 1));
    await using stand = await startedNodeStand({ controllers: ['node'], instances: 50 }, nodes);
    await stand.clock.advance(4 * MINUTE);
    assert.deepEqual(counted(stand.calls()), {
      DescribeInstances: 1,
      DescribeNetworkInterfaces: 1,
      ModifyNetworkInterfaceAttribute: 50,
    });
  });

  it('are ten in five minutes for a thousand that are well (B16)', async () => {
    const nodes = Array.from({ length: 1000 }, (_, index) => {
      const node = registered(index + 1) as Node;
      return { ...node, spec: { providerID: node.spec?.providerID } };
    });
    const instances = nodes.map((_, index) => ({
      id: `i-${index + 1}`,
      vSwitchId: 'vsw-1',
      privateAddresses: [`10.1.${Math.floor(index / 250) + 1}.${(index % 250) + 1}`],
    }));
    await using stand = await startedNodeStand({ controllers: ['node'], world: { instances } }, nodes);
    await stand.clock.advance(MINUTE);
    const before = stand.calls().length;
    await stand.clock.advance(5 * MINUTE);
    assert.equal(stand.calls().length - before, 10);
  });
});
