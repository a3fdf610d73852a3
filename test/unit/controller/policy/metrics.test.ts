import assert from 'node:assert/strict';
import type { LoadBalancerPolicySpec } from '../../../../src/policy/custom-resources.ts';
import { objectKey } from '../../../../src/base/kubernetes-objects.ts';
import { aPolicy } from '../../../support/policy.ts';
import { namespace, reporterCase, SPEC } from '../../../support/policy-reporter-case.ts';
import { aService } from '../../../support/service.ts';

const QUOTAS: LoadBalancerPolicySpec = {
  quotas: [
    { name: 'each', per: 'namespace', loadBalancers: 1, listeners: 9 },
    { name: 'together', per: 'policy', loadBalancers: 7 },
  ],
};

type Case = ReturnType<typeof reporterCase>;

/** Returns the series of both gauges as `POLICY/QUOTA DIMENSION: USED of HARD`. */
async function levels({ registry }: Case): Promise<readonly string[]> {
  const [used, hard] = await Promise.all(
    ['used', 'hard'].map(async (part) => {
      const { values = [] } = (await registry.getSingleMetric(`portcullis_policy_quota_${part}`)?.get()) ?? {};
      return new Map(
        values.map(({ labels, value }) => [`${labels['policy']}/${labels['quota']} ${labels['dimension']}`, value]),
      );
    }),
  );
  return [...(used ?? [])].map(([key, value]) => `${key}: ${value} of ${hard?.get(key)}`);
}

/** Dashboards and alerts compare the usage of quotas with their limits. */
describe('the gauges of quotas', () => {
  it('show the usage of the fullest namespace, or the sum for a quota of the whole policy', async () => {
    const test = reporterCase();
    for (const [name, space, ports] of [
      ['a', 'shop', [80, 81]],
      ['b', 'bank', [80]],
      ['c', 'bank', [80]],
    ] as const)
      test.services.put(aService({ name, uid: name, namespace: space, ports: [...ports] }));
    test.policies.put(aPolicy('p', QUOTAS));
    await test.clock.advance(5_000);
    assert.deepEqual(await levels(test), [
      'p/each loadBalancers: 2 of 1',
      'p/each listeners: 2 of 9',
      'p/together loadBalancers: 3 of 7',
    ]);
    await test.stop();
  });

  it('count only the namespaces that the policy selects', async () => {
    const test = reporterCase();
    test.services.put(aService({ namespace: 'bank' }));
    const policy = aPolicy('p', { match: { namespaceSelector: { matchLabels: { team: 'shop' } } }, ...QUOTAS });
    test.policies.put(policy);
    await test.clock.advance(5_000);
    assert.equal((await levels(test))[0], 'p/each loadBalancers: 0 of 1');
    test.namespaces.put(namespace('bank', { team: 'shop' }));
    await test.clock.advance(5_000);
    assert.equal((await levels(test))[0], 'p/each loadBalancers: 1 of 1');
    await test.stop();
  });

  it('disappear with the quota and with the policy', async () => {
    const test = reporterCase();
    for (const name of ['p', 'q']) test.policies.put(aPolicy(name, QUOTAS));
    await test.clock.advance(5_000);
    assert.equal((await levels(test)).length, 6);
    test.change('p', SPEC);
    await test.clock.advance(5_000);
    assert.equal((await levels(test)).length, 3);
    test.policies.remove(objectKey('q'));
    await test.clock.advance(5_000);
    assert.deepEqual(await levels(test), []);
    await test.stop();
  });
});
