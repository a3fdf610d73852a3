import assert from 'node:assert/strict';
import { NODES, objectKey, type Node } from '../../../../src/objects.ts';
import { conditionStatus, registered, startedNodeStand } from '../../../support/node-stand.ts';

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

const messageOf = (stand: Stand): string =>
  stand.node('n9')?.status?.conditions?.find(({ type }) => type === CONDITION)?.message ?? '';
const gauge = async (process: { readonly registry: { metrics: () => Promise<string> } }): Promise<string> =>
  /portcullis_nodes\{state="instance-unknown"\} \d/.exec(await process.registry.metrics())?.[0] ?? '';

describe('a Node with a provider ID of another cloud', () => {
  it('has an event and a condition that name the label', async () => {
    await using stand = await started();
    assert.equal(conditionStatus(stand.node('n9'), CONDITION), 'True');
    assert.ok(messageOf(stand).includes(EXCLUDE));
    assert.match(stand.told().join('\n'), /n9 SyncNodeFailed: .*k3s:\/\/laptop.*exclude-node/);
    assert.equal(conditionStatus(stand.node('n1'), CONDITION), undefined);
  });

  it('is updated once', async () => {
    await using stand = await started();
    const { resourceVersion } = stand.node('n9')?.metadata ?? {};
    await stand.clock.advance(30 * MINUTE);
    assert.equal(stand.node('n9')?.metadata.resourceVersion, resourceVersion);
  });

  it('has the condition False after it is excluded', async () => {
    await using stand = await started();
    stand.kubernetes.patch(NODES, objectKey('n9'), { metadata: { labels: { [EXCLUDE]: 'true' } } });
    await stand.clock.advance(MINUTE);
    assert.equal(conditionStatus(stand.node('n9'), CONDITION), 'False');
  });

  it('is counted by the metric portcullis_nodes', async () => {
    await using stand = await started();
    const next = stand.start();
    assert.equal(await gauge(next), 'portcullis_nodes{state="instance-unknown"} 1');
  });
});
