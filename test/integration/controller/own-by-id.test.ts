import assert from 'node:assert/strict';
import { cloudPicture } from '../../support/cloud-picture.ts';
import { AN_AUDIT_MS, aSlice, ENDPOINT_SLICES, keyOf, SERVICES } from '../../support/cluster.ts';
import {
  annotated,
  changes,
  loadBalancers,
  now,
  patch,
  running,
  standing,
  type Running,
} from '../../support/running.ts';
import { aService } from '../../support/service.ts';

const SEED = { loadBalancers: [{ id: 'lb-b', name: 'b', address: '47.1.1.2' }] };
const THERE = { id: 'lb-b', 'force-override-listeners': 'true' };
const USES = 'portcullis.io/uses';

const onNode = ({ cluster }: Running, node: string): void => {
  cluster.kubernetes.put(ENDPOINT_SLICES, aSlice(aService(), [node]));
};

/** The instances behind all groups. */
const backends = (run: Running): readonly string[] =>
  loadBalancers(run).flatMap(({ serverGroups }) =>
    serverGroups.flatMap((group) => group.backends.map(({ serverId }) => serverId)),
  );

/** A Service whose own load balancer has a name that tells nothing, of which somebody has taken all tags away since. */
async function untagged() {
  const run = await running({}, SEED);
  const before = cloudPicture(run.cluster.simulator);
  const service = aService({ annotations: annotated({ name: 'shop' }) });
  onNode(run, 'n1');
  run.cluster.kubernetes.put(SERVICES, { ...service, spec: { ...service.spec, externalTrafficPolicy: 'Local' } });
  await run.cluster.quiet();
  const own = loadBalancers(run).find(({ name }) => name === 'shop');
  const [id, tags] = [own?.id ?? '', Object.entries(own?.tags ?? {})];
  const resource = { ResourceType: 'instance', 'ResourceId.1': id };
  const numbered = (what: (tag: [string, string], n: string) => [string, string][]) =>
    Object.fromEntries(tags.flatMap((tag, at) => what(tag, String(at + 1))));
  await run.cluster.ask('UntagResources', { ...resource, ...numbered(([key], n) => [[`TagKey.${n}`, key]]) });
  await run.cluster.quiet(AN_AUDIT_MS);
  assert.deepEqual(standing(run), ['False', 'StatusTruth']);
  const tagAgain = () =>
    run.cluster.ask('TagResources', {
      ...resource,
      ...numbered(([key, value], n) => [
        [`Tag.${n}.Key`, key],
        [`Tag.${n}.Value`, value],
      ]),
    });
  return { run, before, id, tagAgain };
}

/** The same, which was named as it was told, and has its tags again. */
async function namedAndTagged() {
  const it = await untagged();
  await patch(it.run, { metadata: { annotations: annotated({ id: it.id }) } });
  assert.equal(standing(it.run)[0], 'True');
  await it.tagAgain();
  await it.run.cluster.quiet(AN_AUDIT_MS);
  assert.deepEqual(standing(it.run), ['False', 'OnlyMine']);
  return it;
}

describe('an own load balancer that was taken for one of people while its tags were away', () => {
  it('serves on once they are back, though a pod has moved meanwhile', async () => {
    const { run, id, tagAgain } = await untagged();
    onNode(run, 'n2');
    await run.cluster.quiet(10 * 60_000);
    assert.match(run.cluster.service()?.metadata.labels?.[USES] ?? '', new RegExp(`^${id}\\.`));
    await tagAgain();
    const since = now(run);
    await run.cluster.quiet(AN_AUDIT_MS);
    assert.deepEqual([changes(run, since), backends(run), standing(run)[0]], [[], ['i-2'], 'True']);
    assert.equal(run.cluster.service()?.metadata.labels?.[USES], undefined);
    await run.process.stop();
  });

  it('serves on once they are back and it is named no more', async () => {
    const { run } = await namedAndTagged();
    const since = now(run);
    await patch(run, { metadata: { annotations: annotated({ id: null }) } });
    await run.cluster.quiet(AN_AUDIT_MS);
    assert.deepEqual([changes(run, since), backends(run), standing(run)[0]], [[], ['i-1'], 'True']);
    assert.equal(run.cluster.service()?.metadata.labels?.[USES], undefined);
    await run.process.stop();
  });

  it('goes as its own once they are back and another serves in its place', async () => {
    const { run, id } = await namedAndTagged();
    run.cluster.kubernetes.patch(SERVICES, keyOf(aService()), { status: { loadBalancer: null } });
    await patch(run, { metadata: { annotations: annotated({ name: null, ...THERE }) } });
    await run.cluster.quiet(10 * 60_000);
    assert.deepEqual([backends(run), standing(run)[0]], [['i-1'], 'True']);
    assert.ok(!loadBalancers(run).some((each) => each.id === id));
    await run.process.stop();
  });

  it('goes with the Service once they are back, though it is named still', async () => {
    const { run, before } = await namedAndTagged();
    run.cluster.kubernetes.delete(SERVICES, keyOf(aService()));
    await run.cluster.quiet(10 * 60_000);
    assert.deepEqual([cloudPicture(run.cluster.simulator), run.cluster.service()], [before, undefined]);
    await run.process.stop();
  });
});
