import assert from 'node:assert/strict';
import { MARKS } from '../../../src/annotation/marks.ts';
import type { AddressType, ClassicLoadBalancer } from '../../../src/inventory/resource.ts';
import { trimServiceForRules } from '../../../src/kubernetes/trim-service.ts';
import type { Service } from '../../../src/objects.ts';
import type { Quota } from '../../../src/policy/resource.ts';
import { aClb, aClbStatus } from '../../support/inventory.ts';
import { aBook } from '../../support/policy-book.ts';
import { named, quotas, refusalsOf, refused } from '../../support/quotas.ts';
import { annotated } from '../../support/running.ts';
import type { ServiceSaid } from '../../support/service.ts';

/** Of which its status says that it is served. */
const served = (name: string, said: ServiceSaid = {}): Service => ({
  ...named(name, said),
  status: { loadBalancer: { ingress: [{ hostname: 'a.example.com' }] } },
});
/** The load balancer that was made for a Service. */
const ownOf = (name: string, addressType: AddressType = 'internet'): ClassicLoadBalancer =>
  aClb(`lb-of-${name}`, { owner: 'this-cluster', service: `shop/${name}`, addressType });
/** One of people, with a Service's listeners on these ports. */
const shared = (name: string, ...ports: readonly number[]): ClassicLoadBalancer =>
  aClb('lb-shared', {
    listeners: [
      { port: 22, protocol: 'tcp' },
      ...ports.map((port) => ({ port, protocol: 'tcp' as const, service: `shop/${name}` })),
    ],
  });
/** The same, paid for by its bandwidth. */
const paying = (loadBalancer: ClassicLoadBalancer, bandwidth = 100): ClassicLoadBalancer => ({
  ...loadBalancer,
  status: aClbStatus({ ...loadBalancer.status, bandwidth }),
});
const BY_BANDWIDTH = annotated({ 'charge-type': 'paybybandwidth', bandwidth: '100' });
const NAMING = { annotations: annotated({ id: 'lb-shared' }) };
const INTRANET = annotated({ 'address-type': 'intranet' });

/** Of one that is refused, tells no address, and is held for what may be there of it. */
function held(name: string, reason: string): Service {
  const service = refused(name, reason);
  return { ...service, metadata: { ...service.metadata, finalizers: [MARKS.finalizer.name] } };
}

const MANY = [80, 81, 82, 83, 84];
const REUSING = annotated({ id: 'lb-shared', 'force-override-listeners': 'true' });
/** Service `a`, which is served, and refused some of five ports. */
const refusedMore = (reason: string, annotations: Readonly<Record<string, string>> = {}): Service =>
  refused('a', reason, [{ ip: '192.0.2.1' }], { annotations, ports: MANY });

interface Row {
  readonly quota: Partial<Quota>;
  readonly there: readonly Service[];
  readonly mirror: readonly ClassicLoadBalancer[];
  readonly asks: Service;
  readonly refuses: readonly string[];
}

const ROWS: Readonly<Record<string, Row>> = {
  'counts the load balancer of one that names another in vain': {
    quota: { loadBalancers: 1, publicLoadBalancers: 1 },
    there: [served('a', NAMING)],
    mirror: [ownOf('a')],
    asks: named('b'),
    refuses: ['refuse spec.type=2 load balancers', 'refuse [address-type]=2 load balancers on the internet'],
  },
  'counts the load balancer of one that is refused by now': {
    quota: { loadBalancers: 1 },
    there: [held('a', 'InvalidObject')],
    mirror: [ownOf('a')],
    asks: named('b'),
    refuses: ['refuse spec.type=2 load balancers'],
  },
  'counts the load balancer of one that gives it up, until it has gone': {
    quota: { loadBalancers: 1 },
    there: [served('a', { type: 'ClusterIP' })],
    mirror: [ownOf('a')],
    asks: named('b'),
    refuses: ['refuse spec.type=2 load balancers'],
  },
  'counts a load balancer as what it is, and not as what its Service says': {
    quota: { publicLoadBalancers: 1 },
    there: [served('a', { annotations: INTRANET }), served('b')],
    mirror: [ownOf('a'), ownOf('b', 'intranet')],
    asks: named('c'),
    refuses: ['refuse [address-type]=2 load balancers on the internet'],
  },
  'counts listeners that stay though their Service asks for none any more': {
    quota: { listeners: 2 },
    there: [served('a', NAMING)],
    mirror: [shared('a', 80, 81)],
    asks: named('b'),
    refuses: ['refuse spec.ports=3 listeners'],
  },
  'counts of one that is refused what it has of a load balancer that it reuses, and not what it asks for': {
    quota: { listeners: 4 },
    there: [refusedMore('Policy', REUSING)],
    mirror: [shared('a', 80, 81)],
    asks: named('b'),
    refuses: [],
  },
  'counts what one that is refused asks for of a load balancer of its own, whose listeners are not mirrored': {
    quota: { listeners: 4 },
    there: [refusedMore('Policy')],
    mirror: [ownOf('a')],
    asks: named('b'),
    refuses: ['refuse spec.ports=6 listeners'],
  },
  'counts it too where it names another one in vain': {
    quota: { listeners: 4 },
    there: [refusedMore('InvalidObject', REUSING)],
    mirror: [ownOf('a'), shared('a', 80)],
    asks: named('b'),
    refuses: ['refuse spec.ports=6 listeners'],
  },
  'counts it too where the mirror shows nothing of it yet': {
    quota: { listeners: 4 },
    there: [refusedMore('Policy', REUSING)],
    mirror: [],
    asks: named('b'),
    refuses: ['refuse spec.ports=6 listeners'],
  },
  'counts it too of one that is not refused': {
    quota: { listeners: 4 },
    there: [served('a', { annotations: REUSING, ports: MANY })],
    mirror: [shared('a', 80, 81)],
    asks: named('b'),
    refuses: ['refuse spec.ports=6 listeners'],
  },
  'does not count listeners that one of the same name has left behind': {
    quota: { listeners: 2 },
    there: [named('a', { type: 'ClusterIP' })],
    mirror: [shared('a', 80, 81)],
    asks: named('b'),
    refuses: [],
  },
  'counts a bandwidth that its Service does not say any more': {
    quota: { bandwidth: 100 },
    there: [served('a')],
    mirror: [paying(ownOf('a'))],
    asks: named('b', { annotations: BY_BANDWIDTH }),
    refuses: ['refuse [bandwidth]=200 Mbit/s'],
  },
  'lets a Service say again the bandwidth that it has': {
    quota: { bandwidth: 50 },
    there: [served('a')],
    mirror: [paying(ownOf('a'))],
    asks: served('a', { annotations: BY_BANDWIDTH }),
    refuses: [],
  },
  'counts the bandwidth that is asked of a load balancer that is reused': {
    quota: { bandwidth: 50 },
    there: [],
    mirror: [],
    asks: named('b', { annotations: { ...REUSING, ...BY_BANDWIDTH } }),
    refuses: ['refuse [bandwidth]=100 Mbit/s'],
  },
  'counts of one that is refused what it asked for of the bandwidth of a load balancer that it reuses': {
    quota: { bandwidth: 199 },
    there: [refusedMore('Policy', { ...REUSING, ...BY_BANDWIDTH })],
    mirror: [paying(shared('a', 80))],
    asks: named('b', { annotations: BY_BANDWIDTH }),
    refuses: ['refuse [bandwidth]=200 Mbit/s'],
  },
  'counts nothing of the bandwidth that people gave to a load balancer that is reused': {
    quota: { bandwidth: 100 },
    there: [served('a', { annotations: REUSING })],
    mirror: [paying(shared('a', 80), 5000)],
    asks: named('b', { annotations: BY_BANDWIDTH }),
    refuses: [],
  },
  'counts nothing that is asked of a load balancer that is not on the internet': {
    quota: { bandwidth: 100 },
    there: [served('a', { annotations: { ...REUSING, ...BY_BANDWIDTH } })],
    mirror: [aClb('lb-shared', { addressType: 'intranet' })],
    asks: named('b', { annotations: BY_BANDWIDTH }),
    refuses: [],
  },
  'lets a Service ask again for what it has': {
    quota: { loadBalancers: 0, listeners: 0 },
    there: [served('a', NAMING)],
    mirror: [ownOf('a'), shared('a', 80)],
    asks: served('a'),
    refuses: [],
  },
};

describe('a quota, of what there is', () => {
  for (const [what, { quota, there, mirror, asks, refuses }] of Object.entries(ROWS)) {
    it(what, () => {
      const before = there.find(({ metadata }) => metadata.name === asks.metadata.name);
      const book = aBook({ policies: { p: quotas(quota) }, services: there.map(trimServiceForRules), mirror });
      assert.deepEqual(refusalsOf(book, asks, before), refuses);
    });
  }

  it('follows what the mirror shows', () => {
    const book = aBook({ policies: { p: quotas({ listeners: 2 }) }, services: [served('a', NAMING)] });
    assert.equal(refusalsOf(book, named('b')).length, 0);
    book.setMirror(shared('a', 80, 81));
    assert.equal(refusalsOf(book, named('b')).length, 1);
  });
});
