import assert from 'node:assert/strict';
import { AN_AUDIT_MS } from '../../support/simulated-cluster.ts';
import {
  annotated,
  apply,
  changes,
  deleteBinding,
  events,
  loadBalancers,
  callCount,
  patch,
  running,
  type Running,
} from '../../support/running-controller.ts';
import { during, replace, type ControllerState } from '../../support/service-changes.ts';

type Annotations = Readonly<Record<string, string | null>>;

const OWNER = 'a5e4dbfc9c2ae4642b0335607860aef6';
const OWNER_TAGS = { 'kubernetes.do.not.delete': OWNER, 'ack.aliyun.com': 'c1' };
const SHARED = { loadBalancers: [{ id: 'lb-a', name: 'shared', address: '47.1.1.1', tags: { cost: '7' } }] };
const SPEC = { 'instance-charge-type': 'PayBySpec', spec: 'slb.s2.small' };
const SET_SCHEDULER = 'SetLoadBalancerTCPListenerAttribute';

const annotate = (run: Running, annotations: Annotations): Promise<void> =>
  patch(run, { metadata: { annotations: annotated(annotations) } });
const schedulerOf = (run: Running): unknown =>
  loadBalancers(run).flatMap(({ listeners }) => listeners)[0]?.attributes['Scheduler'];
const attributesOf = (run: Running, names: readonly string[]): readonly unknown[] => {
  const [loadBalancer = {}] = loadBalancers(run) as readonly Readonly<Record<string, unknown>>[];
  return names.map((name) => loadBalancer[name]);
};

/** A removed annotation must reset its attribute. Otherwise a limit or a price would stay without a visible reason. */
describe('an attribute of an owned load balancer whose annotation is removed', () => {
  interface Row {
    readonly annotations: Readonly<Record<string, string>>;
    /** Changes in sequence. Defaults to the removal of all annotations. */
    readonly changes?: readonly Annotations[];
    readonly attributes: readonly string[];
    readonly before: readonly unknown[];
    readonly after: readonly unknown[];
    /** Calls of the last change. Undefined if irrelevant. */
    readonly calls?: readonly string[];
  }
  const CHARGE = ['instanceChargeType', 'spec'];
  const ROWS: Readonly<Record<string, Row>> = {
    name: { annotations: { name: 'shop' }, attributes: ['name'], before: ['shop'], after: [OWNER] },
    'delete-protection': {
      annotations: { 'delete-protection': 'off' },
      ...{ attributes: ['deleteProtection'], before: ['off'], after: ['on'] },
    },
    'modification-protection': {
      annotations: { 'modification-protection': 'NonProtection' },
      attributes: ['modificationProtection', 'modificationProtectionReason'],
      ...{ before: ['NonProtection', undefined], after: ['ConsoleProtection', 'managed.by.ack'] },
    },
    'additional-resource-tags': {
      annotations: { 'additional-resource-tags': 'team=shop' },
      ...{ attributes: ['tags'], before: [{ team: 'shop', ...OWNER_TAGS }], after: [OWNER_TAGS] },
    },
    'charge-type': {
      annotations: { 'instance-charge-type': 'PayBySpec', 'charge-type': 'paybybandwidth', bandwidth: '10' },
      changes: [{ 'charge-type': null, bandwidth: null }],
      ...{ attributes: ['internetChargeType'], before: ['paybybandwidth'], after: ['paybytraffic'] },
    },
    'spec alone': {
      ...{ annotations: SPEC, changes: [{ spec: null }], attributes: CHARGE },
      ...{ before: ['PayBySpec', 'slb.s2.small'], after: ['PayBySpec', 'slb.s1.small'] },
    },
    'spec, although the cloud cannot reset instance-charge-type': {
      ...{ annotations: SPEC, attributes: CHARGE, calls: ['ModifyLoadBalancerInstanceSpec'] },
      ...{ before: ['PayBySpec', 'slb.s2.small'], after: ['PayBySpec', 'slb.s1.small'] },
    },
    'spec, if it is removed after instance-charge-type': {
      ...{ annotations: SPEC, changes: [{ 'instance-charge-type': null }, { spec: null }], attributes: CHARGE },
      ...{ before: ['PayBySpec', 'slb.s2.small'], after: ['PayBySpec', 'slb.s1.small'] },
      calls: ['ModifyLoadBalancerInstanceSpec'],
    },
    'spec, while instance-charge-type changes to PayByCLCU': {
      ...{ annotations: SPEC, changes: [{ 'instance-charge-type': 'PayByCLCU', spec: null }], attributes: CHARGE },
      ...{ before: ['PayBySpec', 'slb.s2.small'], after: ['PayByCLCU', 'slb.lcu.elastic'] },
      calls: ['ModifyLoadBalancerInstanceChargeType'],
    },
  };
  for (const [what, { annotations, attributes, before, after, calls, ...row }] of Object.entries(ROWS))
    it(`is reset: ${what}`, async () => {
      const run = await running();
      await apply(run, { annotations: annotated(annotations) });
      assert.deepEqual(attributesOf(run, attributes), before);
      let since = callCount(run);
      const all = Object.fromEntries(Object.keys(annotations).map((key) => [key, null]));
      for (const change of row.changes ?? [all]) {
        since = callCount(run);
        await annotate(run, change);
      }
      assert.deepEqual(attributesOf(run, attributes), after);
      const made = changes(run, since);
      if (calls !== undefined) assert.deepEqual(made, calls);
      await run.cluster.quiet(AN_AUDIT_MS);
      assert.deepEqual(changes(run, since), made);
      await run.process.stop();
    });

  it('stays, with one event, if the cloud cannot reset it; a later PayByCLCU changes it', async () => {
    const run = await running();
    await apply(run, { annotations: annotated(SPEC) });
    await annotate(run, { 'instance-charge-type': null, spec: null });
    assert.match(events(run, 'EnsuredLoadBalancer').at(-1) ?? '', /billing by specification continues.*PayByCLCU/);
    const count = events(run, 'EnsuredLoadBalancer').length;
    await run.cluster.quiet(AN_AUDIT_MS);
    assert.equal(events(run, 'EnsuredLoadBalancer').length, count);
    const since = callCount(run);
    await annotate(run, { 'instance-charge-type': 'PayByCLCU' });
    assert.deepEqual(changes(run, since), ['ModifyLoadBalancerInstanceChargeType']);
    await run.process.stop();
  });
});

describe('an attribute of a listener whose annotation is removed', () => {
  interface Row {
    readonly state: ControllerState;
    readonly act: (run: Running) => unknown;
    readonly calls?: readonly string[];
    /** The number of writes to the API server. Undefined if irrelevant. */
    readonly writes?: number;
  }
  const remove = (run: Running) => annotate(run, { scheduler: null });
  const ROWS: Readonly<Record<string, Row>> = {
    'is reset by the next process, with one call and two writes': { state: 'stopped', act: remove, writes: 2 },
    'is reset after kubectl replace': { state: 'running', act: replace },
    'is reset by the next process after kubectl replace': { state: 'stopped', act: replace },
    'stays if no binding records it, because the annotation was removed before the adoption': {
      state: 'stopped',
      act: (run) => {
        deleteBinding(run);
        return remove(run);
      },
      calls: [],
    },
  };
  for (const [title, { state, act, calls = [SET_SCHEDULER], writes }] of Object.entries(ROWS))
    it(title, async () => {
      const run = await running();
      await apply(run, { annotations: annotated({ scheduler: 'wrr' }) });
      let [since, written] = [0, 0];
      const next = await during(run, state, () => {
        [since, written] = [callCount(run), run.cluster.kubernetes.writes.length];
        return act(run);
      });
      await run.cluster.quiet();
      assert.deepEqual([schedulerOf(run), changes(run, since)], [calls.length === 0 ? 'wrr' : 'rr', calls]);
      assert.equal(run.cluster.binding()?.spec.resettableOptions, undefined);
      if (writes !== undefined) assert.equal(run.cluster.kubernetes.writes.length - written, writes);
      await next.process.stop();
    });

  it('is reset although the process crashed right after it was set', async () => {
    const run = await running();
    await apply(run);
    await run.process.stop();
    const killed = run.cluster.start({
      onCall: async (action, when) => {
        if (action === SET_SCHEDULER && when === 'after') killed.kill();
      },
    });
    await annotate(run, { scheduler: 'wrr' });
    assert.equal(schedulerOf(run), 'wrr');
    await annotate(run, { scheduler: null });
    const process = run.cluster.start();
    await run.cluster.quiet();
    assert.equal(schedulerOf(run), 'rr');
    await process.stop();
  });

  it('is reset after an adoption that could not apply every annotation', async () => {
    const run = await running();
    await apply(run, { annotations: annotated({ scheduler: 'wrr' }) });
    const next = await during(run, 'stopped', () => {
      deleteBinding(run);
      return annotate(run, { 'ip-version': 'ipv6' });
    });
    await run.cluster.quiet();
    const since = callCount(run);
    await annotate(run, { scheduler: null, 'ip-version': null });
    assert.deepEqual([schedulerOf(run), changes(run, since)], ['rr', [SET_SCHEDULER]]);
    await next.process.stop();
  });

  it('is reset on a user-managed load balancer, whose own attributes stay', async () => {
    const run = await running({}, SHARED);
    await apply(run, { annotations: annotated({ id: 'lb-a', 'force-override-listeners': 'true' }) });
    await annotate(run, { name: 'ours', 'additional-resource-tags': 'team=shop', scheduler: 'wrr' });
    assert.deepEqual([loadBalancers(run)[0]?.name, schedulerOf(run)], ['ours', 'wrr']);
    await annotate(run, { name: null, 'additional-resource-tags': null, scheduler: null });
    assert.deepEqual([loadBalancers(run)[0]?.name, schedulerOf(run)], ['ours', 'rr']);
    assert.equal(loadBalancers(run)[0]?.tags['cost'], '7');
    await run.process.stop();
  });
});

describe('an attribute that no annotation has ever set', () => {
  it('stays as a user sets it in the console, whatever annotations are removed', async () => {
    const run = await running();
    await apply(run);
    const id = loadBalancers(run)[0]?.id ?? '';
    const listener = { LoadBalancerId: id, ListenerPort: 80 };
    await run.cluster.ask(SET_SCHEDULER, { ...listener, Scheduler: 'wrr', HealthyThreshold: 7 });
    await run.cluster.ask('SetLoadBalancerName', { LoadBalancerId: id, LoadBalancerName: 'mine' });
    const tag = { 'Tag.1.Key': 'team', 'Tag.1.Value': 'shop' };
    await run.cluster.ask('TagResources', { ResourceType: 'instance', 'ResourceId.1': id, ...tag });
    await annotate(run, { 'unhealthy-threshold': '5', 'delete-protection': 'off' });
    await annotate(run, { 'unhealthy-threshold': null, 'delete-protection': null });
    await run.cluster.quiet(AN_AUDIT_MS);
    const [loadBalancer] = loadBalancers(run);
    const { Scheduler, HealthyThreshold, UnhealthyThreshold } = loadBalancer?.listeners[0]?.attributes ?? {};
    assert.deepEqual([Scheduler, HealthyThreshold, UnhealthyThreshold], ['wrr', 7, 3]);
    assert.deepEqual([loadBalancer?.name, loadBalancer?.tags['team']], ['mine', 'shop']);
    await run.process.stop();
  });
});
