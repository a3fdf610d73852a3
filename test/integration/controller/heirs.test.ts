import assert from 'node:assert/strict';
import { ENDPOINT_SLICES, keyOf, SERVICES } from '../../support/cluster.ts';
import { aPodSlice, interfacesOf } from '../../support/pods.ts';
import { annotated, changes, loadBalancers, now, patch, running, type Running } from '../../support/running.ts';
import { aService } from '../../support/service.ts';

const people = (id: string) => ({ id, name: id, backends: [] });
const SEED = {
  networkInterfaces: interfacesOf(3),
  loadBalancers: [{ id: 'lb-made', name: 'by-hand', serverGroups: [people('rsp-hers'), people('rsp-more')] }],
};
const ANNOTATIONS = annotated({ id: 'lb-made', 'vgroup-port': 'rsp-hers:80' });
const web = aService({ annotations: ANNOTATIONS });
const api = (namespace = 'shop') =>
  aService({ name: 'api', namespace, uid: '00000000-0000-4000-8000-000000000002', annotations: ANNOTATIONS });

const members = (run: Running, group: string): readonly string[] =>
  (loadBalancers(run)[0]?.serverGroups.find(({ name }) => name === group)?.backends ?? [])
    .map((backend) => `${backend.serverIp ?? ''} ${(backend as unknown as { description: string }).description}`)
    .sort();
const of = (name: string, ...pods: readonly number[]) => pods.map((pod) => `10.1.1.${pod} k8s/80/${name}/shop/c1`);

/** Services `web` and `api`, both served in the group rsp-hers by these pods; `web` came first. */
async function both(pods: readonly number[], others = pods, namespace = 'shop'): Promise<Running> {
  const run = await running({ settings: { backendType: 'eni' } }, SEED);
  run.cluster.kubernetes.put(ENDPOINT_SLICES, aPodSlice(web, pods));
  run.cluster.kubernetes.put(ENDPOINT_SLICES, aPodSlice(api(namespace), others));
  run.cluster.kubernetes.put(SERVICES, web);
  await run.cluster.quiet();
  run.cluster.kubernetes.put(SERVICES, api(namespace));
  await run.cluster.quiet();
  return run;
}
const remove = async ({ cluster }: Running, service = web): Promise<void> => {
  cluster.kubernetes.delete(SERVICES, keyOf(service));
  await cluster.quiet();
};

describe('a backend that two Services have in one group of people', () => {
  it('becomes the other’s when the one that put it there goes, and is never out of the group', async () => {
    const run = await both([1, 2, 3], [1, 2]);
    const since = now(run);
    await remove(run);
    assert.deepEqual(members(run, 'rsp-hers'), of('api', 1, 2));
    assert.deepEqual(changes(run, since), ['SetVServerGroupAttribute', 'RemoveVServerGroupBackendServers']);
    await run.process.stop();
  });

  it('becomes the other’s when the one that put it there names another group', async () => {
    const run = await both([1, 2]);
    await patch(run, { metadata: { annotations: annotated({ 'vgroup-port': 'rsp-more:80' }) } });
    assert.deepEqual([members(run, 'rsp-hers'), members(run, 'rsp-more')], [of('api', 1, 2), of('web', 1, 2)]);
    await run.process.stop();
  });

  it('goes with the other in the end, which knows that it has become its own', async () => {
    const run = await both([1, 2]);
    await remove(run);
    run.cluster.kubernetes.put(ENDPOINT_SLICES, aPodSlice(api(), [2, 3]));
    await run.cluster.quiet();
    assert.deepEqual(members(run, 'rsp-hers'), of('api', 2, 3));
    await remove(run, api());
    assert.deepEqual(members(run, 'rsp-hers'), []);
    await run.process.stop();
  });

  it('goes where both go', async () => {
    const run = await both([1, 2]);
    run.cluster.kubernetes.delete(SERVICES, keyOf(web));
    await remove(run, api());
    assert.deepEqual(members(run, 'rsp-hers'), []);
    await run.process.stop();
  });

  it('goes where the other is of another namespace, whose backends are nobody else’s to decide on', async () => {
    const run = await both([1, 2], [1, 2], 'bank');
    await remove(run);
    assert.deepEqual(members(run, 'rsp-hers'), []);
    await run.process.stop();
  });
});
