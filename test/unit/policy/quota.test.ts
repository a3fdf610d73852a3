import assert from 'node:assert/strict';
import type { Service } from '../../../src/base/kubernetes-objects.ts';
import { objectKey } from '../../../src/base/kubernetes-objects.ts';
import type { PolicyMatch, Quota } from '../../../src/policy/custom-resources.ts';
import { aPolicyCache, evaluatedWith } from '../../support/policy-cache.ts';
import { anException } from '../../support/policy.ts';
import { named, quotas, denialsOf, denied } from '../../support/quotas.ts';

const KEY = 'service.beta.kubernetes.io/alibaba-cloud-loadbalancer-';
const INTRANET = { [`${KEY}address-type`]: 'intranet' };
const BY_BANDWIDTH = {
  [`${KEY}instance-charge-type`]: 'PayBySpec',
  [`${KEY}charge-type`]: 'paybybandwidth',
};
const REUSING = { [`${KEY}id`]: 'lb-1' };
const FORCING = { [`${KEY}force-override-listeners`]: 'true' };
const withBandwidth = (name: string, mbits: number): Service =>
  named(name, { annotations: { ...BY_BANDWIDTH, [`${KEY}bandwidth`]: String(mbits) } });

interface Row {
  readonly match?: PolicyMatch;
  readonly quota: Partial<Quota>;
  readonly there: readonly Service[];
  readonly requested: Service;
  readonly denies: readonly string[];
}

const ROWS: Readonly<Record<string, Row>> = {
  'allows the last Service within the limit': {
    quota: { loadBalancers: 2 },
    there: [named('a')],
    requested: named('b'),
    denies: [],
  },
  'denies the first Service above the limit': {
    quota: { loadBalancers: 2 },
    there: [named('a'), named('b')],
    requested: named('c'),
    denies: ['deny spec.type=3'],
  },
  'denies all Services with a limit of zero': {
    quota: { loadBalancers: 0 },
    there: [],
    requested: named('a'),
    denies: ['deny spec.type=1'],
  },
  'counts denied stored Services, which have no resources': {
    quota: { loadBalancers: 2, per: 'policy' },
    there: [denied('a', 'Invalid'), denied('b', 'QuotaExceeded')],
    requested: named('c'),
    denies: ['deny spec.type=3'],
  },
  'counts the managed listeners of a user-managed load balancer': {
    quota: { listeners: 2 },
    there: [named('a', { annotations: { ...REUSING, ...FORCING }, ports: [80, 81] })],
    requested: named('b'),
    denies: ['deny spec.ports=3'],
  },
  'does not count unmanaged listeners of a user-managed load balancer': {
    quota: { listeners: 1 },
    there: [named('a', { annotations: REUSING, ports: [80, 81] })],
    requested: named('b'),
    denies: [],
  },
  'counts the bandwidth that is requested of a user-managed load balancer': {
    quota: { bandwidth: 50 },
    there: [],
    requested: named('b', { annotations: { ...REUSING, ...BY_BANDWIDTH, [`${KEY}bandwidth`]: '60' } }),
    denies: ['deny [bandwidth]=60'],
  },
  'counts Services with any labels, also if a stored policy has a serviceSelector': {
    match: { serviceSelector: { matchLabels: { tier: 'front' } } },
    quota: { loadBalancers: 1 },
    there: [named('a', { labels: { tier: 'back' } })],
    requested: named('b', { labels: { tier: 'other' } }),
    denies: ['deny spec.type=2'],
  },
  'does not count Services of other namespaces': {
    quota: { loadBalancers: 1 },
    there: [named('a', { namespace: 'bank' })],
    requested: named('b'),
    denies: [],
  },
  'does not count Services without their own load balancer': {
    quota: { loadBalancers: 1 },
    there: [named('a', { type: 'ClusterIP' }), named('b', { annotations: { [`${KEY}id`]: 'lb-1' } })],
    requested: named('c'),
    denies: [],
  },
  'does not count Services of another controller': {
    quota: { loadBalancers: 1 },
    there: [named('a', { annotations: { 'service.beta.kubernetes.io/class': 'other' } })],
    requested: named('b'),
    denies: [],
  },
  'does not count private load balancers for a limit of public load balancers': {
    quota: { publicLoadBalancers: 1 },
    there: [named('a'), named('b', { annotations: INTRANET })],
    requested: named('c', { annotations: INTRANET }),
    denies: [],
  },
  'denies a public load balancer above the limit': {
    quota: { publicLoadBalancers: 1 },
    there: [named('a')],
    requested: named('c'),
    denies: ['deny [address-type]=2'],
  },
  'counts listeners': {
    quota: { listeners: 3 },
    there: [named('a', { ports: [80, 443] })],
    requested: named('b', { ports: [80, 443] }),
    denies: ['deny spec.ports=4'],
  },
  'counts paid bandwidth': {
    quota: { bandwidth: 100 },
    there: [withBandwidth('a', 60)],
    requested: withBandwidth('b', 50),
    denies: ['deny [bandwidth]=110'],
  },
};

/** A quota must count what exists and what is requested, and must not deny a change that needs no more than before. */
describe('a quota', () => {
  for (const [what, { match = {}, quota, there, requested, denies }] of Object.entries(ROWS)) {
    it(what, () => {
      assert.deepEqual(
        denialsOf(aPolicyCache({ policies: { p: { match, ...quotas(quota) } }, services: there }), requested),
        denies,
      );
    });
  }

  it('reports the new usage, the limit, and advice', () => {
    const outcome = evaluatedWith(
      aPolicyCache({ policies: { p: quotas({ loadBalancers: 1 }) }, services: [named('a')] }),
      {
        object: named('b'),
      },
    );
    assert.deepEqual(
      outcome.denials.map(({ violation }) => [violation.detail, violation.remedy]),
      [
        [
          '2 load balancers requested, the limit is 1 in the namespace',
          'delete a Service that you no longer need, share a load balancer, or ask for a larger quota',
        ],
      ],
    );
  });

  it('follows created, changed and deleted Services', () => {
    const cache = aPolicyCache({
      policies: { p: quotas({ listeners: 2 }) },
      services: [named('a', { ports: [80, 81] })],
    });
    assert.equal(denialsOf(cache, named('b')).length, 1);
    cache.services.put(named('a', { ports: [80] }));
    assert.equal(denialsOf(cache, named('b')).length, 0);
    cache.services.put(named('c', { ports: [80] }));
    assert.equal(denialsOf(cache, named('b')).length, 1);
    cache.services.remove(objectKey('a', 'shop'));
    assert.equal(denialsOf(cache, named('b')).length, 0);
  });

  it('allows a change without more usage above the limit', () => {
    const there = [named('a', { ports: [80, 81] }), named('b', { ports: [80] })];
    const cache = aPolicyCache({ policies: { p: quotas({ listeners: 1 }) }, services: there });
    assert.deepEqual(denialsOf(cache, named('a', { ports: [80, 82] }), there[0]), []);
    assert.deepEqual(denialsOf(cache, named('a', { ports: [80] }), there[0]), []);
    assert.deepEqual(denialsOf(cache, named('a', { ports: [80, 81, 82] }), there[0]), ['deny spec.ports=4']);
  });

  it('denies a ClusterIP Service that becomes a load balancer above the limit', () => {
    const before = named('b', { type: 'ClusterIP' });
    const cache = aPolicyCache({ policies: { p: quotas({ loadBalancers: 1 }) }, services: [named('a'), before] });
    assert.deepEqual(denialsOf(cache, named('b'), before), ['deny spec.type=2']);
  });

  it('is shared exactly by the namespaces of the policy', () => {
    const cache = aPolicyCache({
      policies: {
        p: {
          match: { namespaceSelector: { matchLabels: { team: 'shop' } } },
          ...quotas({ per: 'policy', loadBalancers: 2 }),
        },
      },
      namespaces: { shop: { team: 'shop' }, 'shop-test': { team: 'shop' }, bank: { team: 'bank' } },
      services: [named('a', { namespace: 'shop-test' }), named('b', { namespace: 'bank' })],
    });
    assert.deepEqual(denialsOf(cache, named('c')), []);
    cache.services.put(named('c'));
    assert.deepEqual(denialsOf(cache, named('d')), ['deny spec.type=3']);
    cache.services.remove(objectKey('a', 'shop-test'));
    assert.deepEqual(denialsOf(cache, named('d')), []);
    cache.setLabels('bank', { team: 'shop' });
    assert.deepEqual(denialsOf(cache, named('d')), ['deny spec.type=3']);
  });

  it('can have an exception, and the mode warn', () => {
    const services = [named('a')];
    const limit = { loadBalancers: 1 };
    const lifted = aPolicyCache({
      policies: { p: quotas(limit) },
      services,
      exceptions: [anException('e', { rule: 'policy/p/q', object: { namespace: 'shop', name: 'b' } })],
    });
    assert.match(denialsOf(lifted, named('b')).join(), /^warn spec\.type=2 \(LoadBalancerException e/);
    const mild = aPolicyCache({ policies: { p: quotas({ ...limit, mode: 'warn' }) }, services });
    assert.deepEqual(denialsOf(mild, named('b')), ['warn spec.type=2']);
  });

  it('applies only to the operations of its policy', () => {
    const policies = { p: { match: { operations: ['UPDATE' as const] }, ...quotas({ listeners: 1 }) } };
    const cache = aPolicyCache({ policies, services: [named('a')] });
    assert.deepEqual(denialsOf(cache, named('b')), []);
    assert.deepEqual(denialsOf(cache, named('a', { ports: [80, 81] }), named('a')), ['deny spec.ports=2']);
  });

  it('denies nothing before all Services are known', () => {
    const cache = aPolicyCache({ policies: { p: quotas({ loadBalancers: 0 }) } });
    cache.services.setSynced(false);
    assert.deepEqual(denialsOf(cache, named('a')), []);
  });
});
