import assert from 'node:assert/strict';
import { AN_AUDIT_MS, SERVICES } from '../../support/cluster.ts';
import {
  annotated,
  annotation,
  apply,
  changes,
  events,
  loadBalancers,
  now,
  patch,
  running,
  type Running,
  deleteBinding,
} from '../../support/running.ts';
import { aService } from '../../support/service.ts';

const SHARED = { loadBalancers: [{ id: 'lb-shared', name: 'shared', address: '47.1.1.1', tags: { cost: '7' } }] };

const say = (run: Running, said: Readonly<Record<string, string | null>>): Promise<void> =>
  patch(run, { metadata: { annotations: annotated(said) } });
const schedulerOf = (run: Running): unknown =>
  loadBalancers(run).flatMap(({ listeners }) => listeners)[0]?.attributes['Scheduler'];

describe('an annotation that is taken away', () => {
  const attributes = {
    name: [{ name: 'shop' }, ({ name }) => name, 'shop', 'a5e4dbfc9c2ae4642b0335607860aef6'],
    'delete-protection': [{ 'delete-protection': 'off' }, ({ deleteProtection }) => deleteProtection, 'off', 'on'],
    'modification-protection': [
      { 'modification-protection': 'NonProtection' },
      ({ modificationProtection, modificationProtectionReason }) => [
        modificationProtection,
        modificationProtectionReason,
      ],
      ['NonProtection', undefined],
      ['ConsoleProtection', 'managed.by.ack'],
    ],
    'additional-resource-tags': [
      { 'additional-resource-tags': 'team=shop' },
      ({ tags }) => tags,
      { team: 'shop', 'kubernetes.do.not.delete': 'a5e4dbfc9c2ae4642b0335607860aef6', 'ack.aliyun.com': 'c1' },
      { 'kubernetes.do.not.delete': 'a5e4dbfc9c2ae4642b0335607860aef6', 'ack.aliyun.com': 'c1' },
    ],
    spec: [
      { 'instance-charge-type': 'PayBySpec', spec: 'slb.s3.small' },
      ({ spec }) => spec,
      'slb.s3.small',
      'slb.s1.small',
      ['spec'],
    ],
    'charge-type': [
      { 'instance-charge-type': 'PayBySpec', 'charge-type': 'paybybandwidth', bandwidth: '10' },
      ({ internetChargeType }) => internetChargeType,
      'paybybandwidth',
      'paybytraffic',
      ['charge-type', 'bandwidth'],
    ],
  } as const satisfies Readonly<
    Record<
      string,
      readonly [
        Readonly<Record<string, string>>,
        (loadBalancer: Readonly<Record<string, unknown>>) => unknown,
        unknown,
        unknown,
        (readonly string[])?,
      ]
    >
  >;
  for (const [name, [said, read, before, after, gone = Object.keys(said)]] of Object.entries(attributes)) {
    it(`puts ${name} of the load balancer back to what it would be born with`, async () => {
      const run = await running();
      await apply(run, { annotations: annotated<string>(said) });
      assert.deepEqual(read(loadBalancers(run)[0] ?? {}), before);
      await say(run, Object.fromEntries(gone.map((suffix) => [suffix, null])));
      assert.deepEqual(read(loadBalancers(run)[0] ?? {}), after);
      const since = now(run);
      await run.cluster.quiet(AN_AUDIT_MS);
      assert.deepEqual(changes(run, since), []);
      await run.process.stop();
    });
  }

  it('leaves a load balancer charged by specification, of the default one, since the cloud would not charge it otherwise and back, and says so once', async () => {
    const run = await running();
    await apply(run, { annotations: annotated({ 'instance-charge-type': 'PayBySpec', spec: 'slb.s2.small' }) });
    const since = now(run);
    await say(run, { 'instance-charge-type': null, spec: null });
    assert.deepEqual(changes(run, since), ['ModifyLoadBalancerInstanceSpec']);
    const { instanceChargeType, spec } = (loadBalancers(run)[0] ?? {}) as Readonly<Record<string, unknown>>;
    assert.deepEqual([instanceChargeType, spec], ['PayBySpec', 'slb.s1.small']);
    assert.match(events(run, 'EnsuredLoadBalancer').at(-1) ?? '', /stays charged by specification.*PayByCLCU/);
    const count = events(run, 'EnsuredLoadBalancer').length;
    await run.cluster.quiet(AN_AUDIT_MS);
    assert.equal(events(run, 'EnsuredLoadBalancer').length, count);
    await say(run, { 'instance-charge-type': 'PayByCLCU' });
    assert.deepEqual(changes(run, since), ['ModifyLoadBalancerInstanceSpec', 'ModifyLoadBalancerInstanceChargeType']);
    await run.process.stop();
  });

  it('puts the specification back also where how it is charged was taken away before', async () => {
    const run = await running();
    await apply(run, { annotations: annotated({ 'instance-charge-type': 'PayBySpec', spec: 'slb.s2.small' }) });
    await say(run, { 'instance-charge-type': null });
    const since = now(run);
    await say(run, { spec: null });
    assert.deepEqual(changes(run, since), ['ModifyLoadBalancerInstanceSpec']);
    await run.cluster.quiet(AN_AUDIT_MS);
    assert.deepEqual(changes(run, since), ['ModifyLoadBalancerInstanceSpec']);
    await run.process.stop();
  });

  it('asks for no specification where how it is charged is changed for good at the same time', async () => {
    const run = await running();
    await apply(run, { annotations: annotated({ 'instance-charge-type': 'PayBySpec', spec: 'slb.s2.small' }) });
    const since = now(run);
    await say(run, { 'instance-charge-type': 'PayByCLCU', spec: null });
    await run.cluster.quiet(AN_AUDIT_MS);
    assert.deepEqual(changes(run, since), ['ModifyLoadBalancerInstanceChargeType']);
    await run.process.stop();
  });

  it('costs one call and two writes, and is remembered over a restart', async () => {
    const run = await running();
    await apply(run, { annotations: { [annotation('scheduler')]: 'wrr' } });
    await run.process.stop();
    const [since, writes] = [now(run), run.cluster.kubernetes.writes.length];
    await say(run, { scheduler: null });
    const process = run.cluster.start();
    await run.cluster.quiet();
    assert.equal(schedulerOf(run), 'rr');
    assert.deepEqual(changes(run, since), ['SetLoadBalancerTCPListenerAttribute']);
    assert.equal(run.cluster.kubernetes.writes.length - writes, 2);
    assert.equal(run.cluster.binding()?.spec.resettableOptions, undefined);
    await process.stop();
  });

  it('is remembered although the controller was killed before it could say that all was done', async () => {
    const run = await running();
    await apply(run);
    await run.process.stop();
    const killed = run.cluster.start({
      aroundCall: async (action, when) => {
        if (action === 'SetLoadBalancerTCPListenerAttribute' && when === 'after') killed.kill();
      },
    });
    await say(run, { scheduler: 'wrr' });
    assert.equal(schedulerOf(run), 'wrr');
    await say(run, { scheduler: null });
    const process = run.cluster.start();
    await run.cluster.quiet();
    assert.equal(schedulerOf(run), 'rr');
    await process.stop();
  });

  for (const isAway of [false, true])
    it(`puts back what was in effect after kubectl replace${isAway ? ', also while no controller runs' : ''}`, async () => {
      const run = await running();
      await apply(run, { annotations: { [annotation('scheduler')]: 'wrr' } });
      if (isAway) await run.process.stop();
      run.cluster.kubernetes.put(SERVICES, aService());
      const process = isAway ? run.cluster.start() : run.process;
      await run.cluster.quiet();
      assert.equal(schedulerOf(run), 'rr');
      await process.stop();
    });

  it('puts back what was in effect at a take-over, although something else was withheld until then', async () => {
    const run = await running();
    await apply(run, { annotations: annotated({ scheduler: 'wrr' }) });
    await run.process.stop();
    deleteBinding(run);
    await say(run, { 'ip-version': 'ipv6' });
    const process = run.cluster.start();
    await run.cluster.quiet();
    const since = now(run);
    await say(run, { scheduler: null, 'ip-version': null });
    assert.equal(schedulerOf(run), 'rr');
    assert.deepEqual(changes(run, since), ['SetLoadBalancerTCPListenerAttribute']);
    await process.stop();
  });

  it('leaves what it said where it was the existing controller that had carried it out', async () => {
    const run = await running();
    await apply(run, { annotations: { [annotation('scheduler')]: 'wrr' } });
    await run.process.stop();
    deleteBinding(run);
    const since = now(run);
    await say(run, { scheduler: null });
    const process = run.cluster.start();
    await run.cluster.quiet();
    assert.deepEqual([schedulerOf(run), changes(run, since)], ['wrr', []]);
    await process.stop();
  });

  it('leaves a load balancer that people brought as it is, but puts its listeners back', async () => {
    const run = await running({}, SHARED);
    await apply(run, {
      annotations: { [annotation('id')]: 'lb-shared', [annotation('force-override-listeners')]: 'true' },
    });
    await say(run, { name: 'ours', 'additional-resource-tags': 'team=shop', scheduler: 'wrr' });
    assert.deepEqual([loadBalancers(run)[0]?.name, schedulerOf(run)], ['ours', 'wrr']);
    await say(run, { name: null, 'additional-resource-tags': null, scheduler: null });
    assert.deepEqual([loadBalancers(run)[0]?.name, schedulerOf(run)], ['ours', 'rr']);
    assert.equal(loadBalancers(run)[0]?.tags['cost'], '7');
    await run.process.stop();
  });
});

describe('an attribute that no annotation ever said', () => {
  it('stays as people set it at the console, whatever else changes', async () => {
    const run = await running();
    await apply(run);
    const id = loadBalancers(run)[0]?.id ?? '';
    const listener = { LoadBalancerId: id, ListenerPort: 80 };
    await run.cluster.ask('SetLoadBalancerTCPListenerAttribute', {
      ...listener,
      Scheduler: 'wrr',
      HealthyThreshold: 7,
    });
    await run.cluster.ask('SetLoadBalancerName', { LoadBalancerId: id, LoadBalancerName: 'mine' });
    await run.cluster.ask('TagResources', {
      ResourceType: 'instance',
      'ResourceId.1': id,
      'Tag.1.Key': 'team',
      'Tag.1.Value': 'shop',
    });
    await say(run, { 'unhealthy-threshold': '5', 'delete-protection': 'off' });
    await say(run, { 'unhealthy-threshold': null, 'delete-protection': null });
    await run.cluster.quiet(AN_AUDIT_MS);
    const [loadBalancer] = loadBalancers(run);
    const { Scheduler, HealthyThreshold, UnhealthyThreshold } = loadBalancer?.listeners[0]?.attributes ?? {};
    assert.deepEqual([Scheduler, HealthyThreshold, UnhealthyThreshold], ['wrr', 7, 3]);
    assert.deepEqual([loadBalancer?.name, loadBalancer?.tags['team']], ['mine', 'shop']);
    await run.process.stop();
  });
});
