import assert from 'node:assert/strict';
import { pino } from 'pino';
import { MARKS } from '../../../../../src/annotation/marks.ts';
import { parseAnnotations } from '../../../../../src/annotation/parse.ts';
import { createJudge } from '../../../../../src/controller/service/judging/judge.ts';
import { NOTHING_SEEN } from '../../../../../src/controller/service/judging/seen.ts';
import type { KnownLoadBalancer } from '../../../../../src/inventory/facts.ts';
import { MADE_FOR_INDEX } from '../../../../../src/inventory/made-for.ts';
import type { ClassicLoadBalancer } from '../../../../../src/inventory/resource.ts';
import { keyOf, objectKey, type Namespace, type ObjectKey, type Service } from '../../../../../src/objects.ts';
import { followPolicies } from '../../../../../src/policy/follow.ts';
import type { LoadBalancerException, LoadBalancerPolicy } from '../../../../../src/policy/resource.ts';
import { NO_USAGE, type Usage } from '../../../../../src/policy/usage.ts';
import { TUNABLE } from '../../../../../webhook/rules/index.ts';
import { aFacts } from '../../../../support/facts.ts';
import { aClb, aClbStatus } from '../../../../support/inventory.ts';
import { anException, aPolicy } from '../../../../support/policy.ts';
import { aService, type ServiceSaid } from '../../../../support/service.ts';
import { watchedDouble } from '../../../../support/watched.ts';

const KEY = 'service.beta.kubernetes.io/alibaba-cloud-loadbalancer-';
const FAULTY = { annotations: { [`${KEY}bandwidth`]: 'much' } };
const INTRANET = aPolicy('intranet', {
  constraints: [{ name: 'no-public', require: [{ annotation: 'address-type', oneOf: ['intranet'] }] }],
});
const ONE = aPolicy('few', { quotas: [{ name: 'one', per: 'namespace', loadBalancers: 1 }] });

function court({ warnOnly = false } = {}) {
  const services = watchedDouble<Service>();
  const policies = {
    policies: watchedDouble<LoadBalancerPolicy>(),
    exceptions: watchedDouble<LoadBalancerException>(),
    namespaces: watchedDouble<Namespace>(),
    classicLoadBalancers: watchedDouble<ClassicLoadBalancer>([], MADE_FOR_INDEX),
  };
  const clock = { now: () => Date.UTC(2026, 0, 1), monotonic: () => 0, sleep: async () => undefined };
  const open = () => {
    const log = pino({ level: 'silent' });
    const { book } = followPolicies({ ...policies, services, tunable: TUNABLE, clock, log, warnOnly });
    return createJudge({ services, policies: { ...policies, book }, facts: aFacts(), warnOnly });
  };
  const store = (said: ServiceSaid, isHeld = false): Service => {
    const service = aService(said);
    const finalizers = isHeld ? [MARKS.finalizer.name] : [];
    const stored = { ...service, metadata: { ...service.metadata, finalizers } };
    services.put(stored);
    return stored;
  };
  const asks = (judge: ReturnType<typeof open>, service: Service, isNew = true) =>
    judge.refusal(service, parseAnnotations(service.metadata.annotations), isNew);
  const objects = (
    judge: ReturnType<typeof open>,
    service: Service,
    has?: Usage,
    own?: KnownLoadBalancer,
  ): readonly string[] =>
    judge
      .objections(service, parseAnnotations(service.metadata.annotations), { ...NOTHING_SEEN, has, own })
      .all.map(({ reason }) => reason);
  const ends = (judge: ReturnType<typeof open>, service: Service, has?: Usage): void =>
    judge.conclude(service, { ...NOTHING_SEEN, has }, false);
  return { services, ...policies, open, store, asks, objects, ends };
}

describe('the judge of stored Services', () => {
  it('refuses a new one what a policy refuses, and lets it pass once the policy has gone', () => {
    const { policies, open, store, asks } = court();
    policies.put(INTRANET);
    const judge = open();
    const reprieved: ObjectKey[] = [];
    judge.onReprieve((keys) => reprieved.push(...keys));
    const service = store({});
    const refusal = asks(judge, service);
    assert.match(refusal?.reasons.join() ?? '', /address-type.*allowed: "?intranet/);
    assert.deepEqual([refusal?.isUnsafe, refusal?.mayPass], [false, true]);
    policies.remove(keyOf(INTRANET));
    assert.deepEqual(reprieved, [keyOf(service)]);
    assert.equal(asks(judge, service), undefined);
  });

  it('reprieves nobody who has gone', () => {
    const { policies, services, open, store, asks } = court();
    policies.put(INTRANET);
    const judge = open();
    const reprieved: ObjectKey[] = [];
    judge.onReprieve((keys) => reprieved.push(...keys));
    const service = store({});
    asks(judge, service);
    services.remove(keyOf(service));
    policies.remove(keyOf(INTRANET));
    assert.deepEqual(reprieved, []);
  });

  it('asks for nothing again when a policy is told of in its status alone', () => {
    const { policies, open, store, asks } = court();
    policies.put(INTRANET);
    const judge = open();
    const reprieved: ObjectKey[] = [];
    judge.onReprieve((keys) => reprieved.push(...keys));
    asks(judge, store({}));
    policies.put({ ...INTRANET, status: { observedGeneration: 1, namespaces: 1, conditions: [] } });
    assert.deepEqual(reprieved, []);
  });

  it('takes nothing from one that has its load balancer already', () => {
    const { policies, open, store, asks } = court();
    const judge = open();
    policies.put(INTRANET);
    assert.equal(asks(judge, store({}), false), undefined);
  });

  it('carries out what a policy tunes to a warning, or an exception lets pass', () => {
    const { policies, exceptions, open, store, asks } = court();
    const judge = open();
    const service = store(FAULTY);
    assert.notEqual(asks(judge, service), undefined);
    policies.put(aPolicy('mild', { rules: [{ rule: 'annotation-value', mode: 'warn' }] }));
    assert.equal(asks(judge, service), undefined);
    policies.remove(objectKey('mild'));
    exceptions.put(
      anException('once', {
        rule: 'annotation-value',
        object: { namespace: service.metadata.namespace, name: service.metadata.name },
        expires: '2026-02-01T00:00:00Z',
      }),
    );
    assert.equal(asks(judge, service), undefined);
  });

  it('gives the last place of a quota to one of two that were stored at the same time', () => {
    const { policies, open, store, asks } = court();
    policies.put(ONE);
    const judge = open();
    const [first, second] = [store({ name: 'first' }), store({ name: 'second' })];
    assert.equal(asks(judge, second), undefined);
    assert.match(asks(judge, first)?.reasons.join() ?? '', /2 load balancers.*at most 1 in the namespace/);
    assert.equal(asks(judge, second), undefined, 'it keeps its place');
  });

  it('gives the place to another when the Service that had it has gone', () => {
    const { policies, services, open, store, asks } = court();
    policies.put(ONE);
    const judge = open();
    const reprieved: ObjectKey[] = [];
    judge.onReprieve((keys) => reprieved.push(...keys));
    const [first, second] = [store({ name: 'first' }), store({ name: 'second' })];
    asks(judge, first);
    assert.notEqual(asks(judge, second), undefined);
    services.remove(keyOf(first));
    assert.deepEqual(reprieved, [keyOf(second)]);
    assert.equal(asks(judge, second), undefined);
  });

  it('holds back one that claims to be served, while policies are not read, and gives it no place', () => {
    const { policies, open, store, asks, objects } = court();
    policies.put(ONE);
    policies.setSynced(false);
    const judge = open();
    const claiming = store({ name: 'claiming' }, true);
    assert.match(objects(judge, claiming).join(), /could not be read yet/);
    policies.setSynced(true);
    assert.equal(asks(judge, store({ name: 'other' })), undefined);
  });

  it('counts those that had load balancers before it began', () => {
    const { policies, open, store, asks } = court();
    policies.put(ONE);
    store({ name: 'served' }, true);
    assert.notEqual(asks(open(), store({ name: 'second' })), undefined);
  });

  it('counts nothing of one that claims to be served by labels alone', () => {
    const { policies, open, store, asks } = court();
    policies.put(ONE);
    store({ name: 'forged', labels: { [MARKS.loadBalancerId.name]: 'lb-1', 'portcullis.io/digest': 'x' } });
    assert.equal(asks(open(), store({ name: 'second' })), undefined);
  });

  it('counts nothing of one that claims to be served, once the cloud has nothing of it and a policy is against it', () => {
    const { policies, open, store, asks, objects } = court();
    policies.put(aPolicy('few', { quotas: [{ name: 'q', per: 'namespace', loadBalancers: 1, listeners: 1 }] }));
    const claiming = store({ name: 'claiming', ports: [80, 81] }, true);
    const judge = open();
    const other = store({ name: 'other' });
    assert.match(asks(judge, other)?.reasons.join() ?? '', /2 load balancers/);
    assert.match(objects(judge, claiming).join(), /2 listeners.*at most 1/);
    assert.equal(asks(judge, other), undefined);
  });

  it('lets one that is served grow as far as there is room, and counts what it was let have', () => {
    const { policies, open, store, objects, ends } = court();
    policies.put(aPolicy('few', { quotas: [{ name: 'q', per: 'namespace', listeners: 4 }] }));
    const has = { ...NO_USAGE, loadBalancers: 1, listeners: 1 };
    const served = (name: string, ports: readonly number[]): Service =>
      store({ name, ports, labels: { 'service.k8s.alibaba/loadbalancer-id': `lb-${name}` } });
    served('a', [80]);
    served('b', [80]);
    const judge = open();
    const [a, b] = [served('a', [80, 81, 82]), served('b', [80, 81, 82])];
    assert.deepEqual(objects(judge, a, has), []);
    assert.match(objects(judge, b, has).join(), /6 listeners.*at most 4/);
    const less = served('a', [80]);
    assert.deepEqual(objects(judge, less, { ...has, listeners: 3 }), []);
    assert.notDeepEqual(objects(judge, b, has), [], 'it has them still');
    ends(judge, less, has);
    assert.deepEqual(objects(judge, b, has), [], 'there is room again');
  });

  for (const per of ['namespace', 'policy'] as const) {
    it(`tells those that wait for a quota for each ${per} once one that it counts has come to take less`, () => {
      const { policies, open, store, asks, objects, ends } = court();
      policies.put(aPolicy('few', { quotas: [{ name: 'q', per, listeners: 3 }] }));
      const has = (listeners: number): Usage => ({ ...NO_USAGE, loadBalancers: 1, listeners });
      const [judge, reprieved] = [open(), [] as ObjectKey[]];
      judge.onReprieve((keys) => reprieved.push(...keys));
      const ask = (ports: readonly number[]): void => {
        const a = store({ name: 'a', ports });
        assert.deepEqual(objects(judge, a, has(2)), []);
        ends(judge, a, has(ports.length));
      };
      ask([80, 81]);
      assert.notDeepEqual(objects(judge, store({ name: 'b', ports: [80, 81] }), has(1)), []);
      assert.notEqual(asks(judge, store({ name: 'c', namespace: 'bank', ports: [1, 2, 3, 4] })), undefined);
      ask([80]);
      assert.deepEqual(reprieved, per === 'namespace' ? ['shop/b'] : ['shop/b', 'bank/c']);
    });
  }

  it('counts of one that asked for more before it began what it has, once that was seen', () => {
    const { policies, open, store, asks, objects } = court();
    policies.put(aPolicy('few', { quotas: [{ name: 'q', per: 'namespace', listeners: 2 }] }));
    const greedy = store({ name: 'greedy', ports: [80, 81, 82] }, true);
    const judge = open();
    const other = store({ name: 'other' });
    assert.match(asks(judge, other)?.reasons.join() ?? '', /4 listeners/);
    assert.match(objects(judge, greedy, { ...NO_USAGE, loadBalancers: 1, listeners: 1 }).join(), /3 listeners/);
    assert.equal(asks(judge, other), undefined);
  });

  it('counts nothing of one that was begun, has nothing, and is refused by a rule', () => {
    const { policies, open, store, asks, objects } = court();
    policies.put(ONE);
    const judge = open();
    const faulty = store({ ...FAULTY, name: 'faulty' }, true);
    const other = store({ name: 'other' });
    assert.notEqual(asks(judge, other), undefined, 'it is not known yet that it has nothing');
    assert.notEqual(asks(judge, faulty, false), undefined);
    assert.deepEqual(objects(judge, faulty), []);
    assert.equal(asks(judge, other), undefined);
  });

  describe('of load balancers on the internet that say that they are not', () => {
    const bench = () => {
      const { policies, classicLoadBalancers, open, store, asks, objects } = court();
      policies.put(aPolicy('few', { quotas: [{ name: 'q', per: 'namespace', publicLoadBalancers: 1 }] }));
      const annotations = { [`${KEY}address-type`]: 'intranet' };
      const lying = store({ name: 'a', annotations, labels: { 'service.k8s.alibaba/loadbalancer-id': 'lb-a' } }, true);
      const judge = open();
      const another = store({ name: 'b' });
      return {
        lying,
        classicLoadBalancers,
        asks: () => asks(judge, another),
        objects: () => objects(judge, lying, { ...NO_USAGE, loadBalancers: 1, publicLoadBalancers: 1 }, aClbStatus()),
      };
    };

    it('counts those that it has read', () => {
      const { asks, objects } = bench();
      assert.equal(asks(), undefined, 'while it knows only what they say');
      assert.deepEqual(objects(), []);
      assert.match(asks()?.reasons.join() ?? '', /2 load balancers on the internet/);
    });

    it('counts those that the mirror shows, for as long as it does', () => {
      const { classicLoadBalancers, lying, asks } = bench();
      assert.equal(asks(), undefined);
      classicLoadBalancers.put(aClb('lb-a', { owner: 'this-cluster', service: keyOf(lying) }));
      assert.match(asks()?.reasons.join() ?? '', /2 load balancers on the internet/);
      classicLoadBalancers.remove(objectKey('lb-a'));
      assert.equal(asks(), undefined);
    });
  });

  it('only lets what protects others be refused where everything else warns, also while policies are not read', () => {
    const { policies, open, store, asks } = court({ warnOnly: true });
    policies.put(INTRANET);
    policies.setSynced(false);
    assert.equal(asks(open(), store(FAULTY)), undefined);
  });
});
