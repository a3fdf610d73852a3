import assert from 'node:assert/strict';
import { PortcullisError } from '../../../../src/base/errors.ts';
import { NODES, objectKey, type Node } from '../../../../src/base/kubernetes-objects.ts';
import { counted, nodeBench, registered, startedNodeBench } from '../../../support/node-fixture.ts';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;

const taints = (node: Node | undefined): string[] => (node?.spec?.taints ?? []).map(({ key }) => key);
const silent = (bench: ReturnType<typeof nodeBench>, name: string, status = 'Unknown'): void => {
  const lastTransitionTime = new Date(bench.clock.now()).toISOString();
  bench.kubernetes.patch(NODES, objectKey(name), {
    status: { conditions: [{ type: 'Ready', status, lastTransitionTime }] },
  });
};
const release = (bench: ReturnType<typeof nodeBench>, id: string): void => {
  bench.simulator.world.instances.remove(id, bench.clock.now());
};

/** A Node is deleted only with proof that its instance is gone, because the deletion evicts its pods. */
describe('a registered Node', () => {
  it('is written only if something differs', async () => {
    await using bench = await startedNodeBench({ controllers: ['node'] }, [registered(1), registered(2)]);
    const writes = bench.kubernetes.writes.length;
    await bench.clock.advance(20 * MINUTE);
    assert.equal(bench.kubernetes.writes.length, writes);
  });

  for (const [chance, minutes] of [
    [0, 4.5],
    [0.5, 5],
  ] as const) {
    it(`is checked every five minutes ± 10 %: after ${minutes} for the random value ${chance}`, async () => {
      await using bench = await startedNodeBench({ controllers: ['node'], chance }, [registered(1)]);
      const requests = (): number => bench.calls().filter((action) => action === 'DescribeInstances').length;
      const first = requests();
      await bench.clock.advance(minutes * MINUTE - 5 * SECOND);
      assert.equal(requests(), first);
      await bench.clock.advance(6 * SECOND);
      assert.equal(requests(), first + 1);
    });
  }

  it('gets an event, as does the other Node, if both name one instance in any form', async () => {
    const twins = [registered(1), registered(2, { providerID: 'alicloud://cn-hangzhou.i-1' }), registered(3)];
    await using bench = await startedNodeBench({ controllers: ['node'] }, twins);
    const reported = bench.eventTexts().filter((line) => line.includes('NodeProviderIDAmbiguous'));
    const rest =
      'has the provider ID of the same instance i-1, so only the oldest responsive Node gets routes; delete the Node whose machine no longer exists';
    assert.deepEqual(reported.sort(), [
      `n1 NodeProviderIDAmbiguous: the Node n2 ${rest}`,
      `n2 NodeProviderIDAmbiguous: the Node n1 ${rest}`,
    ]);
    assert.deepEqual([taints(bench.node('n1')).length, taints(bench.node('n3')).length], [1, 1]);
  });

  it('that is excluded stays unchanged, even without a provider ID', async () => {
    const node = registered(1, { providerID: '' }) as Node;
    await using bench = await startedNodeBench({ controllers: ['node'] }, [
      {
        ...node,
        metadata: { ...node.metadata, labels: { 'service.alibabacloud.com/exclude-node': '' } },
        spec: {},
        status: { addresses: [{ type: 'InternalIP', address: '10.1.0.11' }] },
      },
    ]);
    await bench.clock.advance(10 * MINUTE);
    assert.deepEqual(bench.calls(), []);
    assert.equal(bench.kubernetes.writes.length, 0);
  });

  it('in use without a matching instance gets one event, and one lookup per pass', async () => {
    const node = registered(9, { providerID: '' }) as Node;
    await using bench = await startedNodeBench({ controllers: ['node'] }, [{ ...node, spec: {} }]);
    await bench.clock.advance(9 * MINUTE);
    assert.deepEqual(counted(bench.calls()), { DescribeInstances: 2 });
    assert.equal(bench.eventTexts().length, 1);
    assert.match(bench.eventTexts().join('\n'), /n9 SyncNodeFailed: no instance of VPC vpc-1 matches the Node/);
  });

  it('has a taint while its instance is stopped, and loses the taint after the start', async () => {
    await using bench = await startedNodeBench({ controllers: ['node'], flags: ['--configure-cloud-routes=false'] }, [
      registered(1),
    ]);
    const instance = bench.simulator.world.instances.get('i-1');
    assert.ok(instance !== undefined);
    bench.simulator.world.instances.insert({ ...instance, status: 'Stopped' }, 0);
    silent(bench, 'n1');
    await bench.clock.advance(SECOND);
    assert.deepEqual(taints(bench.node('n1')), ['node.cloudprovider.kubernetes.io/shutdown']);
    bench.simulator.world.instances.insert({ ...instance, status: 'Running' }, 0);
    silent(bench, 'n1', 'True');
    await bench.clock.advance(SECOND);
    assert.deepEqual(taints(bench.node('n1')), []);
  });

  it('gets a changed label back', async () => {
    await using bench = await startedNodeBench({ controllers: ['node'] }, [registered(1)]);
    const label = 'topology.kubernetes.io/region';
    bench.kubernetes.patch(NODES, objectKey('n1'), { metadata: { labels: { [label]: 'mars' } } });
    await bench.clock.advance(SECOND);
    assert.equal(bench.node('n1')?.metadata.labels?.[label], 'cn-hangzhou');
  });
});

describe('a Node with a deleted instance', () => {
  it('is deleted with an event after two proofs and the grace period', async () => {
    await using bench = await startedNodeBench({ controllers: ['node'] }, [registered(1), registered(2)]);
    release(bench, 'i-1');
    silent(bench, 'n1');
    await bench.clock.advance(50 * SECOND);
    assert.notEqual(bench.node('n1'), undefined);
    await bench.clock.advance(2 * MINUTE);
    assert.equal(bench.node('n1'), undefined);
    assert.notEqual(bench.node('n2'), undefined);
    assert.match(bench.eventTexts().join('\n'), /n1 DeletedNode/);
  });

  it('is deleted after a shorter grace period, with two proofs at least half of it apart', async () => {
    const flags = ['--node-removal-grace=20s'];
    await using bench = await startedNodeBench({ controllers: ['node'], flags }, [registered(1), registered(2)]);
    silent(bench, 'n1');
    await bench.clock.advance(MINUTE);
    release(bench, 'i-1');
    await bench.clock.advance(4 * MINUTE + 5 * SECOND);
    assert.notEqual(bench.node('n1'), undefined, 'one proof was enough');
    await bench.clock.advance(10 * SECOND);
    assert.equal(bench.node('n1'), undefined);
  });

  it('is deleted even if another Node is deleted seconds before', async () => {
    await using bench = await startedNodeBench({ controllers: ['node'] }, [
      registered(1),
      registered(2),
      registered(3),
    ]);
    for (const index of [1, 2]) release(bench, `i-${index}`);
    silent(bench, 'n1');
    await bench.clock.advance(10 * SECOND);
    silent(bench, 'n2');
    await bench.clock.advance(10 * MINUTE);
    assert.deepEqual([bench.node('n1'), bench.node('n2')], [undefined, undefined]);
    assert.doesNotMatch(bench.eventTexts().join('\n'), /CloudPermissionDenied/);
  });

  it('is not deleted earlier if the local clock is changed', async () => {
    await using bench = await startedNodeBench({ controllers: ['node'] }, [registered(1), registered(2)]);
    release(bench, 'i-1');
    silent(bench, 'n1');
    await bench.clock.advance(SECOND);
    bench.skew(60 * MINUTE);
    bench.kubernetes.patch(NODES, objectKey('n1'), { metadata: { labels: { 'topology.kubernetes.io/zone': 'x' } } });
    await bench.clock.advance(50 * SECOND);
    assert.notEqual(bench.node('n1'), undefined);
    await bench.clock.advance(15 * SECOND);
    assert.equal(bench.node('n1'), undefined);
  });

  for (const skewMs of [-60 * MINUTE, 60 * MINUTE]) {
    it(`is deleted after the grace period with a local clock ${skewMs / MINUTE} minutes off`, async () => {
      await using bench = nodeBench({ controllers: ['node'] });
      bench.skew(skewMs);
      for (const index of [1, 2]) bench.put(registered(index));
      bench.start();
      await bench.clock.advance(SECOND);
      release(bench, 'i-1');
      silent(bench, 'n1');
      await bench.clock.advance(55 * SECOND);
      assert.notEqual(bench.node('n1'), undefined);
      await bench.clock.advance(10 * SECOND);
      assert.equal(bench.node('n1'), undefined);
    });
  }

  it('is deleted after the grace period, however long it was silent before', async () => {
    await using bench = await startedNodeBench({ controllers: ['node'] }, [registered(2)]);
    const node = registered(1) as Node;
    bench.put({
      ...node,
      status: {
        conditions: [{ type: 'Ready', status: 'Unknown', lastTransitionTime: node.metadata.creationTimestamp }],
      },
    });
    release(bench, 'i-1');
    await bench.clock.advance(55 * SECOND);
    assert.notEqual(bench.node('n1'), undefined);
    await bench.clock.advance(10 * SECOND);
    assert.equal(bench.node('n1'), undefined);
  });

  it('stays for another grace period if its kubelet sends a heartbeat', async () => {
    await using bench = await startedNodeBench({ controllers: ['node'] }, [registered(1), registered(2)]);
    silent(bench, 'n1');
    release(bench, 'i-1');
    await bench.clock.advance(45 * SECOND);
    silent(bench, 'n1', 'True');
    silent(bench, 'n1');
    await bench.clock.advance(50 * SECOND);
    assert.notEqual(bench.node('n1'), undefined);
    await bench.clock.advance(2 * MINUTE);
    assert.equal(bench.node('n1'), undefined);
  });

  it('stays without the permission to delete it, with an event from time to time', async () => {
    await using bench = nodeBench({ controllers: ['node'] });
    for (const index of [1, 2]) bench.put(registered(index));
    bench.start({
      onWrite: async ({ verb }) => {
        if (verb === 'delete') throw new PortcullisError('Forbidden', 'nodes may not be deleted', { code: '403' });
      },
    });
    await bench.clock.advance(SECOND);
    release(bench, 'i-1');
    silent(bench, 'n1');
    await bench.clock.advance(20 * MINUTE);
    const warnings = bench.kubernetes.events.filter(({ type }) => type === 'Warning');
    assert.deepEqual([...new Set(warnings.map(({ reason }) => reason))], ['DeleteNodeFailed']);
    assert.ok(warnings.length <= 3, String(warnings.length));
  });

  it('stays while its kubelet sends heartbeats', async () => {
    await using bench = await startedNodeBench({ controllers: ['node'] }, [registered(1), registered(2)]);
    release(bench, 'i-1');
    await bench.clock.advance(20 * MINUTE);
    assert.notEqual(bench.node('n1'), undefined);
  });

  it('stays, like all other Nodes, if the cloud returns none of their instances', async () => {
    await using bench = await startedNodeBench({ controllers: ['node'] }, [
      registered(1),
      registered(2),
      registered(3),
    ]);
    for (const id of ['i-1', 'i-2', 'i-3']) release(bench, id);
    for (const name of ['n1', 'n2', 'n3']) silent(bench, name);
    await bench.clock.advance(20 * MINUTE);
    assert.deepEqual(
      ['n1', 'n2', 'n3'].filter((name) => bench.node(name) === undefined),
      [],
    );
    assert.match(bench.eventTexts().join('\n'), /CloudPermissionDenied: DescribeInstances returns none of/);
  });

  it('waits for the next pass if a tenth of all Nodes is already deleted in this pass', async () => {
    const names = Array.from({ length: 20 }, (_, index) => index + 1);
    await using bench = await startedNodeBench(
      { controllers: ['node'], instances: 20 },
      names.map((index) => registered(index)),
    );
    for (const index of names.slice(0, 8)) {
      release(bench, `i-${index}`);
      silent(bench, `n${index}`);
    }
    const left = (): number => names.filter((index) => bench.node(`n${index}`) !== undefined).length;
    await bench.clock.advance(4 * MINUTE);
    assert.equal(left(), 18);
    assert.match(bench.eventTexts().join('\n'), /NodeRemovalSuppressed/);
    await bench.clock.advance(5 * MINUTE);
    assert.equal(left(), 17);
  });
});
