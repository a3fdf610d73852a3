import assert from 'node:assert/strict';
import { SERVICES } from '../../support/cluster.ts';
import {
  annotated,
  annotation,
  apply,
  deleteBinding,
  events,
  loadBalancers,
  running,
  standing,
  type Running,
} from '../../support/running.ts';

const FINALIZER = 'service.k8s.alibaba/resources';
const AN_HOUR_MS = 3_600_000;
const SEED = { loadBalancers: [{ id: 'lb-1', name: 'a', address: '47.1.1.1', listeners: [] }] };
const REUSING = annotated({ id: 'lb-1', 'force-override-listeners': 'true' });

interface Manifest {
  readonly type?: string;
  readonly annotations?: Readonly<Record<string, string>>;
}

/** Writes a manifest over the Service, as `kubectl replace` does: what the controller wrote is not in it. */
function replace({ cluster }: Running, { type = 'LoadBalancer', annotations = {} }: Manifest): void {
  const stored = cluster.service() ?? assert.fail();
  const { name, namespace, uid, resourceVersion } = stored.metadata;
  const metadata = { name, namespace, uid, resourceVersion, annotations };
  const status = type === 'LoadBalancer' ? (stored.status ?? {}) : {};
  cluster.kubernetes.put(SERVICES, { ...stored, metadata, spec: { ...stored.spec, type }, status });
}

const finalizers = ({ cluster }: Running): readonly string[] => cluster.service()?.metadata.finalizers ?? [];

describe('a Service from which a write takes the finalizer', () => {
  for (const [sentence, manifest, isLeft] of [
    ['with its type is cleaned up all the same', { type: 'ClusterIP' }, true],
    [
      'and which is given to another controller is, too',
      { annotations: { 'service.beta.kubernetes.io/class': 'x' } },
      true,
    ],
    [
      'and on which a type has been written that is not heeded here keeps all',
      { annotations: { [annotation('type')]: 'nlb' } },
      false,
    ],
  ] as const) {
    it(sentence, async () => {
      const run = await running();
      await apply(run);
      replace(run, manifest);
      await run.cluster.quiet(10 * 60_000);
      assert.deepEqual([loadBalancers(run).length, finalizers(run)], isLeft ? [0, []] : [1, [FINALIZER]]);
      assert.equal(events(run, 'CleanLoadBalancer').length, isLeft ? 1 : 0);
      await run.process.stop();
    });
  }

  it('leaves nothing on a load balancer of people either', async () => {
    const run = await running({}, SEED);
    await apply(run, { annotations: REUSING });
    replace(run, { type: 'ClusterIP' });
    await run.cluster.quiet(10 * 60_000);
    const [{ listeners } = assert.fail()] = loadBalancers(run);
    assert.deepEqual([listeners, finalizers(run)], [[], []]);
    await run.process.stop();
  });

  it('is cleaned up also where the type goes just after', async () => {
    const run = await running();
    await apply(run);
    replace(run, {});
    replace(run, { type: 'ClusterIP' });
    await run.cluster.quiet(10 * 60_000);
    assert.deepEqual([loadBalancers(run).length, finalizers(run)], [0, []]);
    await run.process.stop();
  });

  it('gets it back as long as it is for a load balancer', async () => {
    const run = await running();
    await apply(run);
    replace(run, {});
    await run.cluster.quiet();
    assert.deepEqual([standing(run), finalizers(run)], [['True', 'EnsuredLoadBalancer'], [FINALIZER]]);
    await run.process.stop();
  });

  it('with its type is cleaned up also while no controller runs', async () => {
    const run = await running();
    await apply(run);
    await run.process.stop();
    replace(run, { type: 'ClusterIP' });
    const next = run.cluster.start();
    await run.cluster.quiet(10 * 60_000);
    assert.deepEqual([loadBalancers(run).length, finalizers(run), run.cluster.binding()], [0, [], undefined]);
    await next.stop();
  });

  it('without a binding is cleaned up once somebody puts it back on', async () => {
    const run = await running();
    await apply(run);
    await run.process.stop();
    deleteBinding(run);
    replace(run, { type: 'ClusterIP' });
    const next = run.cluster.start();
    await run.cluster.quiet(AN_HOUR_MS);
    assert.equal(loadBalancers(run).length, 1);
    const stored = run.cluster.service() ?? assert.fail();
    run.cluster.kubernetes.put(SERVICES, { ...stored, metadata: { ...stored.metadata, finalizers: [FINALIZER] } });
    await run.cluster.quiet(10 * 60_000);
    assert.deepEqual([loadBalancers(run).length, finalizers(run)], [0, []]);
    await next.stop();
  });
});
