import assert from 'node:assert/strict';
import { pino } from 'pino';
import { Registry } from 'prom-client';
import { PortcullisError } from '../../../src/base/errors.ts';
import type { ApiCall } from '../../../src/kubernetes/api-call.ts';
import { reflectorMetrics } from '../../../src/kubernetes/metrics.ts';
import { policyCaches } from '../../../src/kubernetes/policy-caches.ts';
import { ApiScript, listEnd, type Step } from '../../support/api-script.ts';
import { aPolicy, anException } from '../../support/policy.ts';
import { VirtualClock } from '../../support/virtual-clock.ts';

const added = (object: object): Step => ({ type: 'ADDED', object });
const missing = (): Step => new PortcullisError('NotFound', 'there is no such kind', { code: '404' });
const NAMESPACE = {
  metadata: { name: 'shop', uid: 'u', resourceVersion: '1', labels: { team: 'shop' }, annotations: { long: 'text' } },
  spec: { finalizers: ['kubernetes'] },
};
const POLICY = aPolicy('p', { rules: [{ rule: 'target-port', mode: 'warn' }] });

/** Only policies and exceptions need the labels of namespaces, so processes must not read namespaces in a cluster that has neither. */
describe('the caches of policies', () => {
  const stop = new AbortController();
  after(() => stop.abort(new Error('the test is over')));

  /** Creates caches for these objects, by plural. Other kinds are not served. */
  const setUp = (served: Record<string, readonly Step[]>) => {
    const clock = new VirtualClock();
    const script = ({ path }: ApiCall): readonly Step[] => {
      const steps = served[path.split('/').at(-1) ?? ''];
      return steps === undefined ? [missing()] : [...steps, listEnd('5'), 'stay'];
    };
    const api = new ApiScript({ streams: [script] });
    const log = pino({ level: 'silent' });
    const caches = policyCaches({
      transport: api,
      clock,
      metrics: reflectorMetrics(new Registry()),
      log,
      random: () => 1,
    });
    const requests = (): readonly string[] =>
      [...new Set(api.calls.map(({ path }) => path.split('/').at(-1) ?? ''))].sort();
    return { clock, caches, requests };
  };
  const none = { loadbalancerpolicies: [], loadbalancerexceptions: [], namespaces: [added(NAMESPACE)] };

  it('read no namespaces as long as there are neither policies nor exceptions', async () => {
    const { clock, caches, requests } = setUp(none);
    void caches.run(stop.signal);
    await clock.complete(caches.synced(stop.signal));
    assert.deepEqual(requests(), ['loadbalancerexceptions', 'loadbalancerpolicies']);
    assert.deepEqual(
      Object.values(caches.checks).map((check) => check()),
      [undefined, undefined, undefined],
    );
  });

  it('wait for namespaces when a policy exists, and keep their labels', async () => {
    const { clock, caches, requests } = setUp({ ...none, loadbalancerpolicies: [added(POLICY)] });
    void caches.run(stop.signal);
    await clock.complete(caches.synced(stop.signal));
    assert.deepEqual(requests(), ['loadbalancerexceptions', 'loadbalancerpolicies', 'namespaces']);
    assert.deepEqual(
      [...caches.namespaces.values()],
      [{ metadata: { name: 'shop', uid: 'u', resourceVersion: '1', labels: { team: 'shop' } } }],
    );
  });

  it('keep the specs of policies and exceptions, and no status', async () => {
    const status = { observedGeneration: 1, namespaces: 1, conditions: [] };
    const exception = anException('e', { rule: 'target-port' });
    const { clock, caches } = setUp({
      ...none,
      loadbalancerpolicies: [added({ ...POLICY, status })],
      loadbalancerexceptions: [added(exception)],
    });
    void caches.run(stop.signal);
    await clock.complete(caches.synced(stop.signal));
    const { metadata, spec } = POLICY;
    assert.deepEqual([...caches.policies.values()], [{ metadata, spec }]);
    assert.deepEqual(
      [...caches.exceptions.values()].map((each) => each.spec),
      [exception.spec],
    );
  });

  it('skip kinds that the cluster does not serve, and read them when it does', async () => {
    const served: Record<string, readonly Step[]> = { namespaces: [added(NAMESPACE)] };
    const { clock, caches } = setUp(served);
    void caches.run(stop.signal);
    await clock.complete(caches.synced(stop.signal));
    assert.equal(caches.checks['informer-loadbalancerpolicies']?.(), undefined);
    served['loadbalancerpolicies'] = [added(POLICY)];
    await clock.advance(10_000);
    assert.deepEqual(
      [...caches.policies.values()].map(({ metadata }) => metadata.name),
      ['p'],
    );
    assert.equal(caches.namespaces.hasSynced(), true);
  });

  it('stop on request, although namespaces were never needed', async () => {
    const { clock, caches } = setUp(none);
    const own = new AbortController();
    const running = caches.run(own.signal);
    await clock.complete(caches.synced(own.signal));
    own.abort(new Error('over'));
    await clock.complete(running);
  });
});
