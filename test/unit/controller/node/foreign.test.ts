import assert from 'node:assert/strict';
import { NODES, objectKey, type Node } from '../../../../src/base/objects.ts';
import { conditionStatus, registered, startedNodeStand } from '../../../support/node-bench.ts';

const MINUTE = 60_000;
const CONDITION = 'InstanceUnknown';
const EXCLUDE = 'service.alibabacloud.com/exclude-node';

/** Returns an initialized Node of another cloud. */
function laptop(): Node {
  const node = registered(9, { providerID: 'k3s://laptop' }) as Node;
  return { ...node, spec: { providerID: 'k3s://laptop' } };
}

const started = () =>
  startedNodeStand({ controllers: ['node'], flags: ['--configure-cloud-routes=false'] }, [registered(1), laptop()]);
type Stand = Awaited<ReturnType<typeof started>>;

function conditionOfLaptop(stand: Stand) {
  const condition = stand.node('n9')?.status?.conditions?.find(({ type }) => type === CONDITION);
  assert.ok(condition, CONDITION);
  return condition;
}

async function labelled(stand: Stand, labels: Readonly<Record<string, string | null>>): Promise<void> {
  stand.kubernetes.patch(NODES, objectKey('n9'), { metadata: { labels } });
  await stand.clock.advance(MINUTE);
}
const gauge = async (process: { readonly registry: { metrics: () => Promise<string> } }): Promise<string> =>
  /portcullis_nodes\{state="instance-unknown"\} \d/.exec(await process.registry.metrics())?.[0] ?? '';

describe('a Node with a provider ID of another cloud', () => {
  it('has an event and a condition that name the label', async () => {
    await using stand = await started();
    assert.equal(conditionStatus(stand.node('n9'), CONDITION), 'True');
    assert.ok(conditionOfLaptop(stand).message?.includes(EXCLUDE));
    assert.match(stand.told().join('\n'), /n9 SyncNodeFailed: .*k3s:\/\/laptop.*exclude-node/);
    assert.equal(conditionStatus(stand.node('n1'), CONDITION), undefined);
  });

  it('is updated once', async () => {
    await using stand = await started();
    const { resourceVersion } = stand.node('n9')?.metadata ?? {};
    await stand.clock.advance(30 * MINUTE);
    assert.equal(stand.node('n9')?.metadata.resourceVersion, resourceVersion);
  });

  for (const { label, value, reason, says } of [
    { label: EXCLUDE, value: 'true', reason: 'NodeExcluded', says: EXCLUDE },
    { label: 'service.beta.kubernetes.io/exclude-node', value: '', reason: 'NodeExcluded', says: 'exclude-node' },
    { label: 'type', value: 'virtual-kubelet', reason: 'InstanceNotRequired', says: 'another kind of machine' },
    {
      label: 'alibabacloud.com/lingjun-worker',
      value: 'true',
      reason: 'InstanceNotRequired',
      says: 'another kind of machine',
    },
  ])
    it(`has no problem any more with the label ${label}, and the condition says why`, async () => {
      await using stand = await started();
      await labelled(stand, { [label]: value });
      const { status, ...said } = conditionOfLaptop(stand);
      assert.deepEqual([status, said.reason], ['False', reason]);
      assert.ok(said.message?.includes(says), said.message);
    });

  it('is a problem again without the label, and what is no problem differently keeps its time', async () => {
    await using stand = await started();
    const first = conditionOfLaptop(stand);
    await labelled(stand, { [EXCLUDE]: 'true' });
    const excluded = conditionOfLaptop(stand);
    await labelled(stand, { type: 'virtual-kubelet' });
    await labelled(stand, { [EXCLUDE]: null });
    const virtual = conditionOfLaptop(stand);
    assert.deepEqual([excluded.reason, virtual.reason], ['NodeExcluded', 'InstanceNotRequired']);
    assert.equal(virtual.lastTransitionTime, excluded.lastTransitionTime);
    await labelled(stand, { type: null });
    const again = conditionOfLaptop(stand);
    assert.deepEqual([again.status, again.reason, again.message], ['True', first.reason, first.message]);
    assert.notEqual(again.lastTransitionTime, excluded.lastTransitionTime);
  });

  it('is not written anew for as long as it is excluded', async () => {
    await using stand = await started();
    await labelled(stand, { [EXCLUDE]: 'true' });
    const { resourceVersion } = stand.node('n9')?.metadata ?? {};
    await stand.clock.advance(30 * MINUTE);
    assert.equal(stand.node('n9')?.metadata.resourceVersion, resourceVersion);
  });

  it('is counted by the metric portcullis_nodes', async () => {
    await using stand = await started();
    const next = stand.start();
    assert.equal(await gauge(next), 'portcullis_nodes{state="instance-unknown"} 1');
  });
});
