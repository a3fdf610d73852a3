import assert from 'node:assert/strict';
import { PortcullisError } from '../../../../src/base/errors.ts';
import type { LoadBalancerException } from '../../../../src/policy/custom-resources.ts';
import { aClb } from '../../../support/inventory.ts';
import { aPolicy, anException } from '../../../support/policy.ts';
import { namespace, reporterCase, SPEC } from '../../../support/policy-reporter-case.ts';
import { aService } from '../../../support/service.ts';
import { VirtualClock } from '../../../support/virtual-clock.ts';
import { watchedDouble } from '../../../support/watched-cache.ts';

const DAY_MS = 86_400_000;
const KEY = 'service.beta.kubernetes.io/alibaba-cloud-loadbalancer-';

/** Users learn from the status whether a policy has an effect, so the status must be written at each change, and at no other time. */
describe('the status of a policy', () => {
  it('is written when a policy is created or changed, and only then', async () => {
    const test = reporterCase();
    test.services.put(aService());
    test.policies.put(aPolicy('p', SPEC));
    test.exceptions.put(anException('e', { rule: 'policy/p/c' }));
    await test.clock.advance(5_000);
    assert.deepEqual([test.ofPolicy('p'), test.ofException('e')], ['Accepted', 'Accepted']);
    assert.deepEqual(test.writes, ['loadbalancerpolicies/p', 'loadbalancerexceptions/e']);
    await test.clock.advance(300_000);
    assert.equal(test.writes.length, 2);
    test.change('p', { ...SPEC, rules: [{ rule: 'none' }] });
    await test.clock.advance(5_000);
    assert.equal(test.ofPolicy('p'), 'PartiallyInvalid');
    await test.stop();
  });

  it('follows the observed usage of Services, not their annotations', async () => {
    const test = reporterCase();
    test.namespaces.put(namespace('shop'));
    test.services.put(aService({ annotations: { [`${KEY}address-type`]: 'intranet' } }));
    test.policies.put(
      aPolicy('p', { constraints: [{ name: 'c', require: [{ annotation: 'address-type', oneOf: ['intranet'] }] }] }),
    );
    await test.clock.advance(5_000);
    assert.deepEqual(test.policy('p')?.status?.violations, []);
    test.classicLoadBalancers.put(aClb('lb-1', { owner: 'this-cluster', service: 'shop/web' }));
    await test.clock.advance(40_000);
    assert.deepEqual(
      test.policy('p')?.status?.violations?.map(({ name, examples }) => [name, ...examples]),
      [['c', 'shop/web']],
    );
    await test.stop();
  });

  it('follows the labels of namespaces', async () => {
    const test = reporterCase();
    test.policies.put(aPolicy('p', SPEC));
    await test.clock.advance(5_000);
    test.namespaces.put(namespace('shop'));
    await test.clock.advance(5_000);
    assert.equal(test.ofPolicy('p'), 'NoMatches');
    await test.stop();
  });

  it('follows the labels of Services', async () => {
    const test = reporterCase();
    test.policies.put(aPolicy('p', { ...SPEC, match: { serviceSelector: { matchLabels: { tier: 'front' } } } }));
    await test.clock.advance(5_000);
    assert.equal(test.ofPolicy('p'), 'NoMatches');
    test.services.put(aService({ labels: { tier: 'front' } }));
    await test.clock.advance(5_000);
    assert.equal(test.ofPolicy('p'), 'Accepted');
    await test.stop();
  });

  it('reports that an exception ends, in advance and at its end, although nothing else changes', async () => {
    const test = reporterCase();
    test.services.put(aService());
    const expires = new Date(test.clock.now() + 10 * DAY_MS).toISOString();
    test.exceptions.put(anException('e', { rule: 'target-port', expires }));
    await test.clock.advance(5_000);
    assert.equal(test.ofException('e'), 'Accepted');
    for (const [days, reason] of [
      [4, 'ExpiresSoon'],
      [5.5, 'ExpiresWithinADay'],
      [1, 'Expired'],
    ] as const) {
      test.clock.jump(days * DAY_MS);
      await test.clock.advance(40_000);
      assert.equal(test.ofException('e'), reason);
    }
    assert.equal(test.writes.length, 4);
    assert.deepEqual(
      test.events.map((line) => line.split(':')[0]),
      ['ExpiresSoon', 'ExpiresWithinADay', 'Expired'].map((reason) => `Warning LoadBalancerException/e ${reason}`),
    );
    assert.match(
      test.events[0] ?? '',
      /^\S+ \S+ \S+ The exception from target-port for Service shop\/web \(team-shop\) expires at /,
    );
    await test.stop();
  });

  it('reports the end of an exception once, although the leader and the clock change', async () => {
    const test = reporterCase();
    test.services.put(aService());
    const expires = new Date(test.clock.now() + 2 * DAY_MS).toISOString();
    test.exceptions.put(anException('e', { rule: 'target-port', expires }));
    await test.clock.advance(5_000);
    await test.stop();
    const next = reporterCase(test);
    next.clock.jump(-30 * DAY_MS);
    await next.clock.advance(40_000);
    assert.equal(next.ofException('e'), 'Accepted');
    next.clock.jump(30 * DAY_MS);
    await next.clock.advance(40_000);
    assert.deepEqual([test.events.length, next.events.length], [1, 0]);
    await next.stop();
  });

  it('reports the end of an exception again if a fast clock reported it much too early', async () => {
    const test = reporterCase();
    const expires = new Date(test.clock.now() + 30 * DAY_MS).toISOString();
    test.exceptions.put(anException('e', { rule: 'target-port', expires }));
    for (const days of [365, -365, 25, 4.5, 1]) {
      test.clock.jump(days * DAY_MS);
      await test.clock.advance(40_000);
    }
    assert.deepEqual(
      test.events.map((line) => line.split(':')[0]?.split(' ')[2]),
      ['Expired', 'ExpiresSoon', 'ExpiresWithinADay', 'Expired'],
    );
    await test.stop();
  });

  it('reports nothing twice if clocks differ by minutes', async () => {
    const test = reporterCase();
    const expires = new Date(test.clock.now() + DAY_MS + 60_000).toISOString();
    test.exceptions.put(anException('e', { rule: 'target-port', expires }));
    for (const minutes of [0, 5, -10, 10, -20, 20]) {
      test.clock.jump(minutes * 60_000);
      await test.clock.advance(40_000);
    }
    assert.equal(test.events.length, 2);
    await test.stop();
  });

  it('reports exceptions that expired without a leader, and no other exceptions', async () => {
    const exceptions = watchedDouble<LoadBalancerException>();
    const clock = new VirtualClock();
    const expires = new Date(clock.now() - DAY_MS).toISOString();
    exceptions.put(anException('e', { rule: 'policy/gone/c', expires }));
    const test = reporterCase({ exceptions, clock });
    await clock.advance(5_000);
    assert.equal(test.events.length, 1);
    assert.match(test.events[0] ?? '', /^Warning LoadBalancerException\/e Expired: The exception from .* expired at/);
    const states = await test.registry.getSingleMetric('portcullis_policy_exceptions')?.get();
    const counted = states?.values
      .filter(({ value }) => value > 0)
      .map(({ labels, value }) => [labels['state'], value]);
    assert.deepEqual(counted, [['expired', 1]]);
    await test.stop();
  });

  it('is counted as valid or invalid', async () => {
    const test = reporterCase();
    test.policies.put(aPolicy('p', SPEC));
    test.policies.put(aPolicy('q', { ...SPEC, rules: [{ rule: 'none' }] }));
    const counted = await test.registry.getSingleMetric('portcullis_policies')?.get();
    assert.deepEqual(
      counted?.values.map(({ labels, value }) => [labels['state'], value]),
      [
        ['valid', 1],
        ['invalid', 1],
      ],
    );
    await test.stop();
  });

  it('sums the violations, and shows the modes', async () => {
    const test = reporterCase();
    test.services.put(aService({ namespace: 'bank', ports: [22] }));
    test.services.put(aService({ name: 'b', uid: 'b', namespace: 'bank', ports: [22] }));
    const constraints = [22, 25].map((port) => ({
      name: `no-${port}`,
      require: [{ field: 'port' as const, noneOf: [String(port)] }],
    }));
    test.policies.put(aPolicy('p', { constraints, rules: [{ rule: 'target-port', mode: 'warn' }] }));
    await test.clock.advance(5_000);
    const { mode, totalViolations, violations } = test.policy('p')?.status ?? {};
    assert.deepEqual([mode, totalViolations, violations?.map(({ name }) => name)], ['enforce,warn', 2, ['no-22']]);
    await test.stop();
  });

  it('keeps the violations of the last leader until the Services are evaluated again', async () => {
    const test = reporterCase();
    test.services.put(aService({ ports: [22] }));
    test.policies.put(aPolicy('p', SPEC));
    await test.clock.advance(5_000);
    await test.stop();
    const next = reporterCase({ ...test, facts: { freshness: { kind: 'absent' } } });
    await next.clock.advance(60_000);
    assert.deepEqual([next.policy('p')?.status?.totalViolations, next.writes.length], [1, 0]);
    next.change('p', { ...SPEC, rules: [{ rule: 'none' }] });
    await next.clock.advance(5_000);
    assert.equal(next.policy('p')?.status?.totalViolations, undefined);
    await next.stop();
  });

  it('changes its mode at the date in enforceAfter, with one write', async () => {
    const test = reporterCase();
    const enforceAfter = new Date(test.clock.now() + 600_000).toISOString();
    test.policies.put(aPolicy('p', { constraints: [{ ...SPEC.constraints![0]!, enforceAfter }] }));
    await test.clock.advance(300_000);
    assert.deepEqual([test.policy('p')?.status?.mode, test.writes.length], ['warn', 1]);
    await test.clock.advance(600_000);
    assert.deepEqual([test.policy('p')?.status?.mode, test.writes.length], ['enforce', 2]);
    await test.stop();
  });

  it('is written once with an older CRD, and completely after the update of the CRD', async () => {
    const test = reporterCase();
    test.unknown.add('mode');
    for (const name of ['p', 'q']) test.policies.put(aPolicy(name, SPEC));
    await test.clock.advance(600_000);
    assert.equal(test.writes.length, 2);
    test.unknown.clear();
    test.change('p', { ...SPEC, rules: [{ rule: 'none' }] });
    await test.clock.advance(60_000);
    assert.deepEqual([test.policy('p')?.status?.mode, test.policy('q')?.status?.mode], ['enforce', 'enforce']);
    await test.stop();
  });

  it('loses the usage of a removed quota', async () => {
    const test = reporterCase();
    test.services.put(aService());
    const counting = aPolicy('p', { ...SPEC, quotas: [{ name: 'q', per: 'namespace', listeners: 5 }] });
    test.policies.put(counting);
    await test.clock.advance(5_000);
    assert.deepEqual(test.policy('p')?.status?.usage, [
      { name: 'q', namespace: 'shop', used: { listeners: 1 }, hard: { listeners: 5 } },
    ]);
    test.change('p', SPEC);
    await test.clock.advance(5_000);
    assert.equal(test.policy('p')?.status?.usage, undefined);
    const { length } = test.writes;
    await test.clock.advance(60_000);
    assert.equal(test.writes.length, length);
    await test.stop();
  });

  it('is retried after a failed write, and dropped with the policy', async () => {
    const test = reporterCase();
    test.fail(new PortcullisError('Unavailable', 'no connection'));
    test.policies.put(aPolicy('p', SPEC));
    await test.clock.advance(5_000);
    test.fail(undefined);
    await test.clock.advance(5_000);
    assert.equal(test.ofPolicy('p'), 'Accepted');
    test.fail(new PortcullisError('NotFound', 'gone'));
    test.namespaces.put(namespace('shop'));
    await test.clock.advance(5_000);
    assert.match(String(await test.stop()), /over/);
  });

  it('is retried with back-off if the API server rejects it, without a delay of other statuses', async () => {
    const test = reporterCase();
    test.fail(new PortcullisError('Rejected', 'status.conditions[0].message: too long'));
    test.policies.put(aPolicy('p', SPEC));
    await test.clock.advance(60 * 60_000);
    assert.ok(test.tries() > 5 && test.tries() < 20, `tried ${test.tries()} times in an hour`);
    test.fail(undefined);
    test.policies.put(aPolicy('q', SPEC));
    await test.clock.advance(5_000);
    assert.equal(test.ofPolicy('q'), 'Accepted');
    await test.stop();
  });

  it('is written only after all counted data is known', async () => {
    const test = reporterCase();
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
