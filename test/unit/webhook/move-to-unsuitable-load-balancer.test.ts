import assert from 'node:assert/strict';
import { CURRENT_PREFIX } from '../../../src/annotation/keys.ts';
import type { ClassicLoadBalancerStatus } from '../../../src/inventory/custom-resources.ts';
import type { Service } from '../../../src/base/kubernetes-objects.ts';
import { ENFORCE_ALL } from '../../../src/policy/policy-decisions.ts';
import { readReview } from '../../../webhook/admission/admission-review.ts';
import { ALL_RULES, validate } from '../../../webhook/admission/validate.ts';
import { resultOf } from '../../../webhook/admission/response.ts';
import { aFacts } from '../../support/facts.ts';
import { aReview } from '../../support/review.ts';
import { aService } from '../../support/service.ts';

/** A state that both load balancers have, and annotations that contradict this state. */
interface Defect {
  readonly has: Partial<ClassicLoadBalancerStatus>;
  readonly annotations: Readonly<Record<string, string>>;
}

const OVERRIDE = { 'force-override-listeners': 'true' };
const CASES: Readonly<Record<string, Defect>> = {
  'has a foreign listener on the port': {
    has: { listeners: [{ port: 80, protocol: 'tcp' }] },
    annotations: OVERRIDE,
  },
  'is at its limit of listeners': {
    has: { listeners: Array.from({ length: 50 }, (_, at) => ({ port: 9_000 + at, protocol: 'tcp' as const })) },
    annotations: OVERRIDE,
  },
  'is in another resource group': { has: { resourceGroupId: 'rg-a' }, annotations: { 'resource-group-id': 'rg-b' } },
  'is of another address type': { has: { addressType: 'internet' }, annotations: { 'address-type': 'intranet' } },
  'has a tcp listener on the target port of the redirect': {
    has: { listeners: [{ port: 443, protocol: 'tcp' }] },
    annotations: { ...OVERRIDE, 'protocol-port': 'http:80', 'forward-port': '80:443' },
  },
  'is at its limit of tags': {
    has: { tags: Array.from({ length: 20 }, (_, at) => ({ key: `k${at}`, value: 'v' })) },
    annotations: { 'additional-resource-tags': 'team=shop' },
  },
};

const service = (id: string, annotations: Readonly<Record<string, string>>): Service => {
  const keyed = Object.entries({ id, ...annotations }).map(([name, value]) => [
    `${CURRENT_PREFIX}loadbalancer-${name}`,
    value,
  ]);
  return aService({ annotations: Object.fromEntries(keyed) as Record<string, string> });
};

/** A stored violation only warns, but must not excuse a move to another unsuitable load balancer. */
describe('a Service with an unsuitable load balancer', () => {
  const decide = ({ has, annotations }: Defect, to: string, more = {}): string => {
    const loadBalancers = {
      'lb-1': { owner: 'user' as const, ...has },
      'lb-2': { owner: 'user' as const, ...has },
    };
    const [object, oldObject] = [service(to, { ...annotations, ...more }), service('lb-1', annotations)];
    const request = readReview(aReview({ object, oldObject }));
    const context = { facts: aFacts({ loadBalancers }), policy: ENFORCE_ALL, rules: ALL_RULES, expired: () => false };
    return resultOf(request, validate(request, context)).decision;
  };
  for (const [title, defect] of Object.entries(CASES)) {
    it(`is denied if it moves to another load balancer that ${title}`, () =>
      assert.equal(decide(defect, 'lb-2'), 'denied'));
    it(`gets a warning if another field changes while the load balancer ${title}`, () =>
      assert.equal(decide(defect, 'lb-1', { 'cookie-timeout': '5' }), 'warned'));
  }
});
