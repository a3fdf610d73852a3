import assert from 'node:assert/strict';
import { pino } from 'pino';
import { createPolicyReporter } from '../../../src/controller/policy-reporter.ts';
import { PortcullisError } from '../../../src/errors.ts';
import { objectKey, type Namespace, type ObjectKey, type Resource, type Service } from '../../../src/objects.ts';
import type {
  LoadBalancerException,
  LoadBalancerPolicy,
  LoadBalancerPolicySpec,
  StatusCondition,
} from '../../../src/policy/resource.ts';
import { TUNABLE } from '../../../webhook/rules/index.ts';
import { aPolicy, anException } from '../../support/policy.ts';
import { aService } from '../../support/service.ts';
import { VirtualClock } from '../../support/virtual-clock.ts';
import { watchedDouble } from '../../support/watched.ts';

const DAY_MS = 86_400_000;
const namespace = (name: string, labels: Readonly<Record<string, string>> = {}): Namespace => ({
  metadata: { name, uid: name, resourceVersion: '1', labels: { ...labels, 'kubernetes.io/metadata.name': name } },
});
const SPEC: LoadBalancerPolicySpec = {
  match: { namespaceSelector: { matchLabels: { team: 'shop' } } },
  constraints: [{ name: 'c', require: [{ field: 'port', noneOf: ['22'] }] }],
};

interface Stored {
  readonly status?: { readonly conditions: readonly StatusCondition[]; readonly usage?: object };
}

/** A reporter over an API server that takes what it writes, unless it is to fail. */
function setUp() {
  const clock = new VirtualClock();
  const policies = watchedDouble<LoadBalancerPolicy>();
  const exceptions = watchedDouble<LoadBalancerException>();
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
  const writer = {
    mergePatch: <Kind>({ plural }: Resource, key: ObjectKey, patch: object): Promise<Kind> => {
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
  const reporter = createPolicyReporter({ ...caches, writer, clock, log, tunable: TUNABLE });
  const stop = new AbortController();
  const running = reporter.run(stop.signal).catch((error: unknown) => error);
  const reasonOf = (object: Stored | undefined): string => object?.status?.conditions[0]?.reason ?? '';
  return {
    ...caches,
    clock,
    writes,
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
    test.clock.jump(4 * DAY_MS);
    await test.clock.advance(40_000);
    assert.equal(test.ofException('e'), 'EndsSoon');
    test.clock.jump(7 * DAY_MS);
    await test.clock.advance(40_000);
    assert.equal(test.ofException('e'), 'Expired');
    assert.equal(test.writes.length, 3);
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
