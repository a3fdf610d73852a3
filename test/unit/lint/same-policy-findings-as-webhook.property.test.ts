import assert from 'node:assert/strict';
import fc from 'fast-check';
import { createPolicyContext } from '../../../src/lint/policy/policy-context.ts';
import { rulesFor, lintResultOf } from '../../../src/lint/webhook-evaluation.ts';
import type { Service } from '../../../src/base/kubernetes-objects.ts';
import { FINALIZER } from '../../../src/rules/engine/controller-metadata.ts';
import { TYPE } from '../../../src/rules/engine/subject.ts';
import { anyExceptions, anyPolicies } from '../../support/any-policy.ts';
import { anyFacts, anyService } from '../../support/any-service.ts';
import { aFacts } from '../../support/facts.ts';
import { aPolicyCache, evaluatedWith, findingTexts } from '../../support/policy-cache.ts';

const NOW = '2026-11-01T00:00:00Z';

interface Change {
  readonly service: Service;
  readonly before?: Service;
}

const ofType = ({ metadata, ...rest }: Service, finalizers: readonly string[]): Service => ({
  ...rest,
  metadata: { ...metadata, finalizers, annotations: { ...metadata.annotations, [TYPE]: 'nlb' } },
});

/** Changes of a Service, including changes that make Portcullis manage it. */
const CHANGES: Readonly<Record<string, (service: Service, other: Service) => Change>> = {
  'it is new': (service) => ({ service }),
  'it had another spec': (service, before) => ({ service, before }),
  'it was no load balancer': (service) => ({
    service,
    before: { ...service, spec: { ...service.spec, type: 'ClusterIP' } },
  }),
  'its finalizer makes it ours': (service) => ({ service: ofType(service, [FINALIZER]), before: ofType(service, []) }),
};

/** A difference between lint and the webhook would let a manifest pass the pipeline and fail at the deployment. */
describe('lint and the webhook with any policies', () => {
  it('return the same findings for any Service, new or changed', () => {
    const everything = fc.record({
      policies: anyPolicies,
      exceptions: anyExceptions,
      any: anyService,
      other: anyService,
      change: fc.constantFrom(...Object.values(CHANGES)),
      facts: anyFacts,
    });
    fc.assert(
      fc.property(everything, ({ policies, exceptions, any, other, change, facts }) => {
        const { service, before } = change(any, other);
        const { name, namespace } = service.metadata;
        const stored = before && { ...before, metadata: { ...before.metadata, name, namespace } };
        const world = createPolicyContext({
          policies,
          exceptions,
          namespaces: new Map([['shop', { team: 'shop', 'kubernetes.io/metadata.name': 'shop' }]]),
          services: [],
          clock: { now: () => Date.parse(NOW) },
        });
        const bench = { facts: aFacts(facts), rules: rulesFor(true, true), policyContext: world };
        const cache = aPolicyCache({ policies, exceptions, now: NOW });
        const request = { object: service, ...(stored === undefined ? {} : { oldObject: stored }) };
        assert.deepEqual(
          findingTexts(lintResultOf(service, stored, bench).outcome),
          findingTexts(evaluatedWith(cache, request, facts)),
        );
      }),
      { numRuns: 200, seed: 1 },
    );
  });
});
