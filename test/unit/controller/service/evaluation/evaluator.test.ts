import assert from 'node:assert/strict';
import { pino } from 'pino';
import { WELL_KNOWN } from '../../../../../src/annotation/well-known-names.ts';
import { parseAnnotations } from '../../../../../src/annotation/parse.ts';
import { createPolicyEvaluator } from '../../../../../src/controller/service/evaluation/evaluator.ts';
import { QuotaLedger } from '../../../../../src/controller/service/evaluation/quota-ledger.ts';
import { bindingsIn } from '../../../../../src/controller/service/state/binding-store.ts';
import type { LoadBalancerBinding } from '../../../../../src/inventory/binding.ts';
import type { KnownLoadBalancer } from '../../../../../src/inventory/facts.ts';
import {
  keyOf,
  objectKey,
  type Namespace,
  type ObjectKey,
  type Service,
} from '../../../../../src/base/kubernetes-objects.ts';
import { followPolicies } from '../../../../../src/policy/policy-watch.ts';
import type { LoadBalancerException, LoadBalancerPolicy } from '../../../../../src/policy/custom-resources.ts';
import { NO_USAGE, type Usage } from '../../../../../src/policy/usage.ts';
import { TUNABLE } from '../../../../../src/rules/index.ts';
import { aFacts } from '../../../../support/facts.ts';
import { aClbStatus } from '../../../../support/inventory.ts';
import { anException, aPolicy } from '../../../../support/policy.ts';
import { aService, type ServiceInput } from '../../../../support/service.ts';
import { watchedDouble } from '../../../../support/watched-cache.ts';

const KEY = 'service.beta.kubernetes.io/alibaba-cloud-loadbalancer-';
const FAULTY = { annotations: { [`${KEY}bandwidth`]: 'much' } };
const INTRANET = aPolicy('intranet', {
  constraints: [{ name: 'no-public', require: [{ annotation: 'address-type', oneOf: ['intranet'] }] }],
});
const ONE = aPolicy('few', { quotas: [{ name: 'one', per: 'namespace', loadBalancers: 1 }] });

function setUp({ warnOnly = false, facts = aFacts() } = {}) {
  const services = watchedDouble<Service>();
  const policies = {
    policies: watchedDouble<LoadBalancerPolicy>(),
    exceptions: watchedDouble<LoadBalancerException>(),
    namespaces: watchedDouble<Namespace>(),
  };
  const clock = { now: () => Date.UTC(2026, 0, 1), monotonic: () => 0, sleep: async () => undefined };
  const open = () => {
    const log = pino({ level: 'silent' });
    const { policyCache } = followPolicies({
      ...policies,
      services,
      tunable: TUNABLE,
      clock,
      log,
      warnOnly,
    });
    const ledger = new QuotaLedger(services, bindingsIn(watchedDouble<LoadBalancerBinding>()));
    const evaluator = createPolicyEvaluator({
      services,
      policies: { ...policies, policyCache },
      facts,
      warnOnly,
      ledger,
    });
    return { ...evaluator, ledger };
  };
  const store = (input: ServiceInput, hasFinalizer = false): Service => {
    const service = aService(input);
    const finalizers = hasFinalizer ? [WELL_KNOWN.finalizer.name] : [];
    const stored = { ...service, metadata: { ...service.metadata, finalizers } };
    services.put(stored);
    return stored;
  };
  const evaluate = (evaluator: ReturnType<typeof open>, service: Service, isNew = true) =>
    evaluator.evaluate(service, parseAnnotations(service.metadata.annotations), isNew).denial;
  const objects = (
    evaluator: ReturnType<typeof open>,
    service: Service,
    has?: Usage,
    own?: KnownLoadBalancer,
  ): readonly string[] =>
    evaluator
      .policyBlocks(service, parseAnnotations(service.metadata.annotations), { has, own, named: undefined })
      .all.map(({ reason }) => reason);
  return { services, ...policies, open, store, evaluate, objects };
}

/** Covers the evaluation before a sync: rules, policies, exceptions and quotas of stored Services. */
describe('the evaluator of stored Services', () => {
  it('denies a new Service that violates a policy, and allows it after the policy is deleted', () => {
    const { policies, open, store, evaluate } = setUp();
    policies.put(INTRANET);
    const evaluator = open();
    const unblocked: ObjectKey[] = [];
    evaluator.onUnblocked((keys) => unblocked.push(...keys));
    const service = store({});
    const denial = evaluate(evaluator, service);
    assert.match(denial?.reasons.join() ?? '', /address-type\]: Required value: must be intranet; /);
    policies.remove(keyOf(INTRANET));
    assert.deepEqual(unblocked, [keyOf(service)]);
    assert.equal(evaluate(evaluator, service), undefined);
  });

  it('does not enqueue a deleted Service if a policy changes', () => {
    const { policies, services, open, store, evaluate } = setUp();
    policies.put(INTRANET);
    const evaluator = open();
    const unblocked: ObjectKey[] = [];
    evaluator.onUnblocked((keys) => unblocked.push(...keys));
    const service = store({});
    evaluate(evaluator, service);
    services.remove(keyOf(service));
    policies.remove(keyOf(INTRANET));
    assert.deepEqual(unblocked, []);
  });

  it('evaluates nothing again if only the status of a policy changes', () => {
    const { policies, open, store, evaluate } = setUp();
    policies.put(INTRANET);
    const evaluator = open();
    const unblocked: ObjectKey[] = [];
    evaluator.onUnblocked((keys) => unblocked.push(...keys));
    evaluate(evaluator, store({}));
    policies.put({ ...INTRANET, status: { observedGeneration: 1, namespaces: 1, conditions: [] } });
    assert.deepEqual(unblocked, []);
  });

  it('does not deny a Service with a load balancer because of a new policy', () => {
    const { policies, open, store, evaluate } = setUp();
    const evaluator = open();
    policies.put(INTRANET);
    assert.equal(evaluate(evaluator, store({}), false), undefined);
  });

  it('allows a violation that becomes a warning by a policy or an exception', () => {
    const { policies, exceptions, open, store, evaluate } = setUp();
    const evaluator = open();
    const service = store(FAULTY);
    assert.notEqual(evaluate(evaluator, service), undefined);
    policies.put(aPolicy('mild', { rules: [{ rule: 'annotation-value', mode: 'warn' }] }));
    assert.equal(evaluate(evaluator, service), undefined);
    policies.remove(objectKey('mild'));
    exceptions.put(
      anException('once', {
        rule: 'annotation-value',
        object: { namespace: service.metadata.namespace, name: service.metadata.name },
        expires: '2026-02-01T00:00:00Z',
      }),
    );
    assert.equal(evaluate(evaluator, service), undefined);
  });

  it('reserves a quota for the first of two Services until its reconcile ends', () => {
    const { policies, open, store, evaluate } = setUp();
    policies.put(ONE);
    const evaluator = open();
    const unblocked: ObjectKey[] = [];
    evaluator.onUnblocked((keys) => unblocked.push(...keys));
    const [first, second] = [store({ name: 'first' }), store({ name: 'second', uid: 'second' })];
    assert.equal(evaluate(evaluator, first), undefined);
    const denial = evaluate(evaluator, second);
    assert.deepEqual(
      [denial?.word, denial?.reasons],
      [
        'QuotaExceeded',
        ['exceeded quota "one" of LoadBalancerPolicy "few": loadBalancers: used 1, requested 1, hard 1'],
      ],
    );
    assert.equal(evaluate(evaluator, first), undefined, 'the first Service keeps its reservation');
    evaluator.ledger.release(first);
    assert.deepEqual(unblocked, [keyOf(second)]);
    assert.equal(evaluate(evaluator, second), undefined);
  });

  it('retries waiting Services after a decrease of usage, the oldest first', () => {
    const { policies, services, open, store, evaluate } = setUp();
    policies.put(ONE);
    const evaluator = open();
    const unblocked: ObjectKey[] = [];
    evaluator.onUnblocked((keys) => unblocked.push(...keys));
    const first = store({ name: 'first' });
    evaluate(evaluator, first);
    for (const [name, minute] of [
      ['young', '02'],
      ['old', '01'],
      ['twin', '01'],
    ] as const) {
      const service = aService({ name, uid: `uid-${name}` });
      const aged = { ...service.metadata, creationTimestamp: `2026-01-01T00:${minute}:00Z` };
      services.put({ ...service, metadata: aged });
      evaluate(evaluator, { ...service, metadata: aged });
    }
    evaluator.ledger.release(first);
    assert.deepEqual(unblocked, ['shop/old', 'shop/twin', 'shop/young']);
  });

  it('denies a Service with rule and quota violations as invalid', () => {
    const { policies, open, store, evaluate } = setUp();
    policies.put(ONE);
    const evaluator = open();
    evaluate(evaluator, store({ name: 'first' }));
    assert.equal(evaluate(evaluator, store({ ...FAULTY, name: 'second', uid: 'second' }))?.word, 'Invalid');
  });

  it('reserves nothing for a Service while policies are not read', () => {
    const { policies, open, store, objects } = setUp();
    policies.put(ONE);
    policies.setSynced(false);
    const evaluator = open();
    const claiming = store({ name: 'claiming' }, true);
    assert.match(objects(evaluator, claiming).join(), /has not read the policies/);
    assert.deepEqual(evaluator.ledger.reservedFor(claiming), NO_USAGE);
  });

  it('reserves no growth for a served Service that a rule denies', () => {
    const { open, store, evaluate, objects } = setUp();
    const evaluator = open();
    const service = store({ ...FAULTY, ports: [80, 81] }, true);
    const has = { ...NO_USAGE, loadBalancers: 1, publicLoadBalancers: 1, listeners: 1 };
    assert.notEqual(evaluate(evaluator, service, false), undefined);
    assert.deepEqual(objects(evaluator, service, has), []);
    assert.deepEqual(evaluator.ledger.reservedFor(service), has);
  });

  it('reserves nothing for a new Service that a constraint forbids', () => {
    const { policies, open, store, objects } = setUp();
    policies.put(INTRANET);
    const evaluator = open();
    const service = store({}, true);
    assert.notDeepEqual(objects(evaluator, service), []);
    assert.deepEqual(evaluator.ledger.reservedFor(service), NO_USAGE);
  });

  it('admits existing usage unconditionally, and growth as far as the quota allows', () => {
    const { policies, open, store, objects } = setUp();
    policies.put(aPolicy('few', { quotas: [{ name: 'q', per: 'namespace', listeners: 4 }] }));
    const has = { ...NO_USAGE, loadBalancers: 1, publicLoadBalancers: 1, listeners: 1 };
    const evaluator = open();
    const [a, b] = [store({ name: 'a', ports: [80, 81, 82] }), store({ name: 'b', uid: 'b', ports: [80, 81, 82] })];
    assert.deepEqual(objects(evaluator, a, has), []);
    assert.deepEqual(objects(evaluator, b, has), [
      'exceeded quota "q" of LoadBalancerPolicy "few": listeners: used 4, requested 2, hard 4',
    ]);
    assert.deepEqual(evaluator.ledger.reservedFor(b), has);
    assert.deepEqual(objects(evaluator, b, { ...has, listeners: 3 }), [], 'the Service requests no more than exists');
  });

  it('counts the observed usage of a load balancer, not the requested usage', () => {
    const { policies, open, store, objects } = setUp();
    policies.put(aPolicy('few', { quotas: [{ name: 'q', per: 'namespace', publicLoadBalancers: 0 }] }));
    const evaluator = open();
    const service = store({ annotations: { [`${KEY}address-type`]: 'intranet' } });
    const has = { ...NO_USAGE, loadBalancers: 1, publicLoadBalancers: 1, listeners: 1 };
    assert.deepEqual(objects(evaluator, service, has, aClbStatus()), []);
    assert.deepEqual(evaluator.ledger.reservedFor(service), has);
  });

  for (const per of ['namespace', 'policy'] as const) {
    it(`after a decrease of usage, retries the Services that share a quota per ${per}`, () => {
      const { policies, open, store, evaluate } = setUp();
      policies.put(aPolicy('few', { quotas: [{ name: 'q', per, listeners: 2 }] }));
      const [evaluator, unblocked] = [open(), [] as ObjectKey[]];
      evaluator.onUnblocked((keys) => unblocked.push(...keys));
      const a = store({ name: 'a', ports: [80, 81] });
      evaluate(evaluator, a);
      assert.notEqual(evaluate(evaluator, store({ name: 'b', uid: 'b' })), undefined);
      assert.notEqual(
        evaluate(evaluator, store({ name: 'c', uid: 'c', namespace: 'bank', ports: [1, 2, 3] })),
        undefined,
      );
      evaluator.ledger.release(a);
      assert.deepEqual(unblocked, per === 'namespace' ? ['shop/b'] : ['shop/b', 'bank/c']);
    });
  }

  it('denies growth while the usage of other Services is unknown, and retries when it is known', () => {
    const { policies, services, open, store, evaluate } = setUp();
    policies.put(ONE);
    const awaited = store({ name: 'awaited' }, true);
    const evaluator = open();
    const unblocked: ObjectKey[] = [];
    evaluator.onUnblocked((keys) => unblocked.push(...keys));
    const service = store({ name: 'new', uid: 'new' });
    assert.deepEqual(evaluate(evaluator, service)?.reasons, [
      'waiting for quota "one" of LoadBalancerPolicy "few": loadBalancers: the usage of other Services is not known yet',
    ]);
    services.remove(keyOf(awaited));
    assert.deepEqual(unblocked, [keyOf(service)]);
    assert.equal(evaluate(evaluator, service), undefined);
  });

  it('allows a violation of a tunable rule with --warn-only, also while policies are not read', () => {
    const { policies, open, store, evaluate } = setUp({ warnOnly: true });
    policies.put(INTRANET);
    policies.setSynced(false);
    assert.equal(evaluate(open(), store(FAULTY)), undefined);
  });

  it('denies a violation of a safety rule even with --warn-only', () => {
    const facts = aFacts({ loadBalancers: { 'lb-1': { owner: 'api-server' } } });
    const { open, store, evaluate } = setUp({ warnOnly: true, facts });
    const denial = evaluate(open(), store({ annotations: { [`${KEY}id`]: 'lb-1' } }));
    assert.match(denial?.reasons.join() ?? '', /load balancer lb-1 serves the API server of a cluster/);
  });
});
