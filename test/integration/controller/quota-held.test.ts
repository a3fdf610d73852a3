import assert from 'node:assert/strict';
import type { LoadBalancerPolicySpec, Quota } from '../../../src/policy/resource.ts';
import { ports, ruled } from '../../support/ruled.ts';
import { annotated, apply, loadBalancers, patch, standing, type Running } from '../../support/running.ts';

const SHARED = { loadBalancers: [{ id: 'lb-shared', name: 'shared', address: '47.1.1.1', addressType: 'internet' }] };
const USING = annotated({ id: 'lb-shared', 'force-override-listeners': 'true' });
const BY_BANDWIDTH = annotated({ 'charge-type': 'paybybandwidth', bandwidth: '100' });
/** After which whoever waits has been looked at again. */
const A_WHILE_MS = 6 * 60_000;

const quota = (limits: Partial<Quota>): LoadBalancerPolicySpec => ({
  quotas: [{ name: 'q', per: 'namespace', ...limits }],
});
const annotate = (said: Readonly<Record<string, string | null>>): object => ({
  metadata: { annotations: annotated(said) },
});
const other = (ports: readonly number[] = [90], annotations: Readonly<Record<string, string>> = {}) => ({
  ...{ name: 'api', uid: '00000000-0000-4000-8000-000000000002' },
  ...{ ports, annotations },
});

interface Story {
  readonly limits: Partial<Quota>;
  /** Service web, as it has been let have all that there may be. */
  readonly has: { readonly ports?: readonly number[]; readonly annotations?: Readonly<Record<string, string>> };
  /** What it says from then on. */
  readonly says: readonly object[];
  readonly otherAsks: ReturnType<typeof other>;
}

const TAKING: Readonly<Record<string, Story>> = {
  'leaves listeners where it asks for none any more': {
    limits: { listeners: 2 },
    has: { ports: [80, 81], annotations: USING },
    says: [annotate({ 'force-override-listeners': 'false' })],
    otherAsks: other([90, 91], USING),
  },
  'names a load balancer that there is not': {
    limits: { publicLoadBalancers: 1 },
    has: {},
    says: [annotate({ id: 'lb-nowhere' })],
    otherAsks: other(),
  },
  'names another load balancer, told by host name and without its label': {
    limits: { loadBalancers: 1 },
    has: { annotations: annotated({ hostname: 'a.example.com' }) },
    says: [{ metadata: { labels: { 'service.k8s.alibaba/loadbalancer-id': null } } }, annotate({ id: 'lb-shared' })],
    otherAsks: other(),
  },
  'has listeners on its own load balancer and names another': {
    limits: { listeners: 2 },
    has: { ports: [80, 81] },
    says: [annotate({ id: 'lb-nowhere' })],
    otherAsks: other(),
  },
  'pays for bandwidth and names another load balancer': {
    limits: { bandwidth: 100 },
    has: { annotations: BY_BANDWIDTH },
    says: [annotate({ id: 'lb-shared' })],
    otherAsks: other([90], BY_BANDWIDTH),
  },
  'writes a bandwidth that cannot be read': {
    limits: { bandwidth: 100 },
    has: { annotations: BY_BANDWIDTH },
    says: [annotate({ bandwidth: 'x' })],
    otherAsks: other([90], BY_BANDWIDTH),
  },
  'keeps listeners whose servers cannot be told': {
    limits: { listeners: 3 },
    has: { ports: [80, 81], annotations: USING },
    says: [annotate({ 'vgroup-port': 'rsp-x:80' }), { spec: { ports: ports(80, 90) } }],
    otherAsks: other([91]),
  },
};

const RESTARTED = { never: '', before: ', after a restart', after: ', also after a restart' };

describe('a quota, to a controller whose webhook was away', () => {
  const countOf = (run: Running) => loadBalancers(run).map(({ listeners }) => listeners.length);

  for (const [what, { limits, has, says, otherAsks }] of Object.entries(TAKING)) {
    for (const restart of ['never', 'before', 'after'] as const) {
      it(`counts what a Service has that ${what}${RESTARTED[restart]}`, async () => {
        const rules = await ruled(quota(limits), SHARED, { controllers: ['service', 'inventory'] });
        let { run } = rules;
        await apply(run, has);
        await run.cluster.quiet(2 * 60_000);
        if (restart === 'before') run = await rules.restart();
        for (const change of says) await patch(run, change);
        await run.cluster.quiet(2 * 60_000);
        if (restart === 'after') run = await rules.restart();
        const before = countOf(run);
        await apply(run, otherAsks);
        await run.cluster.quiet(A_WHILE_MS);
        assert.deepEqual(countOf(run), before);
        await run.process.stop();
      });
    }
  }

  for (const isRestarted of [false, true]) {
    it(`takes no room from others for what it withholds${isRestarted ? ', also after a restart' : ''}`, async () => {
      const rules = await ruled(quota({ per: 'policy', listeners: 5 }));
      let { run } = rules;
      await apply(run, { ports: [80, 81, 82] });
      await patch(run, { spec: { ports: ports(...Array.from({ length: 30 }, (_, at) => 80 + at)) } });
      if (isRestarted) run = await rules.restart();
      await apply(run, other());
      await run.cluster.quiet(A_WHILE_MS);
      assert.deepEqual(countOf(run), [3, 1]);
      await run.process.stop();
    });
  }

  it('takes no room for a listener that a constraint withholds', async () => {
    const { run, enforce } = await ruled();
    await apply(run, { ports: [80] });
    await enforce({
      ...quota({ listeners: 2 }),
      constraints: [{ name: 'c', require: [{ field: 'port', noneOf: ['22'] }] }],
    });
    await patch(run, { spec: { ports: ports(80, 22) } });
    await apply(run, other());
    assert.deepEqual(countOf(run), [1, 1]);
    await run.process.stop();
  });

  it('takes no room for one that was begun, has nothing, and is refused', async () => {
    const { run } = await ruled(quota({ loadBalancers: 1 }));
    const fault = { action: 'CreateLoadBalancer', effect: 'refuse' as const, code: 'Forbidden.RAM', status: 403 };
    run.cluster.simulator.faults([{ ...fault, count: 'forever' }]);
    await apply(run);
    assert.deepEqual([standing(run)[1], loadBalancers(run)], ['Forbidden', []]);
    await patch(run, annotate({ scheduler: 'nonsense' }));
    run.cluster.simulator.clearFaults();
    await apply(run, other());
    await run.cluster.quiet(A_WHILE_MS);
    assert.deepEqual([standing(run)[1], countOf(run)], ['InvalidObject', [1]]);
    await run.process.stop();
  });

  it('gives what one gives up to another that waits for it, within a minute', async () => {
    const { run } = await ruled(quota({ listeners: 3 }));
    await apply(run, { ports: [80, 81, 82] });
    await apply(run, other());
    assert.deepEqual(countOf(run), [3]);
    await patch(run, { spec: { ports: ports(80) } });
    assert.deepEqual(countOf(run), [1, 1]);
    await run.process.stop();
  });
});
