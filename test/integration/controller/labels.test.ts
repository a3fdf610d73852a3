import assert from 'node:assert/strict';
import { keyOf, SERVICES } from '../../support/cluster.ts';
import { A_READ, leads, served } from '../../support/leads.ts';
import { annotated, apply, now, writesSince } from '../../support/running.ts';
import { aService } from '../../support/service.ts';

const KEY = keyOf(aService());
const SECOND = { name: 'api', uid: '00000000-0000-4000-8000-000000000002', ports: [443] };
const ID = 'service.k8s.alibaba/loadbalancer-id';
const HASH = 'service.beta.kubernetes.io/hash';

describe('a label of the existing controller that others change', () => {
  const EDITS: Readonly<Record<string, object>> = {
    'to another id': { [ID]: 'lb-forged' },
    'to no id': { [ID]: null },
    'to another hash': { [HASH]: 'forged' },
    'to no hash': { [HASH]: null },
    'to neither id nor hash': { [ID]: null, [HASH]: null },
  };
  for (const [what, labels] of Object.entries(EDITS))
    it(`${what} has the Service read once, and is written back`, async () => {
      const all = leads();
      const lead = await all.start();
      await apply(lead);
      await apply(lead, SECOND);
      const before = all.cluster.service()?.metadata.labels;
      const [since, writes] = [now(lead), all.cluster.kubernetes.writes.length];
      all.cluster.kubernetes.patch(SERVICES, KEY, { metadata: { labels } });
      await all.cluster.quiet(30 * 60_000);
      assert.deepEqual(all.cluster.calls(since), A_READ);
      assert.deepEqual(all.cluster.service()?.metadata.labels, before);
      const written = writesSince(lead, writes).filter((write) => !write.includes('cloudinventories'));
      assert.deepEqual(written, ['patch services status']);
      await lead.stop();
    });

  it('is written back as the controller last wrote it, and not as an earlier time', async () => {
    const all = leads();
    const lead = await all.start();
    await apply(lead);
    const forge = async (labels: object): Promise<void> => {
      all.cluster.kubernetes.patch(SERVICES, KEY, { metadata: { labels } });
      await all.cluster.quiet();
    };
    await forge({ [HASH]: 'forged' });
    const first = all.cluster.service()?.metadata.labels;
    // The finalizer and the address are written again, and the hash with them.
    const annotations = annotated({ hostname: 'shop.example' });
    all.cluster.kubernetes.patch(SERVICES, KEY, { metadata: { finalizers: null, annotations } });
    await all.cluster.quiet();
    const before = all.cluster.service()?.metadata.labels;
    assert.notDeepEqual(before, first);
    await forge({ [HASH]: 'forged again' });
    assert.deepEqual(all.cluster.service()?.metadata.labels, before);
    await lead.stop();
  });

  it('while no controller runs has the Service read once if it names another load balancer', async () => {
    const all = await served();
    const before = all.cluster.service()?.metadata.labels;
    all.cluster.kubernetes.patch(SERVICES, KEY, { metadata: { labels: { [ID]: 'lb-forged' } } });
    for (const calls of [A_READ, []]) {
      const since = now(all);
      const next = await all.start();
      assert.deepEqual([all.cluster.calls(since), all.cluster.service()?.metadata.labels], [calls, before]);
      await next.stop();
    }
  });

  it('does not have the Service read if its specification changes and nothing else', async () => {
    const all = leads();
    const lead = await all.start();
    await apply(lead);
    const since = now(lead);
    all.cluster.kubernetes.patch(SERVICES, KEY, { metadata: { annotations: { 'example.com/contact': 'front' } } });
    await all.cluster.quiet();
    assert.deepEqual(all.cluster.calls(since), []);
    await lead.stop();
  });
});
