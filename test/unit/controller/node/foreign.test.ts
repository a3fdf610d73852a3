import assert from 'node:assert/strict';
import { NODES, objectKey, type Node } from '../../../../src/base/kubernetes-objects.ts';
import { conditionStatus, registered, startedNodeBench } from '../../../support/node-fixture.ts';

const MINUTE = 60_000;
const CONDITION = 'InstanceUnknown';
const EXCLUDE = 'service.alibabacloud.com/exclude-node';

/** Returns an initialized Node of another cloud. */
function laptop(): Node {
  const node = registered(9, { providerID: 'k3s://laptop' }) as Node;
  return { ...node, spec: { providerID: 'k3s://laptop' } };
}

const started = () =>
  startedNodeBench({ controllers: ['node'], flags: ['--configure-cloud-routes=false'] }, [registered(1), laptop()]);
type Bench = Awaited<ReturnType<typeof started>>;

function conditionOfLaptop(bench: Bench) {
  const condition = bench.node('n9')?.status?.conditions?.find(({ type }) => type === CONDITION);
  assert.ok(condition, CONDITION);
  return condition;
}

async function labelled(bench: Bench, labels: Readonly<Record<string, string | null>>): Promise<void> {
  bench.kubernetes.patch(NODES, objectKey('n9'), { metadata: { labels } });
  await bench.clock.advance(MINUTE);
}
const gauge = async (process: { readonly registry: { metrics: () => Promise<string> } }): Promise<string> =>
  /portcullis_nodes\{state="instance-unknown"\} \d/.exec(await process.registry.metrics())?.[0] ?? '';

/** A Node of another cloud must not be deleted, and users must learn how to exclude it. */
describe('a Node with a provider ID of another cloud', () => {
  it('has an event and a condition that name the label', async () => {
    await using bench = await started();
    assert.equal(conditionStatus(bench.node('n9'), CONDITION), 'True');
    assert.ok(conditionOfLaptop(bench).message?.includes(EXCLUDE));
    assert.match(bench.eventTexts().join('\n'), /n9 SyncNodeFailed: .*k3s:\/\/laptop.*exclude-node/);
    assert.equal(conditionStatus(bench.node('n1'), CONDITION), undefined);
  });

  it('is not written again while nothing changes', async () => {
    await using bench = await started();
    const { resourceVersion } = bench.node('n9')?.metadata ?? {};
    await bench.clock.advance(30 * MINUTE);
    assert.equal(bench.node('n9')?.metadata.resourceVersion, resourceVersion);
  });

  for (const { label, value, reason, message } of [
    { label: EXCLUDE, value: 'true', reason: 'NodeExcluded', message: EXCLUDE },
    { label: 'service.beta.kubernetes.io/exclude-node', value: '', reason: 'NodeExcluded', message: 'exclude-node' },
    { label: 'type', value: 'virtual-kubelet', reason: 'InstanceNotRequired', message: 'another kind of machine' },
    {
      label: 'alibabacloud.com/lingjun-worker',
      value: 'true',
      reason: 'InstanceNotRequired',
      message: 'another kind of machine',
    },
  ])
    it(`gets the condition False, with the reason, if it has the label ${label}`, async () => {
      await using bench = await started();
      await labelled(bench, { [label]: value });
      const { status, ...condition } = conditionOfLaptop(bench);
      assert.deepEqual([status, condition.reason], ['False', reason]);
      assert.ok(condition.message?.includes(message), condition.message);
    });

  it('gets the condition True again without a label; a change of only the reason keeps the time', async () => {
    await using bench = await started();
    const first = conditionOfLaptop(bench);
    await labelled(bench, { [EXCLUDE]: 'true' });
    const excluded = conditionOfLaptop(bench);
    await labelled(bench, { type: 'virtual-kubelet' });
    await labelled(bench, { [EXCLUDE]: null });
    const virtual = conditionOfLaptop(bench);
    assert.deepEqual([excluded.reason, virtual.reason], ['NodeExcluded', 'InstanceNotRequired']);
    assert.equal(virtual.lastTransitionTime, excluded.lastTransitionTime);
    await labelled(bench, { type: null });
    const again = conditionOfLaptop(bench);
    assert.deepEqual([again.status, again.reason, again.message], ['True', first.reason, first.message]);
    assert.notEqual(again.lastTransitionTime, excluded.lastTransitionTime);
  });

  it('is not written again while it is excluded', async () => {
    await using bench = await started();
    await labelled(bench, { [EXCLUDE]: 'true' });
    const { resourceVersion } = bench.node('n9')?.metadata ?? {};
    await bench.clock.advance(30 * MINUTE);
    assert.equal(bench.node('n9')?.metadata.resourceVersion, resourceVersion);
  });

  it('is counted by the metric portcullis_nodes', async () => {
    await using bench = await started();
    const next = bench.start();
    assert.equal(await gauge(next), 'portcullis_nodes{state="instance-unknown"} 1');
  });
});
