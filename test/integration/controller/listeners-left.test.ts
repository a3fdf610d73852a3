import assert from 'node:assert/strict';
import { aSlice, ENDPOINT_SLICES, SERVICES } from '../../support/cluster.ts';
import {
  annotated,
  apply,
  changes,
  loadBalancers,
  messageOf,
  now,
  patch,
  running,
  standing,
  type Running,
} from '../../support/running.ts';
import { aService } from '../../support/service.ts';

const NAME = 'k8s/30080/web/shop/c1';
const NAME_443 = 'k8s/30443/web/shop/c1';
const OVERRIDING = { id: 'lb-a', 'force-override-listeners': 'true' };
const ours = (nodes: readonly number[]) =>
  nodes.map((n) => ({ serverId: `i-${n}`, port: 30_080, weight: 100, type: 'ecs', description: NAME }));
const HERS = { serverId: 'i-2', port: 9999, weight: 100, type: 'ecs', description: 'hers' };
const LISTENER = {
  port: 80,
  protocol: 'tcp',
  status: 'running',
  attributes: { Description: 'k8s/80/web/shop/c1', VServerGroupId: 'rsp-1', Scheduler: 'rr' },
};
const served = (group: object, rest: readonly object[] = []) => ({
  loadBalancers: [
    {
      id: 'lb-a',
      name: 'a',
      address: '47.1.1.1',
      listeners: [LISTENER],
      serverGroups: [{ id: 'rsp-1', name: NAME, ...group }, ...rest],
    },
  ],
});
const PEOPLES = { id: 'rsp-hers', name: 'hers', backends: [] };
const GIVEN_BACK = { spec: { ports: [{ ...aService().spec?.ports?.[0], nodePort: 31_111 }] } };

/** Behind the listener of port 80. */
const behind = (run: Running): readonly string[] =>
  (loadBalancers(run)[0]?.serverGroups as unknown as { id: string; backends: { serverId: string; port: number }[] }[])
    .filter(({ id }) => id === 'rsp-1')
    .flatMap(({ backends }) => backends.map(({ serverId, port }) => `${serverId}:${port}`));

/** A Service in Local mode, whose pods are on one Node. */
async function local(run: Running, annotations: Record<string, string>, node: string): Promise<void> {
  const service = aService({ annotations: annotated(annotations) });
  run.cluster.kubernetes.put(ENDPOINT_SLICES, aSlice(service, [node]));
  run.cluster.kubernetes.put(SERVICES, { ...service, spec: { ...service.spec, externalTrafficPolicy: 'Local' } });
  await run.cluster.quiet();
}

async function moved(run: Running, node: string): Promise<void> {
  run.cluster.kubernetes.put(ENDPOINT_SLICES, aSlice(aService(), [node]));
  await run.cluster.quiet(10 * 60_000);
}

describe('a listener that is no longer the Service’s to change', () => {
  const OTHER_GROUP: Readonly<Record<string, object>> = {
    'the backend type changes': { metadata: { annotations: { 'service.beta.kubernetes.io/backend-type': 'eni' } } },
    'a group of people is named': { metadata: { annotations: annotated({ 'vgroup-port': 'rsp-hers:80' }) } },
  };
  for (const [what, change] of Object.entries(OTHER_GROUP))
    it(`keeps what is behind it when ${what}, also where somebody has put a backend there`, async () => {
      const run = await running({}, served({ backends: [...ours([1, 2, 3]), HERS] }, [PEOPLES]));
      await apply(run, { annotations: annotated(OVERRIDING) });
      await patch(run, { metadata: { annotations: annotated({ 'force-override-listeners': null }) } });
      const before = behind(run);
      assert.deepEqual(before, ['i-1:30080', 'i-2:30080', 'i-3:30080', 'i-2:9999']);
      await patch(run, change);
      assert.deepEqual([behind(run), standing(run)], [before, ['False', 'GroupInUse']]);
      assert.match(messageOf(run), /not the Service's to change any more, uses server group k8s\/30080\/web\/shop\/c1/);
      await patch(run, { metadata: { annotations: annotated({ 'force-override-listeners': 'true' }) } });
      assert.deepEqual([behind(run), standing(run)[0]], [['i-2:9999'], 'True']);
      await run.process.stop();
    });

  it('loses nothing of what is behind it when the Service is taken over', async () => {
    const run = await running(
      {},
      served({ backends: [...ours([1, 2, 3]), HERS] }, [{ ...PEOPLES, backends: ours([1, 2, 3]) }]),
    );
    const service = aService({
      annotations: annotated({ id: 'lb-a', 'vgroup-port': 'rsp-hers:80' }),
      labels: { 'service.k8s.alibaba/loadbalancer-id': 'lb-a', 'service.beta.kubernetes.io/hash': 'x' },
    });
    const since = now(run);
    run.cluster.kubernetes.put(SERVICES, {
      ...service,
      metadata: { ...service.metadata, finalizers: ['service.k8s.alibaba/resources'] },
      status: { loadBalancer: { ingress: [{ ip: '47.1.1.1' }] } },
    });
    await run.cluster.quiet();
    assert.deepEqual(changes(run, since), ['TagResources']);
    assert.equal(standing(run)[1], 'GroupInUse');
    await run.process.stop();
  });

  it('goes on to the pods of its port while people are to have it use a group that they have made', async () => {
    const run = await running({}, served({ backends: [] }, [PEOPLES]));
    await local(run, OVERRIDING, 'n1');
    await patch(run, {
      metadata: { annotations: annotated({ 'force-override-listeners': null, 'vgroup-port': 'rsp-hers:80' }) },
    });
    await moved(run, 'n2');
    assert.deepEqual([behind(run), standing(run)], [['i-2:30080'], ['False', 'GroupInUse']]);
    await run.process.stop();
  });

  it('goes on to the pods of its port in the group of people that is not named any more', async () => {
    const run = await running({}, served({ name: 'hers', backends: [HERS] }));
    await local(run, { ...OVERRIDING, 'vgroup-port': 'rsp-1:80' }, 'n1');
    await patch(run, {
      metadata: { annotations: annotated({ 'force-override-listeners': null, 'vgroup-port': null }) },
    });
    await moved(run, 'n2');
    assert.deepEqual(
      [behind(run), standing(run)],
      [
        ['i-2:9999', 'i-2:30080'],
        ['False', 'GroupInUse'],
      ],
    );
    assert.match(messageOf(run), /uses server group rsp-1; have it use k8s\/30080\/web\/shop\/c1/);
    await run.process.stop();
  });

  it('that people have made for the group of a port says which group to use in its place', async () => {
    const listeners = [{ port: 8443, protocol: 'tcp', attributes: { VServerGroupId: 'rsp-1' } }];
    const [seed] = served({ name: NAME_443, backends: [] }, [PEOPLES]).loadBalancers;
    const run = await running({}, { loadBalancers: [{ ...seed, listeners }] });
    await apply(run, { ports: [80, 443], annotations: annotated({ id: 'lb-a' }) });
    await patch(run, { metadata: { annotations: annotated({ 'vgroup-port': 'rsp-hers:443' }) } });
    assert.deepEqual(standing(run), ['False', 'GroupInUse']);
    assert.equal(
      messageOf(run),
      `tcp listener 8443, which this Service has not made, uses server group ${NAME_443}; delete the listener, or have it use rsp-hers`,
    );
    await run.process.stop();
  });

  it('leads to a node port no more that the Service has given back: it may be another’s', async () => {
    const run = await running({}, served({ backends: [...ours([1, 2, 3]), HERS] }));
    await apply(run, { annotations: annotated(OVERRIDING) });
    await patch(run, { metadata: { annotations: annotated({ 'force-override-listeners': null }) } });
    await patch(run, GIVEN_BACK);
    assert.deepEqual([behind(run), standing(run)], [['i-2:9999'], ['False', 'GroupInUse']]);
    assert.match(messageOf(run), /not the Service's to change any more, uses server group k8s\/30080\/web\/shop\/c1/);
    await run.process.stop();
  });

  it('leads to none either in the group of people that is not named any more', async () => {
    const run = await running({}, served({ name: 'hers', backends: [HERS] }));
    await local(run, { ...OVERRIDING, 'vgroup-port': 'rsp-1:80' }, 'n1');
    await patch(run, {
      metadata: { annotations: annotated({ 'force-override-listeners': null, 'vgroup-port': null }) },
      ...GIVEN_BACK,
    });
    assert.deepEqual([behind(run), standing(run)], [['i-2:9999'], ['False', 'GroupInUse']]);
    await run.process.stop();
  });
});

describe('a listener whose port cannot be carried out', () => {
  it('goes on to the pods of its port', async () => {
    const run = await running({}, served({ backends: [] }));
    await local(run, OVERRIDING, 'n1');
    await patch(run, { metadata: { annotations: annotated({ 'vgroup-port': 'rsp-nope:80' }) } });
    await moved(run, 'n2');
    assert.deepEqual([behind(run), standing(run)], [['i-2:30080'], ['False', 'InvalidPort']]);
    await run.process.stop();
  });
});
