import assert from 'node:assert/strict';
import { ENFORCE_ALL } from '../../../src/policy/policy.ts';
import { readReview } from '../../../webhook/review.ts';
import { ALL_RULES, validate } from '../../../webhook/validate.ts';
import { aFacts } from '../../support/facts.ts';
import { aReview } from '../../support/review.ts';
import { aService } from '../../support/service.ts';

describe('an object that is none of its kind', () => {
  const objects: Record<string, object> = {
    'a list instead of annotations': { ...aService(), metadata: { annotations: [] } },
    'annotations that are no texts': { ...aService(), metadata: { annotations: { a: 1 } } },
    'a text instead of ports': { ...aService(), spec: { type: 'LoadBalancer', ports: 'x' } },
    'a port without a number': { ...aService(), spec: { type: 'LoadBalancer', ports: [{}] } },
    'nothing for the protocol of a port': { ...aService(), spec: { ports: [{ port: 80, protocol: null }] } },
    'nothing for a target port': { ...aService(), spec: { ports: [{ port: 80, targetPort: null }] } },
    'nothing for the ports': { ...aService(), spec: { type: 'LoadBalancer', ports: null } },
    'a text for the port of health checks': { ...aService(), spec: { ports: [], healthCheckNodePort: '30000' } },
    'nothing for an address in the status': { ...aService(), status: { loadBalancer: { ingress: [null] } } },
    'a number for the name of a manager': { ...aService(), metadata: { managedFields: [{ manager: 1 }] } },
    'no metadata': { kind: 'Service' },
  };
  for (const [sentence, object] of Object.entries(objects)) {
    it(`is said to be none: ${sentence}`, () => {
      const review = aReview({ object: aService() }) as { request: object };
      const request = readReview({ ...review, request: { ...review.request, object } });
      const context = { facts: aFacts(), policy: ENFORCE_ALL, rules: ALL_RULES, expired: () => false };
      assert.throws(() => validate(request, context), {
        reason: 'InvalidObject',
        message: /^the Service in the review is none: (it|metadata|spec|status)\S* has the wrong type$/,
      });
    });
  }
});
