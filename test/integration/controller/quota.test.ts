import assert from 'node:assert/strict';
import { SERVICES } from '../../../src/base/kubernetes-objects.ts';
import type { LoadBalancerPolicySpec } from '../../../src/policy/custom-resources.ts';
import { bindingsOf, READY } from '../../support/bindings.ts';
import {
  annotate,
  BY_BANDWIDTH,
  listenersOf,
  NO_SSH,
  other,
  quota,
  SHARED,
  USED_UP,
  usageOf,
  USING,
  type Story,
} from '../../support/quota-cases.ts';
import { ports, ruled, type Ruled } from '../../support/policy-controller.ts';
import {
  apply,
  deleteBinding,
  loadBalancers,
  messageOf,
  patch,
  statusAndReason,
  writesSince,
  type Running,
} from '../../support/running-controller.ts';
import { aService } from '../../support/service.ts';

/** Milliseconds within which every waiting Service is evaluated again. */
const A_WHILE_MS = 11 * 60_000;

/** Fails every read of existing load balancers. */
const hide = (run: Running): void => {
  const unread = { action: 'DescribeLoadBalancerAttribute', effect: 'reject', code: 'Forbidden.RAM', status: 403 };
  run.cluster.simulator.faults(
    loadBalancers(run).map(({ id }) => ({ ...unread, filter: { LoadBalancerId: id }, count: 'forever' })),
  );
};

const start = (spec: LoadBalancerPolicySpec): Promise<Ruled> =>
  ruled(spec, SHARED, { controllers: ['service', 'inventory'] });

/** Changes the cluster while no controller runs. */
async function between({ run, restart }: Ruled, does: () => void = () => undefined): Promise<Running> {
  await run.process.stop();
  does();
  return restart();
}

type Gap = (rules: Ruled) => Running | Promise<Running>;
/** Changes before the other Service is created. */
const GAPS: Readonly<Record<string, Gap>> = {
  'while the controller runs': ({ run }) => run,
  'after a restart': between,
  'after a restart without bindings': (rules) => between(rules, () => deleteBinding(rules.run)),
};

/** A quota must count each Service once, in every state. Otherwise tenants could exceed it, or be denied for no reason. */
describe('a quota still counts a Service', () => {
  for (const [what, { spec, has, patches, otherRequest }] of Object.entries(USED_UP)) {
    for (const [when, gap] of Object.entries(GAPS)) {
      it(`which ${what}, ${when}`, async () => {
        const rules = await start(spec);
        await apply(rules.run, has);
        assert.deepEqual(statusAndReason(rules.run), READY);
        for (const change of patches) await patch(rules.run, change);
        const before = listenersOf(rules.run);
        const run = await gap(rules);
        await apply(run, otherRequest);
        await run.cluster.quiet(A_WHILE_MS);
        assert.deepEqual(listenersOf(run), before);
        await run.process.stop();
      });
    }
  }

  it('while its cleanup fails', async () => {
    const { run } = await start(quota({ loadBalancers: 1 }));
    await apply(run);
    const fault = { action: 'DeleteLoadBalancer', effect: 'reject' as const, code: 'OperationDenied', status: 400 };
    run.cluster.simulator.faults([{ ...fault, count: 'forever' }]);
    await patch(run, { spec: { type: 'ClusterIP' } });
    await apply(run, other());
    assert.deepEqual(statusAndReason(run, 'api'), ['False', 'QuotaExceeded']);
    run.cluster.simulator.clearFaults();
    await run.cluster.quiet(A_WHILE_MS);
    assert.deepEqual([statusAndReason(run, 'api'), bindingsOf(run).length], [READY, 1]);
    await run.process.stop();
  });
});

/** Requests of Service `web` that have no effect, so that another Service must get the rest of the quota. */
const NOT_COUNTED: Readonly<Record<string, Omit<Story, 'otherRequest'> & Partial<Pick<Story, 'otherRequest'>>>> = {
  'names another load balancer, and then removes the annotation': {
    spec: quota({ listeners: 2 }),
    has: {},
    patches: [annotate({ id: 'lb-two', 'force-override-listeners': 'true' }), annotate({ id: null })],
  },
  'requests its own load balancer in place of a user-managed one': {
    spec: quota({ loadBalancers: 1 }),
    has: { annotations: USING },
    patches: [annotate({ id: null })],
  },
  'requests bandwidth that it cannot get': {
    spec: quota({ bandwidth: 100 }),
    has: {},
    patches: [annotate({ 'charge-type': 'paybybandwidth', bandwidth: '100' })],
    otherRequest: other([90], BY_BANDWIDTH),
  },
  'requests more than the quota': {
    spec: quota({ listeners: 4 }),
    has: { ports: [80, 81] },
    patches: [{ spec: { ports: ports(...Array.from({ length: 30 }, (_, at) => 80 + at)) } }],
  },
  'requests a listener that a constraint forbids': {
    spec: quota({ listeners: 2 }, NO_SSH),
    has: {},
    patches: [{ spec: { ports: ports(80, 22) } }],
  },
};

describe('a quota does not count a request of a Service that', () => {
  for (const [what, { spec, has, patches, otherRequest = other() }] of Object.entries(NOT_COUNTED)) {
    for (const [when, gap] of Object.entries(GAPS)) {
      it(`${what}, ${when}`, async () => {
        const rules = await start(spec);
        await apply(rules.run, has);
        for (const change of patches) await patch(rules.run, change);
        await rules.run.cluster.quiet(A_WHILE_MS);
        const run = await gap(rules);
        await apply(run, otherRequest);
        await run.cluster.quiet(A_WHILE_MS);
        assert.deepEqual(statusAndReason(run, 'api'), READY);
        await run.process.stop();
      });
    }
  }

  it('is denied before its load balancer was created', async () => {
    const { run } = await start(quota({ loadBalancers: 1 }));
    const fault = { action: 'CreateLoadBalancer', effect: 'reject' as const, code: 'Forbidden.RAM', status: 403 };
    run.cluster.simulator.faults([{ ...fault, count: 'forever' }]);
    await apply(run);
    await apply(run, other());
    assert.deepEqual([statusAndReason(run)[1], statusAndReason(run, 'api')[1]], ['Forbidden', 'QuotaExceeded']);
    await patch(run, annotate({ scheduler: 'nonsense' }));
    run.cluster.simulator.clearFaults();
    await run.cluster.quiet(A_WHILE_MS);
    assert.deepEqual([statusAndReason(run)[1], statusAndReason(run, 'api')], ['Invalid', READY]);
    await run.process.stop();
  });
});

describe('a quota', () => {
  it('records more usage before a change, and less usage after the change took effect', async () => {
    const { run } = await start(quota({ listeners: 3 }));
    await apply(run, { ports: [80, 81, 82] });
    assert.deepEqual(
      writesSince(run).filter((write) => /services|bindings/.test(write)),
      ['create loadbalancerbindings', 'patch services', 'patch loadbalancerbindings', 'patch services status'],
    );
    assert.deepEqual(usageOf(run), { loadBalancers: 1, publicLoadBalancers: 1, listeners: 3, bandwidth: 0 });
    await apply(run, other());
    assert.deepEqual([listenersOf(run), usageOf(run, 'api')], [[80, 81, 82], undefined]);
    await patch(run, { spec: { ports: ports(80) } });
    assert.deepEqual([listenersOf(run), usageOf(run)?.listeners], [[80, 90], 1]);
    await run.process.stop();
  });

  it('is in the condition of a denied Service, with its usage and its limit', async () => {
    const { run } = await start(quota({ listeners: 3 }));
    await apply(run, { ports: [80, 81] });
    await patch(run, { spec: { ports: ports(80, 81, 82, 83) } });
    assert.deepEqual(
      [statusAndReason(run), listenersOf(run)],
      [
        ['False', 'QuotaExceeded'],
        [80, 81],
      ],
    );
    assert.match(
      messageOf(run),
      /exceeded quota "q" of LoadBalancerPolicy "p": listeners: used 2, requested 2, hard 3; blocked: create tcp listener 82/,
    );
    await run.process.stop();
  });

  it('admits one of two Services stored together, and the other after the first is deleted', async () => {
    const { run } = await start(quota({ loadBalancers: 1 }));
    run.cluster.kubernetes.put(SERVICES, aService());
    run.cluster.kubernetes.put(SERVICES, aService(other()));
    await run.cluster.quiet();
    const first = statusAndReason(run)[0] === 'True' ? 'web' : 'api';
    const second = first === 'web' ? 'api' : 'web';
    assert.deepEqual([statusAndReason(run, first), statusAndReason(run, second)], [READY, ['False', 'QuotaExceeded']]);
    await patch(run, { spec: { type: 'ClusterIP' } }, run.cluster.service(first));
    assert.deepEqual(statusAndReason(run, second), READY);
    await run.process.stop();
  });

  it('removes nothing when a limit is lowered, and admits again when the limit is raised', async () => {
    const { run, enforce } = await start(quota({ listeners: 3 }));
    await apply(run, { ports: [80, 81, 82] });
    await enforce(quota({ listeners: 1 }));
    await patch(run, { spec: { ports: ports(80, 81, 83) } });
    assert.deepEqual([listenersOf(run), statusAndReason(run)], [[80, 81, 83], READY]);
    await patch(run, { spec: { ports: ports(80, 81, 83, 84) } });
    assert.deepEqual([listenersOf(run), statusAndReason(run)[1]], [[80, 81, 83], 'QuotaExceeded']);
    await enforce(quota({ listeners: 4 }));
    assert.deepEqual([listenersOf(run), statusAndReason(run)], [[80, 81, 83, 84], READY]);
    await run.process.stop();
  });

  it('denies growth while the usage of a counted Service is unknown, and admits it afterwards', async () => {
    const rules = await start(quota({ listeners: 3 }));
    await apply(rules.run, { ports: [80, 81] });
    const run = await between(rules, () => {
      deleteBinding(rules.run);
      hide(rules.run);
    });
    await apply(run, other());
    await apply(run, {
      ...other([91]),
      name: 'teller',
      namespace: 'bank',
      uid: '00000000-0000-4000-8003-000000000000',
    });
    await run.cluster.quiet(A_WHILE_MS);
    assert.deepEqual(
      [listenersOf(run), statusAndReason(run, 'api')],
      [
        [80, 81, 91],
        ['False', 'QuotaExceeded'],
      ],
    );
    run.cluster.simulator.clearFaults();
    await run.cluster.quiet(A_WHILE_MS);
    assert.deepEqual([listenersOf(run), statusAndReason(run, 'api')], [[80, 81, 90, 91], READY]);
    await run.process.stop();
  });

  it('admits existing resources beyond the limit when a binding is written again', async () => {
    const rules = await start(quota({ listeners: 3 }));
    await apply(rules.run, { ports: [80, 81, 82] });
    const usage = usageOf(rules.run);
    await rules.enforce(quota({ listeners: 1 }));
    const run = await between(rules, () => deleteBinding(rules.run));
    await run.cluster.quiet();
    assert.deepEqual([usageOf(run), statusAndReason(run)], [usage, READY]);
    await run.process.stop();
  });

  it('does not count a Service that claims to be served, but has no resources', async () => {
    const { run } = await start(quota({ loadBalancers: 1, listeners: 1 }));
    const claiming = aService({ ports: [80, 81] });
    const finalizers = ['service.k8s.alibaba/resources'];
    run.cluster.kubernetes.put(SERVICES, { ...claiming, metadata: { ...claiming.metadata, finalizers } });
    await run.cluster.quiet();
    await apply(run, other());
    await run.cluster.quiet(A_WHILE_MS);
    assert.deepEqual([statusAndReason(run)[1], statusAndReason(run, 'api')], ['QuotaExceeded', READY]);
    await run.process.stop();
  });
});
