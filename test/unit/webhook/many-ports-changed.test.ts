import assert from 'node:assert/strict';
import { CURRENT_PREFIX } from '../../../src/annotation/keys.ts';
import type { Service } from '../../../src/base/kubernetes-objects.ts';
import type { LoadBalancerPolicySpec } from '../../../src/policy/custom-resources.ts';
import { aPolicyCache, evaluatedWith } from '../../support/policy-cache.ts';
import { requiring } from '../../support/policy-controller.ts';
import { aService } from '../../support/service.ts';

const FEWER = 500;
const TIMES = 4;
/** Maximum growth for four times as many ports: between 4 (linear) and 16 (quadratic). */
const MOST_GROWTH = 9;
/** Milliseconds below which garbage collection dominates the measurement. */
const LEAST_MS = 20;

interface Changed {
  /** The smaller of the two compared numbers of ports. Defaults to `FEWER`, but a cheap comparison needs more ports. */
  readonly fewer?: number;
  readonly policy?: LoadBalancerPolicySpec;
  readonly annotations?: Readonly<Record<string, string>>;
  /** The first port and the annotations of the stored Service, which has as many ports. */
  readonly stored?: { readonly from?: number; readonly annotations?: Readonly<Record<string, string>> };
}

const LB_1 = { 'lb-1': { owner: 'user', address: '47.1.1.1', listeners: [{ port: 80, protocol: 'tcp' }] } } as const;

function aServed(from: number, count: number, annotations: Readonly<Record<string, string>>): Service {
  const keyed = Object.entries(annotations).map(([name, value]) => [`${CURRENT_PREFIX}loadbalancer-${name}`, value]);
  const service = aService({ annotations: Object.fromEntries(keyed) as Record<string, string> });
  const ports = Array.from({ length: count }, (_, at) => ({ name: `p${at}`, port: from + at, protocol: 'TCP' }));
  return { ...service, spec: { ...service.spec, ports }, status: { loadBalancer: { ingress: [{ ip: '47.1.1.1' }] } } };
}

const port: LoadBalancerPolicySpec = requiring({ field: 'port', oneOf: ['443'] });
const protocol: LoadBalancerPolicySpec = requiring({ field: 'protocol', oneOf: ['https'] });
const guarded: LoadBalancerPolicySpec = {
  constraints: [
    { name: 'c', when: [{ field: 'protocol', oneOf: ['udp'] }], require: [{ field: 'port', oneOf: ['443'] }] },
  ],
};
const SHIFTED_BY_ONE = { from: 2 };

const CASES: Readonly<Record<string, Changed>> = {
  'all ports violate a policy on ports': { policy: port, annotations: { name: 'web' } },
  'all ports violate a policy on protocols': { policy: protocol, annotations: { name: 'web' } },
  'all ports violate a policy on ports, and a port is new': { policy: port, stored: SHIFTED_BY_ONE },
  'all ports violate a policy on protocols and are new': { policy: protocol, stored: { from: 20_000 } },
  'all ports violate a policy on ports with a condition on protocols': {
    policy: guarded,
    fewer: 2_000,
    annotations: { name: 'web' },
  },
  'all ports are new, and the Service violates a policy on an annotation': {
    policy: requiring({ annotation: 'spec', oneOf: ['slb.s1.small'] }),
    annotations: { spec: 'slb.s2.small' },
    stored: { from: 20_000, annotations: { spec: 'slb.s2.small' } },
  },
  'all ports and the scheduler are new': {
    fewer: 5_000,
    annotations: { scheduler: 'sch' },
    stored: { from: 20_000 },
  },
  'all ports are new on a user-managed load balancer': {
    annotations: { id: 'lb-1', 'force-override-listeners': 'true' },
    stored: { from: 20_000, annotations: { id: 'lb-1', 'force-override-listeners': 'true' } },
  },
};

/** Returns the processor time of an update in milliseconds, which excludes other processes. */
function busyMs(count: number, { policy, annotations = {}, stored = {} }: Changed): number {
  const object = aServed(1, count, annotations);
  const oldObject = aServed(stored.from ?? 1, count, stored.annotations ?? {});
  const cache = aPolicyCache(policy === undefined ? {} : { policies: { p: policy } });
  const begun = process.cpuUsage();
  evaluatedWith(cache, { object, oldObject }, { loadBalancers: LB_1 });
  const { user, system } = process.cpuUsage(begun);
  return (user + system) / 1_000;
}

const least = (count: number, changed: Changed): number =>
  Math.min(...Array.from({ length: 3 }, () => busyMs(count, changed)));

/** A tenant can write thousands of ports, so a quadratic comparison would block the webhook for all tenants. */
describe('an update of a Service with very many ports', () => {
  for (const [title, changed] of Object.entries(CASES)) {
    it(`costs no more per port than an update with fewer ports: ${title}`, () => {
      const count = changed.fewer ?? FEWER;
      const [less, more] = [least(count, changed), least(count * TIMES, changed)];
      assert.ok(more <= MOST_GROWTH * Math.max(less, LEAST_MS), `${less} ms become ${more} ms`);
    });
  }
});
