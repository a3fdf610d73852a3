import assert from 'node:assert/strict';
import { ENFORCE_ALL } from '../../../src/policy/policy-decisions.ts';
import { readReview } from '../../../webhook/admission/admission-review.ts';
import { wantsLoadBalancer } from '../../../src/rules/engine/subject.ts';
import { ALL_RULES, validate } from '../../../webhook/admission/validate.ts';
import { aFacts } from '../../support/facts.ts';
import { aReview } from '../../support/review.ts';
import { aService, type ServiceInput } from '../../support/service.ts';

const PREFIX = 'service.beta.kubernetes.io/';
const KEY = `${PREFIX}alibaba-cloud-loadbalancer-`;
const CLAIMED = { annotations: { [`${PREFIX}class`]: 'nginx' } };
const FAULTY = { annotations: { [`${KEY}bandwidth`]: 'much', [`${KEY}nonsense`]: 'x' } };
const ID = 'service.k8s.alibaba/loadbalancer-id';
const status = { loadBalancer: { ingress: [{ ip: '47.96.0.1' }] } };

/** Returns the rules that deny an update, and the rules that warn. */
function consequencesOf(from: ServiceInput, to: ServiceInput): { readonly deny: string[]; readonly warn: string[] } {
  const request = aReview({ oldObject: { ...aService(from), status }, object: { ...aService(to), status } });
  const context = { facts: aFacts(), policy: ENFORCE_ALL, rules: ALL_RULES, expired: () => false };
  const { denials, warnings } = validate(readReview(request), context);
  return { deny: denials.map(({ rule }) => rule.name), warn: warnings.map(({ rule }) => rule.name) };
}

/** A Service that changes its controller could leave its load balancer without an owner. */
describe('a Service with a load balancer', () => {
  it('is not transferable to another controller', () => {
    assert.deepEqual(consequencesOf({}, CLAIMED), { deny: ['controller-change'], warn: [] });
  });

  it('is not transferable from another controller', () => {
    assert.deepEqual(consequencesOf(CLAIMED, {}), { deny: ['controller-change'], warn: [] });
  });

  it('can change its type, with a warning about the loss of the address', () => {
    assert.deepEqual(consequencesOf({}, { type: 'ClusterIP' }), { deny: [], warn: ['controller-change'] });
  });

  it('can change its type in spite of other violations', () => {
    assert.deepEqual(consequencesOf(FAULTY, { ...FAULTY, type: 'ClusterIP' }).deny, []);
  });

  it('can lose its annotation id when it changes its type', () => {
    const labels = { [ID]: 'lb-1' };
    const reusing = { annotations: { [`${KEY}id`]: 'lb-1', [`${KEY}force-override-listeners`]: 'true' }, labels };
    assert.deepEqual(consequencesOf(reusing, { labels, type: 'ClusterIP' }).deny, []);
  });

  it('is still served if a user adds the annotation for a network load balancer', () => {
    const finalizers = ['service.k8s.alibaba/resources'];
    const typed = aService({ annotations: { [`${KEY}type`]: 'nlb' } });
    assert.equal(wantsLoadBalancer({ ...typed, metadata: { ...typed.metadata, finalizers } }), true);
    assert.equal(wantsLoadBalancer(typed), false);
  });

  it('is ignored by the webhook while another controller manages it', () => {
    const annotations = { ...CLAIMED.annotations, ...FAULTY.annotations };
    assert.deepEqual(consequencesOf(CLAIMED, { annotations }), { deny: [], warn: [] });
  });
});
