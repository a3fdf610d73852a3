import assert from 'node:assert/strict';
import { pino } from 'pino';
import { Registry } from 'prom-client';
import { createPolicyReporter, type ReporterParts } from '../../../src/controller/policy-reporter.ts';
import { PortcullisError } from '../../../src/errors.ts';
import type { ClassicLoadBalancer } from '../../../src/inventory/resource.ts';
import {
  objectKey,
  type KubernetesObject,
  type Namespace,
  type ObjectKey,
  type Resource,
  type Service,
} from '../../../src/objects.ts';
import { followPolicies } from '../../../src/policy/follow.ts';
import type {
  LoadBalancerException,
  LoadBalancerPolicy,
  LoadBalancerPolicySpec,
  StatusCondition,
} from '../../../src/policy/resource.ts';
import { TUNABLE } from '../../../webhook/rules/index.ts';
import { aFacts, type FactsSaid } from '../../support/facts.ts';
import { aPolicy, anException } from '../../support/policy.ts';
import { reportsDouble } from '../../support/reports.ts';
import { aService } from '../../support/service.ts';
import { VirtualClock } from '../../support/virtual-clock.ts';
import { watchedDouble } from '../../support/watched.ts';

const DAY_MS = 86_400_000;
const KEY = 'service.beta.kubernetes.io/alibaba-cloud-loadbalancer-';
const namespace = (name: string, labels: Readonly<Record<string, string>> = {}): Namespace => ({
  metadata: { name, uid: name, resourceVersion: '1', labels: { ...labels, 'kubernetes.io/metadata.name': name } },
});
const SPEC: LoadBalancerPolicySpec = {
  match: { namespaceSelector: { matchLabels: { team: 'shop' } } },
  constraints: [{ name: 'c', require: [{ field: 'port', noneOf: ['22'] }] }],
};

interface Stored {
  readonly status?: { readonly conditions: readonly StatusCondition[] };
}

/** A reporter over an API server that takes what it writes, unless it is to fail. */
function setUp(exceptions = watchedDouble<LoadBalancerException>(), clock = new VirtualClock()) {
  const policies = watchedDouble<LoadBalancerPolicy>();
  const double = reportsDouble();
  const events: string[] = [];
  let facts: FactsSaid = {};
  const namespaces = watchedDouble<Namespace>([namespace('shop', { team: 'shop' }), namespace('bank')]);
  const services = watchedDouble<Service>();
  const writes: string[] = [];
  let failure: Error | undefined;
  const merged = (before: object | undefined, patch: Readonly<Record<string, unknown>>): object =>
    Object.fromEntries(Object.entries({ ...before, ...patch }).filter(([, value]) => value !== null));
  const store = <Kind extends LoadBalancerPolicy | LoadBalancerException>(
    cache: ReturnType<typeof watchedDouble<Kind>>,
    key: ObjectKey,
    status: object,
  ): void => {
    const object = cache.get(key);
    if (object !== undefined) cache.put({ ...object, status: merged(object.status, { ...status }) });
  };
  const writer: ReporterParts['writer'] = {
    ...double.writer,
    mergePatch: <Kind extends KubernetesObject>(
      resource: Resource<Kind>,
      key: ObjectKey,
      patch: object,
      options: object,
      signal: AbortSignal,
    ): Promise<Kind> => {
      const { plural } = resource;
      if (plural === 'reports') return double.writer.mergePatch(resource, key, patch, options, signal);
      if (failure !== undefined) return Promise.reject(failure);
      writes.push(`${plural}/${key}`);
      const { status } = patch as { readonly status: object };
      if (plural === 'loadbalancerpolicies') store(policies, key, status);
      else store(exceptions, key, status);
      return Promise.resolve({} as Kind);
    },
  };
  const log = pino({ level: 'silent' });
  const caches = { policies, exceptions, namespaces, services };
  const classicLoadBalancers = watchedDouble<ClassicLoadBalancer>();
  const { book } = followPolicies({ ...caches, clock, log, tunable: TUNABLE, warnOnly: false });
  const registry = new Registry();
  const reporter = createPolicyReporter({
    ...{ ...caches, classicLoadBalancers, book, writer, clock, log, registry, shelves: double.shelves },
    facts: { ...aFacts(), freshness: () => aFacts(facts).freshness() },
    events: {
      record: ({ kind, name }, type, reason, message) =>
        void events.push(`${type} ${kind}/${name} ${reason}: ${message}`),
    },
  });
  const stop = new AbortController();
  const running = reporter.run(stop.signal).catch((error: unknown) => error);
  const reasonOf = (object: Stored | undefined): string => object?.status?.conditions[0]?.reason ?? '';
  return {
    ...caches,
    ...{ clock, writes, events, double, registry },
    setFacts: (said: FactsSaid) => {
      facts = said;
    },
    fail: (error: Error | undefined) => {
      failure = error;
    },
    stop: async (): Promise<unknown> => {
      stop.abort(new Error('over'));
      return clock.complete(running);
    },
    /** As somebody edits it: the status stays. */
    change: (name: string, spec: LoadBalancerPolicySpec): void => {
      const { metadata } = aPolicy(name, spec, '2');
      policies.put({ ...policies.get(objectKey(name)), metadata: { ...metadata, generation: 2 }, spec });
    },
    policy: (name: string) => policies.get(objectKey(name)),
    ofPolicy: (name: string) => reasonOf(policies.get(objectKey(name))),
    ofException: (name: string) => reasonOf(exceptions.get(objectKey(name))),
  };
}

describe('what the controller says of policies', () => {
  it('is written when they come and change, and not again while nothing changes', async () => {
    const test = setUp();
    test.policies.put(aPolicy('p', SPEC));
    test.exceptions.put(anException('e', { rule: 'policy/p/c' }));
    await test.clock.advance(5_000);
    assert.deepEqual([test.ofPolicy('p'), test.ofException('e')], ['InForce', 'InForce']);
    assert.deepEqual(test.writes, ['loadbalancerpolicies/p', 'loadbalancerexceptions/e']);
    await test.clock.advance(300_000);
    assert.equal(test.writes.length, 2);
    test.change('p', { ...SPEC, rules: [{ rule: 'none' }] });
    await test.clock.advance(5_000);
    assert.equal(test.ofPolicy('p'), 'PartlyInForce');
    await test.stop();
  });

  it('follows the labels of namespaces', async () => {
    const test = setUp();
    test.policies.put(aPolicy('p', SPEC));
    await test.clock.advance(5_000);
    test.namespaces.put(namespace('shop'));
    await test.clock.advance(5_000);
    assert.equal(test.ofPolicy('p'), 'MatchesNothing');
    await test.stop();
  });

  it('tells of an exception that it ends soon, and that it has ended, without anything happening', async () => {
    const test = setUp();
    const expires = new Date(test.clock.now() + 10 * DAY_MS).toISOString();
    test.exceptions.put(anException('e', { rule: 'target-port', expires }));
    await test.clock.advance(5_000);
    assert.equal(test.ofException('e'), 'InForce');
    for (const [days, reason] of [
      [4, 'EndsSoon'],
      [5.5, 'EndsWithinADay'],
      [1, 'Expired'],
    ] as const) {
      test.clock.jump(days * DAY_MS);
      await test.clock.advance(40_000);
      assert.equal(test.ofException('e'), reason);
    }
    assert.equal(test.writes.length, 4);
    assert.deepEqual(
      test.events.map((line) => line.split(':')[0]),
      ['EndsSoon', 'EndsWithinADay', 'Expired'].map((reason) => `Warning LoadBalancerException/e ${reason}`),
    );
    assert.match(test.events[0] ?? '', /target-port for Service shop\/web \(team-shop\) counts again from then on/);
    await test.stop();
  });

  it('tells it once, whoever comes next and whatever becomes of the clock', async () => {
    const test = setUp();
    const expires = new Date(test.clock.now() + 2 * DAY_MS).toISOString();
    test.exceptions.put(anException('e', { rule: 'target-port', expires }));
    await test.clock.advance(5_000);
    await test.stop();
    const next = setUp(test.exceptions, test.clock);
    next.clock.jump(-30 * DAY_MS);
    await next.clock.advance(40_000);
    assert.equal(next.ofException('e'), 'InForce');
    next.clock.jump(30 * DAY_MS);
    await next.clock.advance(40_000);
    assert.deepEqual([test.events.length, next.events.length], [1, 0]);
    await next.stop();
  });

  it('tells of one that has expired while nobody was there, and of that alone', async () => {
    const exceptions = watchedDouble<LoadBalancerException>();
    const clock = new VirtualClock();
    const expires = new Date(clock.now() - DAY_MS).toISOString();
    exceptions.put(anException('e', { rule: 'policy/gone/c', expires }));
    const test = setUp(exceptions, clock);
    await clock.advance(5_000);
    assert.equal(test.events.length, 1);
    assert.match(test.events[0] ?? '', /^Warning LoadBalancerException\/e Expired: it has ended at/);
    const states = await test.registry.getSingleMetric('portcullis_policy_exceptions')?.get();
    const counted = states?.values
      .filter(({ value }) => value > 0)
      .map(({ labels, value }) => [labels['state'], value]);
    assert.deepEqual(counted, [['expired', 1]]);
    await test.stop();
  });

  it('takes usage away with the quota that counted it', async () => {
    const test = setUp();
    test.services.put(aService());
    const counting = aPolicy('p', { ...SPEC, quotas: [{ name: 'q', per: 'namespace', listeners: 5 }] });
    test.policies.put(counting);
    await test.clock.advance(5_000);
    assert.deepEqual(test.policy('p')?.status?.usage, [{ name: 'q', namespace: 'shop', listeners: 1 }]);
    test.change('p', SPEC);
    await test.clock.advance(5_000);
    assert.equal(test.policy('p')?.status?.usage, undefined);
    const { length } = test.writes;
    await test.clock.advance(60_000);
    assert.equal(test.writes.length, length);
    await test.stop();
  });

  it('is tried again when it could not be written, and forgotten with the policy', async () => {
    const test = setUp();
    test.fail(new PortcullisError('Unavailable', 'no connection'));
    test.policies.put(aPolicy('p', SPEC));
    await test.clock.advance(5_000);
    test.fail(undefined);
    await test.clock.advance(5_000);
    assert.equal(test.ofPolicy('p'), 'InForce');
    test.fail(new PortcullisError('NotFound', 'gone'));
    test.namespaces.put(namespace('shop'));
    await test.clock.advance(5_000);
    assert.match(String(await test.stop()), /over/);
  });

  it('tells of stored Services what a policy would say of them, in its status and in reports', async () => {
    const test = setUp();
    test.policies.put(aPolicy('p', SPEC));
    test.services.put(aService({ name: 'old', ports: [22] }));
    test.services.put(aService({ name: 'good' }));
    await test.clock.advance(5_000);
    const violations = () => test.policy('p')?.status?.violations;
    assert.deepEqual(violations(), [{ name: 'c', services: 1, namespaces: 1, examples: ['shop/old'] }]);
    assert.deepEqual(test.double.report('shop')?.summary, { pass: 1, fail: 1, warn: 0, error: 0, skip: 0 });
    test.change('p', { constraints: SPEC.constraints?.map((constraint) => ({ ...constraint, mode: 'audit' })) ?? [] });
    await test.clock.advance(5_000);
    assert.deepEqual(test.double.report('shop')?.summary, { pass: 1, fail: 0, warn: 1, error: 0, skip: 0 });
    const { length } = [...test.writes, ...test.double.writes];
    test.services.put(aService({ name: 'good', labels: { more: 'of-them' } }));
    await test.clock.advance(3_600_000);
    assert.equal([...test.writes, ...test.double.writes].length, length, 'nothing is written while nothing changes');
    test.services.remove(objectKey('old', 'shop'));
    await test.clock.advance(5_000);
    assert.deepEqual(violations(), []);
    assert.equal(test.double.report('shop'), undefined);
    await test.stop();
  });

  it('looks at Services again when their namespace is labelled, and judges by policies about changes too', async () => {
    const test = setUp();
    test.policies.put(aPolicy('p', { ...SPEC, match: { ...SPEC.match, operations: ['UPDATE'] } }));
    test.services.put(aService({ name: 'old', namespace: 'bank', ports: [22] }));
    await test.clock.advance(5_000);
    assert.equal(test.double.report('bank'), undefined);
    test.namespaces.put(namespace('bank', { team: 'shop' }));
    await test.clock.advance(5_000);
    assert.equal(test.double.report('bank')?.summary.fail, 1);
    await test.stop();
  });

  it('looks through Services without policies too, where there is a kind to report in', async () => {
    const test = setUp();
    const service = aService({ annotations: { [`${KEY}bandwidth`]: 'much' } });
    test.services.put(service);
    await test.clock.advance(5_000);
    assert.deepEqual(
      test.double.report('shop')?.results.map(({ policy, rule, result }) => [policy, rule, result]),
      [['portcullis', 'annotation-value', 'fail']],
    );
    await test.stop();
  });

  it('waits a while for what is known of the cloud, and not for ever', async () => {
    const test = setUp();
    test.setFacts({ freshness: { kind: 'absent' } });
    test.services.put(aService({ annotations: { [`${KEY}bandwidth`]: 'much' } }));
    await test.clock.advance(60_000);
    assert.deepEqual(test.double.writes, []);
    await test.clock.advance(120_000);
    assert.deepEqual(test.double.writes, ['create reports shop']);
    await test.stop();
  });

  it('waits for everything that it counts to be known', async () => {
    const test = setUp();
    test.namespaces.setSynced(false);
    test.policies.put(aPolicy('p', SPEC));
    await test.clock.advance(60_000);
    assert.deepEqual(test.writes, []);
    test.namespaces.setSynced(true);
    await test.clock.advance(5_000);
    assert.deepEqual(test.writes, ['loadbalancerpolicies/p']);
    await test.stop();
  });
});
