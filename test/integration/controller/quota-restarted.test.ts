import assert from 'node:assert/strict';
import type { LoadBalancerPolicySpec, Quota } from '../../../src/policy/resource.ts';
import { ports, ruled } from '../../support/ruled.ts';
import {
  annotated,
  apply,
  events,
  loadBalancers,
  messageOf,
  now,
  patch,
  standing,
  type Running,
  deleteBinding,
} from '../../support/running.ts';
import { aService, type ServiceSaid } from '../../support/service.ts';

const SHARED = { loadBalancers: [{ id: 'lb-shared', name: 'shared', address: '47.1.1.1', addressType: 'internet' }] };
const BY_BANDWIDTH = annotated({ 'charge-type': 'paybybandwidth', bandwidth: '100' });
const NO_SSH: LoadBalancerPolicySpec = { constraints: [{ name: 'c', require: [{ field: 'port', noneOf: ['22'] }] }] };
/** Load balancers cannot be read: unless others are said, neither what serves Service web, nor what it names. */
const hide = (run: Running, ...ids: readonly (string | undefined)[]): void => {
  const unread = { action: 'DescribeLoadBalancerAttribute', effect: 'refuse', code: 'Forbidden.RAM', status: 403 };
  const hidden = ids.length > 0 ? ids : loadBalancers(run).map(({ id }) => id);
  const faults = hidden.map((id) => ({ ...unread, filter: { LoadBalancerId: id }, count: 'forever' }));
  run.cluster.simulator.faults(faults);
};
const HOUR_MS = 60 * 60_000;

const quota = (limits: Partial<Quota>, beside: LoadBalancerPolicySpec = {}): LoadBalancerPolicySpec => ({
  quotas: [{ name: 'q', per: 'namespace', ...limits }],
  ...beside,
});
const annotate = (said: Readonly<Record<string, string | null>>): object => ({
  metadata: { annotations: annotated(said) },
});
/** Another Service, which comes before or after web in the list. */
const other = (ports: readonly number[] = [90], annotations: Readonly<Record<string, string>> = {}, name = 'api') => ({
  ...{ name, uid: '00000000-0000-4000-8000-000000000002' },
  ...{ ports, annotations },
});

interface Story {
  readonly spec: LoadBalancerPolicySpec;
  /** Service web, which has all that there may be. */
  readonly has: { readonly ports?: readonly number[]; readonly annotations?: Readonly<Record<string, string>> };
  /** What it says from then on. */
  readonly says: object;
  readonly otherAsks: ServiceSaid;
}

const WAITED_FOR: Readonly<Record<string, Story>> = {
  'has listeners and names a load balancer that there is not': {
    spec: quota({ listeners: 2 }),
    has: { ports: [80, 81] },
    says: annotate({ id: 'lb-nowhere' }),
    otherAsks: other(),
  },
  'pays for bandwidth and names a load balancer in vain': {
    spec: quota({ bandwidth: 100 }),
    has: { annotations: BY_BANDWIDTH },
    says: annotate({ id: 'lb-shared' }),
    otherAsks: other([90], BY_BANDWIDTH),
  },
  'pays for bandwidth and does not say it any more': {
    spec: quota({ bandwidth: 100 }),
    has: { annotations: BY_BANDWIDTH },
    says: annotate({ bandwidth: null }),
    otherAsks: other([90], BY_BANDWIDTH),
  },
  'gave up ports in the same breath as it hid its backends': {
    spec: quota({ listeners: 3 }),
    has: { ports: [80, 81, 82] },
    says: { spec: { ports: ports(80) }, ...annotate({ weight: 'x' }) },
    otherAsks: other([90, 91]),
  },
  'has lost the label of its load balancer and names another in vain': {
    spec: quota({ listeners: 2 }),
    has: { ports: [80, 81] },
    says: {
      metadata: {
        labels: { 'service.k8s.alibaba/loadbalancer-id': null },
        annotations: annotated({ id: 'lb-shared' }),
      },
    },
    otherAsks: other(),
  },
  'writes a bandwidth that cannot be read': {
    spec: quota({ bandwidth: 100 }),
    has: { annotations: BY_BANDWIDTH },
    says: annotate({ bandwidth: 'x' }),
    otherAsks: other([90], BY_BANDWIDTH),
  },
  'keeps listeners in the place of one that a constraint withholds': {
    spec: quota({ listeners: 2 }, NO_SSH),
    has: { ports: [80, 81] },
    says: { spec: { ports: ports(22) } },
    otherAsks: other(),
  },
  'is counted together with other namespaces': {
    spec: quota({ per: 'policy', listeners: 2 }),
    has: { ports: [80, 81] },
    says: annotate({ id: 'lb-nowhere' }),
    otherAsks: { ...other(), namespace: 'bank' },
  },
};

const listenersOf = (run: Running): readonly number[] =>
  loadBalancers(run)
    .flatMap(({ listeners }) => listeners.map(({ port }) => port))
    .sort((left, right) => left - right);

describe('who waits for a quota, when the controller is started again', () => {
  for (const [what, { spec, has, says, otherAsks }] of Object.entries(WAITED_FOR)) {
    for (const name of ['api', 'zebra']) {
      it(`waits on, though one ${what}; ${name} as well as web`, async () => {
        const rules = await ruled(spec, SHARED, { controllers: ['service', 'inventory'] });
        await apply(rules.run, has);
        await rules.run.cluster.quiet(2 * 60_000);
        await patch(rules.run, says);
        await apply(rules.run, { ...otherAsks, name });
        await rules.run.cluster.quiet(10 * 60_000);
        const before = listenersOf(rules.run);
        const run = await rules.restart();
        await run.cluster.quiet(HOUR_MS);
        assert.deepEqual(listenersOf(run), before);
        await run.process.stop();
      });
    }
  }

  it('has one that is refused looked at once, and tells of it where that fails, for no longer than others wait', async () => {
    const rules = await ruled(quota({ listeners: 3 }), SHARED);
    await apply(rules.run, { ports: [80, 81] });
    await patch(rules.run, { spec: { ports: ports(80) }, ...annotate({ weight: 'x' }) });
    await rules.run.process.stop();
    const { simulator } = rules.run.cluster;
    hide(rules.run);
    const run = await rules.restart();
    await run.cluster.quiet(2 * 60_000);
    assert.match(messageOf(run), /found "x", allowed: a whole number/);
    simulator.clearFaults();
    await run.cluster.quiet(10 * 60_000);
    assert.deepEqual(
      [standing(run), listenersOf(run)],
      [
        ['False', 'InvalidObject'],
        [80, 81],
      ],
    );
    const calls = now(run);
    await patch(run, annotate({ weight: 'y' }));
    await run.cluster.quiet(HOUR_MS);
    assert.equal(now(run), calls);
    await run.process.stop();
  });

  it('gets the room that there is as soon as those that were served have been looked at', async () => {
    const rules = await ruled(quota({ listeners: 3 }), SHARED);
    await apply(rules.run, { ports: [80, 81] });
    await patch(rules.run, annotate({ id: 'lb-nowhere' }));
    await rules.run.process.stop();
    await apply(rules.run, other());
    const run = await rules.restart();
    assert.deepEqual(listenersOf(run), [80, 81, 90]);
    await run.process.stop();
  });

  it('gets it also where one names a load balancer that cannot be read, and what serves that one can be', async () => {
    const rules = await ruled(quota({ listeners: 3 }), SHARED);
    await apply(rules.run, { ports: [80, 81] });
    await patch(rules.run, annotate({ id: 'lb-shared' }));
    const unread = { action: 'DescribeLoadBalancerAttribute', filter: { LoadBalancerId: 'lb-shared' } };
    const forbidden = { effect: 'refuse', code: 'Forbidden.RAM', status: 403, count: 'forever' };
    rules.run.cluster.simulator.faults([{ ...unread, ...forbidden }]);
    await rules.run.process.stop();
    await apply(rules.run, other());
    const run = await rules.restart();
    assert.deepEqual(listenersOf(run), [80, 81, 90]);
    await run.process.stop();
  });

  it('waits for the mirror where others need not say what bandwidth they have', async () => {
    const rules = await ruled(quota({ per: 'policy', bandwidth: 100 }), {}, { controllers: ['service', 'inventory'] });
    await apply(rules.run, { annotations: BY_BANDWIDTH });
    await patch(rules.run, annotate({ bandwidth: null }));
    await rules.run.process.stop();
    await apply(rules.run, { ...other([90], BY_BANDWIDTH), namespace: 'bank' });
    const run = await rules.restart();
    await run.cluster.quiet(HOUR_MS);
    assert.deepEqual(listenersOf(run), [80]);
    await run.process.stop();
  });

  it('waits for nothing that it does not ask for: where bandwidth alone is not known, a listener is made at once', async () => {
    const rules = await ruled(quota({ bandwidth: 100, listeners: 3 }));
    await apply(rules.run, { annotations: BY_BANDWIDTH });
    await rules.run.process.stop();
    await apply(rules.run, other());
    const run = await rules.restart();
    assert.deepEqual(listenersOf(run), [80, 90]);
    await run.process.stop();
  });

  it('gets the room of all namespaces as soon as those have been looked at that its quota counts', async () => {
    const match = { namespaceSelector: { matchLabels: { team: 'shop' } } };
    const rules = await ruled({ match, ...quota({ per: 'policy', listeners: 3 }) }, SHARED);
    for (const name of ['shop', 'bank']) await rules.setLabels(name, { team: 'shop' });
    await rules.setLabels('elsewhere', { team: 'other' });
    const uid = '00000000-0000-4000-8003-000000000000';
    const stuck = { ...other([85]), name: 'stuck', namespace: 'elsewhere', uid };
    await apply(rules.run, { ports: [80] });
    await apply(rules.run, stuck);
    await patch(rules.run, annotate({ id: 'lb-nowhere' }));
    await patch(rules.run, annotate({ id: 'lb-shared' }), aService(stuck));
    hide(rules.run, 'lb-shared', loadBalancers(rules.run).at(-1)?.id);
    await rules.run.process.stop();
    await apply(rules.run, { ...other(), namespace: 'bank' });
    const run = await rules.restart();
    assert.deepEqual(listenersOf(run), [80, 85, 90]);
    await run.process.stop();
  });

  it('is told so meanwhile', async () => {
    const rules = await ruled(quota({ listeners: 3 }), SHARED);
    await apply(rules.run, { ports: [80, 81] });
    await rules.run.process.stop();
    deleteBinding(rules.run);
    hide(rules.run);
    const run = await rules.restart();
    await apply(run, other());
    assert.equal(standing(run, 'api')[1], 'InvalidObject');
    assert.match(
      events(run, 'SyncLoadBalancerFailed').join(),
      /found "3 listeners or more", allowed: at most 3 .*wait until it is known/,
    );
    await run.process.stop();
  });

  it('waits no longer than ten minutes for one that cannot be looked at', async () => {
    const rules = await ruled(quota({ listeners: 3 }), SHARED);
    await apply(rules.run, { ports: [80, 81] });
    await rules.run.process.stop();
    deleteBinding(rules.run);
    hide(rules.run);
    const run = await rules.restart();
    await apply(run, other());
    await run.cluster.quiet(5 * 60_000);
    assert.deepEqual(listenersOf(run), [80, 81]);
    await run.cluster.quiet(15 * 60_000);
    assert.deepEqual(listenersOf(run), [80, 81, 90]);
    await run.process.stop();
  });

  it('is held up by nobody in a namespace that the quota does not count', async () => {
    const rules = await ruled(quota({ listeners: 3 }), SHARED);
    await apply(rules.run, { ports: [80, 81] });
    await rules.run.process.stop();
    deleteBinding(rules.run);
    hide(rules.run);
    const run = await rules.restart();
    await apply(run, { ...other(), namespace: 'bank' });
    assert.deepEqual(listenersOf(run), [80, 81, 90]);
    await run.process.stop();
  });
});
