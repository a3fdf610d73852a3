import assert from 'node:assert/strict';
import { NODES, objectKey, type Node } from '../../../../src/base/kubernetes-objects.ts';
import {
  conditionStatus,
  nodeBench,
  podRange,
  registered,
  startedNodeBench,
  UNINITIALIZED,
} from '../../../support/node-fixture.ts';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;

const taints = (node: Node | undefined): string[] => (node?.spec?.taints ?? []).map(({ key }) => key);
/** A Node without addresses, labels or an instance accepts no pods, or gets no traffic. */
describe('a new Node', () => {
  it('gets addresses and labels, and the network taint instead of the cloud taint', async () => {
    await using bench = await startedNodeBench({ controllers: ['node'] }, [registered(1)]);
    const node = bench.node('n1');
    assert.deepEqual(taints(node), ['node.kubernetes.io/network-unavailable']);
    assert.equal(conditionStatus(node, 'NetworkUnavailable'), 'True');
    assert.equal(conditionStatus(node, 'Ready'), 'True');
    assert.deepEqual(node?.status?.addresses, [
      { type: 'InternalIP', address: '10.1.0.11' },
      { type: 'Hostname', address: 'n1' },
    ]);
    assert.equal(node.metadata.labels?.['topology.kubernetes.io/zone'], 'cn-hangzhou-a');
    assert.equal(
      bench.simulator.world.networkInterfaces.rows().find(({ instanceId }) => instanceId === 'i-1')?.sourceDestCheck,
      false,
    );
    assert.match(bench.eventTexts().join('\n'), /n1 InitializedNode/);
  });

  it('always has at least one of the two taints while its route is missing', async () => {
    const seen: string[][] = [];
    await using bench = nodeBench({ controllers: ['node'] });
    bench.put(registered(1));
    bench.kubernetes.connect().nodes.onChange(({ after }) => seen.push(taints(after)));
    bench.start();
    await bench.clock.advance(SECOND);
    assert.ok(seen.length >= 2);
    assert.ok(seen.every((keys) => keys.length > 0));
  });

  it('is initialized at once without routes', async () => {
    await using bench = await startedNodeBench({ controllers: ['node'], flags: ['--configure-cloud-routes=false'] }, [
      registered(1),
    ]);
    assert.deepEqual(taints(bench.node('n1')), []);
    assert.equal(conditionStatus(bench.node('n1'), 'NetworkUnavailable'), undefined);
  });

  it('without a provider ID is found by its address and gets an event', async () => {
    await using bench = nodeBench({ controllers: ['node'] });
    const node = registered(2, { providerID: '' }) as Node;
    bench.put({ ...node, status: { ...node.status, addresses: [{ type: 'InternalIP', address: '10.1.0.12' }] } });
    bench.start();
    await bench.clock.advance(SECOND);
    assert.equal(bench.node('n2')?.spec?.providerID, 'cn-hangzhou.i-2');
    assert.match(
      bench.eventTexts().join('\n'),
      /n2 NodeProviderIDSet: Set the provider ID: instance i-2, found by the private address/,
    );
  });

  it('without a matching instance keeps its taint, has the reason in an event, and is retried', async () => {
    await using bench = await startedNodeBench({ controllers: ['node'] }, [registered(9, { providerID: '' })]);
    assert.deepEqual(taints(bench.node('n9')), [UNINITIALIZED]);
    assert.match(bench.eventTexts().join('\n'), /n9 AddNodeFailed: no instance of VPC vpc-1 matches the Node/);
    bench.simulator.seed({
      instances: [{ id: 'i-9', name: 'n9', vSwitchId: 'vsw-1', privateAddresses: ['10.1.0.99'] }],
    });
    await bench.clock.advance(MINUTE);
    assert.equal(bench.node('n9')?.spec?.providerID, 'cn-hangzhou.i-9');
  });

  it('without a provider ID is found although its instance is newer than the last list', async () => {
    await using bench = await startedNodeBench({ controllers: ['node'] }, [registered(8, { providerID: '' })]);
    await bench.clock.advance(3 * SECOND);
    bench.simulator.seed({ instances: [{ id: 'i-9', name: 'n9', vSwitchId: 'vsw-1' }] });
    const node = registered(9, { providerID: '' }) as Node;
    const creationTimestamp = new Date(bench.clock.now()).toISOString();
    bench.put({ ...node, metadata: { ...node.metadata, creationTimestamp } });
    await bench.clock.advance(3 * SECOND);
    assert.equal(bench.node('n9')?.spec?.providerID, 'cn-hangzhou.i-9');
  });

  it('without a matching instance does not list all instances again at each retry', async () => {
    await using bench = await startedNodeBench({ controllers: ['node'] }, [registered(8, { providerID: '' })]);
    await bench.clock.advance(8 * SECOND);
    assert.deepEqual(bench.calls(), ['DescribeInstances']);
  });

  it('with an instance that is not listed yet waits a few seconds, not for the next pass', async () => {
    await using bench = await startedNodeBench({ controllers: ['node'] }, [registered(1), registered(9)]);
    assert.match(bench.eventTexts().join('\n'), /n9 AddNodeFailed: instance cn-hangzhou.i-9 does not exist in region/);
    bench.simulator.seed({ instances: [{ id: 'i-9', vSwitchId: 'vsw-1', privateAddresses: ['10.1.0.99'] }] });
    await bench.clock.advance(5 * SECOND);
    assert.deepEqual(taints(bench.node('n9')), ['node.kubernetes.io/network-unavailable']);
  });

  it('is initialized within a second although another controller writes the Node meanwhile', async () => {
    await using bench = nodeBench({ controllers: ['node'] });
    bench.put(registered(1));
    let writes = 0;
    bench.start({
      onWrite: async ({ subresource }, when) => {
        if (when === 'after' || subresource !== undefined || (writes += 1) > 2) return;
        bench.kubernetes.patch(NODES, objectKey('n1'), { metadata: { annotations: { turn: String(writes) } } });
      },
    });
    await bench.clock.advance(SECOND);
    assert.equal(writes, 3);
    assert.deepEqual(taints(bench.node('n1')), ['node.kubernetes.io/network-unavailable']);
  });

  it('gets no provider ID while its kubelet has an address that the instance lacks', async () => {
    await using bench = nodeBench();
    const node = registered(1, { providerID: '', podCIDR: podRange(1) }) as Node;
    const serial = bench.simulator.world.instances.get('i-1')?.serialNumber ?? '';
    bench.put({
      ...node,
      metadata: { ...node.metadata, annotations: { 'alpha.kubernetes.io/provided-node-ip': '10.1.0.99' } },
      status: { ...node.status, nodeInfo: { systemUUID: serial } },
    });
    bench.start();
    await bench.clock.advance(MINUTE);
    assert.equal(bench.node('n1')?.spec?.providerID, '');
    assert.deepEqual(bench.node('n1')?.metadata.labels, {});
    assert.deepEqual(bench.simulator.world.routeTables.get('vtb-1')?.entries.size, 0);
    const reported = bench.eventTexts().filter((line) => line.startsWith('n1 '));
    assert.equal(reported.length, 1);
    assert.match(reported[0] ?? '', /^n1 AddNodeFailed: the kubelet has the address "10.1.0.99"/);
    bench.kubernetes.patch(NODES, objectKey('n1'), {
      metadata: { annotations: { 'alpha.kubernetes.io/provided-node-ip': '10.1.0.11' } },
    });
    await bench.clock.advance(MINUTE);
    assert.match(
      bench.eventTexts().join('\n'),
      /n1 NodeProviderIDSet: Set the provider ID: instance i-1, found by the serial number/,
    );
  });

  it('gets a single event if the address of its kubelet prevents its provider ID', async () => {
    const node = registered(1, { providerID: '' }) as Node;
    await using bench = await startedNodeBench({ controllers: ['node'] }, [
      {
        ...node,
        metadata: {
          ...node.metadata,
          name: 'cn-hangzhou.i-1',
          annotations: { 'alpha.kubernetes.io/provided-node-ip': '10.1.0.99' },
        },
        spec: {},
      },
    ]);
    const reported = bench.eventTexts();
    assert.equal(reported.length, 1);
    assert.match(reported[0] ?? '', /SyncNodeFailed: the kubelet has the address "10.1.0.99"/);
  });

  it('that resembles another Node does not share its instance, and gets an event', async () => {
    await using bench = nodeBench({ controllers: ['node'] });
    for (const index of [1, 2]) {
      const node = registered(index, { providerID: '' }) as Node;
      bench.put({ ...node, status: { ...node.status, addresses: [{ type: 'InternalIP', address: '10.1.0.12' }] } });
    }
    bench.start();
    await bench.clock.advance(MINUTE);
    const ids = ['n1', 'n2'].map((name) => bench.node(name)?.spec?.providerID);
    assert.deepEqual(ids.sort(), ['', 'cn-hangzhou.i-2']);
    const [reported, ...more] = bench
      .eventTexts()
      .filter((line) => line.includes('another Node already has the matching instance (i-2'));
    assert.match(reported ?? '', /^n[12] NodeProviderIDAmbiguous: /);
    assert.deepEqual(more, []);
  });

  it('that resembles another Node gets the instance after the other Node is deleted', async () => {
    await using bench = nodeBench({ controllers: ['node'] });
    for (const index of [1, 2]) {
      const node = registered(index, { providerID: '' }) as Node;
      bench.put({ ...node, status: { ...node.status, addresses: [{ type: 'InternalIP', address: '10.1.0.12' }] } });
    }
    bench.start();
    await bench.clock.advance(MINUTE);
    const [first, second] = bench.node('n1')?.spec?.providerID === '' ? ['n2', 'n1'] : ['n1', 'n2'];
    bench.kubernetes.delete(NODES, objectKey(first));
    await bench.clock.advance(2 * MINUTE);
    assert.equal(bench.node(second)?.spec?.providerID, 'cn-hangzhou.i-2');
  });

  it('of another cloud keeps its taint with a reason, and other Nodes are initialized', async () => {
    await using bench = await startedNodeBench({ controllers: ['node'], flags: ['--configure-cloud-routes=false'] }, [
      registered(1, { providerID: 'aws:///eu/i-1' }),
      registered(2),
    ]);
    assert.deepEqual(taints(bench.node('n1')), [UNINITIALIZED]);
    assert.deepEqual(taints(bench.node('n2')), []);
    assert.match(
      bench.eventTexts().join('\n'),
      /n1 AddNodeFailed: the provider ID "aws:\/\/\/eu\/i-1" names no instance of this cloud/,
    );
  });

  it('of virtual-kubelet loses the taint without a call', async () => {
    const node = registered(1, { providerID: '' }) as Node;
    await using bench = await startedNodeBench({ controllers: ['node'] }, [
      { ...node, metadata: { ...node.metadata, labels: { type: 'virtual-kubelet' } } },
    ]);
    assert.deepEqual(taints(bench.node('n1')), []);
    assert.deepEqual(bench.calls(), []);
  });

  it('is initialized without permission to change the source/destination check, with an event', async () => {
    await using bench = nodeBench({ controllers: ['node'] });
    bench.simulator.faults([
      { action: 'ModifyNetworkInterfaceAttribute', effect: 'reject', code: 'Forbidden.RAM', count: 9 },
    ]);
    bench.put(registered(1));
    bench.start();
    await bench.clock.advance(SECOND);
    assert.deepEqual(taints(bench.node('n1')), ['node.kubernetes.io/network-unavailable']);
    assert.match(
      bench.eventTexts().join('\n'),
      /ccm CloudPermissionDenied: .*pods are unreachable from other Nodes while the source\/destination check/,
    );
  });

  it('is counted as initialized exactly once', async () => {
    await using bench = nodeBench({ controllers: ['node'] });
    const { registry } = bench.start();
    bench.put(registered(1, { providerID: 'ack-hybrid://one' }));
    bench.put(registered(2));
    await bench.clock.advance(11 * MINUTE);
    const text = await registry.metrics();
    assert.match(text, /ccm_node_latencies_duration_milliseconds_count{verb="remove_taint"} 1$/m);
    assert.match(text, /ccm_node_latencies_duration_milliseconds_count{verb="reconcile"} [1-9]/);
  });

  it('keeps a taint that another controller adds during the initialization', async () => {
    await using bench = nodeBench({ controllers: ['node'] });
    bench.put(registered(1));
    let added = false;
    bench.kubernetes.connect().nodes.onChange(({ after }) => {
      if (added || conditionStatus(after, 'NetworkUnavailable') !== 'True') return;
      added = true;
      const patch = {
        spec: { taints: [...(after?.spec?.taints ?? []), { key: 'example.com/x', effect: 'NoSchedule' }] },
      };
      queueMicrotask(() => bench.kubernetes.patch(NODES, objectKey('n1'), patch));
    });
    bench.start();
    await bench.clock.advance(MINUTE);
    assert.deepEqual(taints(bench.node('n1')).sort(), ['example.com/x', 'node.kubernetes.io/network-unavailable']);
  });
});
