import assert from 'node:assert/strict';
import { keyOf, SERVICES } from '../../support/simulated-cluster.ts';
import { A_READ, leads, served } from '../../support/leadership.ts';
import { apply, callCount, writesSince } from '../../support/running-controller.ts';
import { aService } from '../../support/service.ts';

const KEY = keyOf(aService());
const SECOND = { name: 'api', uid: '00000000-0000-4000-8000-000000000002', ports: [443] };
const ID = 'service.k8s.alibaba/loadbalancer-id';
const HASH = 'service.beta.kubernetes.io/hash';

/** Other clients can change the labels of the Alibaba Cloud Controller Manager. Such a change must not move a Service or cause changing calls. */
describe('a label of the existing controller that another client changes', () => {
  const EDITS: Readonly<
    Record<string, readonly [labels: object, calls: readonly string[], writes: readonly string[]]>
  > = {
    'to another id leads to one read of the Service, and the id is restored': [
      { [ID]: 'lb-forged' },
      A_READ,
      ['patch services status'],
    ],
    'to another hash leads to one read of the Service': [{ [HASH]: 'forged' }, A_READ, []],
    'to nothing, by removing it, causes no call': [{ [ID]: null, [HASH]: null }, [], []],
  };
  for (const [what, [labels, calls, writes]] of Object.entries(EDITS))
    it(what, async () => {
      const all = leads();
      const lead = await all.start();
      await apply(lead);
      await apply(lead, SECOND);
      const id = all.cluster.service()?.metadata.labels?.[ID];
      const [since, written] = [callCount(lead), all.cluster.kubernetes.writes.length];
      all.cluster.kubernetes.patch(SERVICES, KEY, { metadata: { labels } });
      await all.cluster.quiet(30 * 60_000);
      assert.deepEqual(all.cluster.calls(since), calls);
      if (calls.length > 0) assert.equal(all.cluster.service()?.metadata.labels?.[ID], id);
      const others = writesSince(lead, written).filter((write) => !write.includes('cloudinventories'));
      assert.deepEqual(others, writes);
      await lead.stop();
    });

  it('while no controller runs leads to one read if it names another load balancer', async () => {
    const all = await served();
    const before = all.cluster.service()?.metadata.labels;
    all.cluster.kubernetes.patch(SERVICES, KEY, { metadata: { labels: { [ID]: 'lb-forged' } } });
    for (const calls of [A_READ, []]) {
      const since = callCount(all);
      const next = await all.start();
      assert.deepEqual([all.cluster.calls(since), all.cluster.service()?.metadata.labels], [calls, before]);
      await next.stop();
    }
  });
});

describe('an annotation without effect that another client adds', () => {
  it('causes no call', async () => {
    const all = leads();
    const lead = await all.start();
    await apply(lead);
    const since = callCount(lead);
    all.cluster.kubernetes.patch(SERVICES, KEY, { metadata: { annotations: { 'example.com/contact': 'front' } } });
    await all.cluster.quiet();
    assert.deepEqual(all.cluster.calls(since), []);
    await lead.stop();
  });
});
