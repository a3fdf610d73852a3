import assert from 'node:assert/strict';
import { cloudPicture } from '../../support/cloud-picture.ts';
import { keyOf, SERVICES } from '../../support/cluster.ts';
import {
  annotated,
  apply,
  changes,
  loadBalancers,
  now,
  running,
  standing,
  type Running,
  deleteBinding,
} from '../../support/running.ts';
import { aService } from '../../support/service.ts';

const KEY = keyOf(aService());
const ANOTHER_UID = '11111111-c2ae-4642-b033-5607860aef6a';
const ID_LABEL = 'service.k8s.alibaba/loadbalancer-id';
const SEED = {
  loadBalancers: [
    { id: 'lb-a', name: 'a', address: '47.1.1.1', listeners: [{ port: 22, protocol: 'tcp' }] },
    { id: 'lb-b', name: 'b', address: '47.1.1.2' },
  ],
};
const REUSING = annotated({ id: 'lb-a', 'force-override-listeners': 'true' });

/** The Service as it was exported, of which another object is made that may say other things. */
function makeAgain(
  { cluster }: Running,
  exported: ReturnType<Running['cluster']['service']>,
  annotations: object,
): void {
  const { labels, finalizers } = exported?.metadata ?? {};
  const made = aService({ uid: ANOTHER_UID, ports: [80, 443] });
  const metadata = { ...made.metadata, labels, finalizers, annotations } as typeof made.metadata;
  cluster.kubernetes.put(SERVICES, { ...made, metadata });
}

describe('a Service that is made again from its exported manifest', () => {
  const preserving = annotated({ 'preserve-lb-on-delete': 'true' });
  for (const [what, annotations] of Object.entries({ 'says the same': preserving, 'preserves nothing any more': {} })) {
    it(`leaves a preserved load balancer as it is and gets its own, which alone goes with it, where it ${what}`, async () => {
      const run = await running();
      await apply(run, { ports: [80, 443], annotations: preserving });
      const exported = run.cluster.service();
      run.cluster.kubernetes.delete(SERVICES, KEY);
      await run.cluster.quiet();
      const kept = loadBalancers(run);
      makeAgain(run, exported, annotations);
      await run.cluster.quiet();
      assert.deepEqual([loadBalancers(run).slice(0, 1), standing(run)[0]], [kept, 'True']);
      assert.deepEqual(loadBalancers(run)[1]?.listeners.length, 2);
      run.cluster.kubernetes.delete(SERVICES, KEY);
      await run.cluster.quiet();
      assert.deepEqual(loadBalancers(run)[0], kept[0]);
      await run.process.stop();
    });
  }

  it('leaves a preserved load balancer as it is also when it goes before it got its own', async () => {
    const run = await running();
    await apply(run, { ports: [80, 443], annotations: preserving });
    const exported = run.cluster.service();
    run.cluster.kubernetes.delete(SERVICES, KEY);
    await run.cluster.quiet();
    const before = cloudPicture(run.cluster.simulator);
    run.cluster.simulator.faults([
      { action: 'CreateLoadBalancer', effect: 'refuse', code: 'QuotaExceeded', count: 'forever' },
    ]);
    makeAgain(run, exported, {});
    await run.cluster.quiet();
    run.cluster.kubernetes.delete(SERVICES, KEY);
    await run.cluster.quiet(5 * 60_000);
    assert.deepEqual([cloudPicture(run.cluster.simulator), run.cluster.service()], [before, undefined]);
    await run.process.stop();
  });
});

describe('a Service that is replaced by a manifest without finalizer and labels', () => {
  const replace = ({ cluster }: Running, annotations: Record<string, string>): void => {
    const { status } = cluster.service() ?? {};
    cluster.kubernetes.put(SERVICES, { ...aService({ annotations }), ...(status === undefined ? {} : { status }) });
  };
  const wrong = {
    'names another load balancer': annotated({ id: 'lb-b' }),
    'hides its weights': annotated({ 'default-weight': 'x' }),
    'is refused': annotated({ scheduler: 'fair' }),
  };
  for (const [what, annotations] of Object.entries(wrong)) {
    it(`is held again, so that nothing of it is left when it goes, although it ${what}`, async () => {
      const run = await running({}, SEED);
      const before = cloudPicture(run.cluster.simulator);
      await apply(run);
      replace(run, annotations);
      await run.cluster.quiet();
      assert.deepEqual(run.cluster.service()?.metadata.finalizers, ['service.k8s.alibaba/resources']);
      run.cluster.kubernetes.delete(SERVICES, KEY);
      await run.cluster.quiet();
      assert.deepEqual([cloudPicture(run.cluster.simulator), run.cluster.service()], [before, undefined]);
      await run.process.stop();
    });
  }

  it('is held again although nothing can be read', async () => {
    const run = await running();
    await apply(run);
    await run.process.stop();
    replace(run, {});
    run.cluster.simulator.faults([
      { action: 'DescribeLoadBalancers', effect: 'refuse', code: 'Forbidden.RAM', status: 403, count: 'forever' },
    ]);
    const next = run.cluster.start();
    await run.cluster.quiet();
    assert.deepEqual(run.cluster.service()?.metadata.finalizers, ['service.k8s.alibaba/resources']);
    await next.stop();
  });

  const elsewhere = { none: {}, another: annotated({ id: 'lb-b', 'force-override-listeners': 'true' }) };
  for (const [which, annotations] of Object.entries(elsewhere)) {
    it(`leaves nothing on the load balancer that it reused when it goes, although it names ${which}`, async () => {
      const run = await running({}, SEED);
      const before = cloudPicture(run.cluster.simulator);
      await apply(run, { annotations: REUSING });
      const since = now(run);
      replace(run, annotations);
      await run.cluster.quiet();
      assert.deepEqual(changes(run, since), []);
      assert.equal(run.cluster.service()?.metadata.labels?.[ID_LABEL], 'lb-a');
      run.cluster.kubernetes.delete(SERVICES, KEY);
      await run.cluster.quiet();
      assert.deepEqual(cloudPicture(run.cluster.simulator), before);
      await run.process.stop();
    });

    it(`leaves nothing there either, although it names ${which} and only the mirror remembers`, async () => {
      const controllers = ['service', 'inventory'] as const;
      const run = await running({ controllers }, SEED);
      const before = cloudPicture(run.cluster.simulator);
      await apply(run, { annotations: REUSING });
      await run.process.stop();
      replace(run, annotations);
      const next = run.cluster.start({ controllers });
      await run.cluster.quiet();
      run.cluster.kubernetes.delete(SERVICES, KEY);
      await run.cluster.quiet();
      assert.deepEqual([cloudPicture(run.cluster.simulator), run.cluster.service()], [before, undefined]);
      await next.stop();
    });
  }

  const hidden = {
    'a host name': { hostname: 'shop.example.com' },
    'an elastic address': { 'external-ip-type': 'eip' },
  };
  const B = { id: 'lb-b', 'force-override-listeners': 'true' };
  for (const [told, said] of Object.entries(hidden)) {
    for (const [which, first] of Object.entries({ 'its own': {}, 'one of people': { ...B, id: 'lb-a' } }))
      for (const isRestarted of which === 'its own' ? [false, true] : [false])
        it(`stays with ${which}, although it names another and says ${told}${isRestarted ? ', also after a restart' : ''}`, async () => {
          const run = await running({}, SEED);
          const before = cloudPicture(run.cluster.simulator);
          await apply(run, { annotations: annotated({ ...said, ...first }) });
          const serving =
            loadBalancers(run).find(({ listeners }) => listeners.some(({ port }) => port === 80))?.id ?? '';
          const eip = { address: '8.0.0.7', instanceId: serving, instanceType: 'SlbInstance' as const };
          run.cluster.simulator.seed({ eips: [eip] });
          await run.cluster.quiet(600_000);
          if (isRestarted) await run.process.stop();
          const since = now(run);
          replace(run, annotated({ ...said, ...B }));
          const process = isRestarted ? run.cluster.start() : run.process;
          await run.cluster.quiet();
          assert.deepEqual([changes(run, since), standing(run)[1]], [[], 'LoadBalancerChangeNotSupported']);
          assert.equal(run.cluster.service()?.metadata.labels?.[ID_LABEL], serving);
          run.cluster.kubernetes.delete(SERVICES, KEY);
          await run.cluster.quiet();
          assert.deepEqual([cloudPicture(run.cluster.simulator), run.cluster.service()], [before, undefined]);
          await process.stop();
        });
  }

  it('without its binding is not synced with the one that it names while its own cannot be looked for', async () => {
    const run = await running({}, SEED);
    const hosted = { hostname: 'shop.example.com' };
    await apply(run, { annotations: annotated(hosted) });
    await run.process.stop();
    deleteBinding(run);
    replace(run, annotated({ ...B, ...hosted }));
    run.cluster.simulator.faults([
      { action: 'DescribeLoadBalancers', effect: 'refuse', code: 'Forbidden.RAM', status: 403, count: 'forever' },
    ]);
    const since = now(run);
    const next = { cluster: run.cluster, process: run.cluster.start() };
    await run.cluster.quiet();
    assert.deepEqual([changes(next, since), standing(next)[1]], [[], 'Forbidden']);
    assert.deepEqual(next.cluster.service()?.metadata.finalizers, ['service.k8s.alibaba/resources']);
    await next.process.stop();
  });
});
