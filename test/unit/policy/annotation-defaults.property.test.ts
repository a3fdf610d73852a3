import assert from 'node:assert/strict';
import fc from 'fast-check';
import fastJsonPatch from 'fast-json-patch';
import type { Service } from '../../../src/base/kubernetes-objects.ts';
import type { Condition, PolicyDefault } from '../../../src/policy/custom-resources.ts';
import { defaultsBy } from '../../../webhook/mutate/policy-defaults.ts';
import { mutate } from '../../../webhook/mutate/mutate.ts';
import { readReview } from '../../../webhook/admission/admission-review.ts';
import { aFacts } from '../../support/facts.ts';
import { aPolicyCache } from '../../support/policy-cache.ts';
import { aReview } from '../../support/review.ts';
import { aService } from '../../support/service.ts';

const RUNS = { numRuns: 500, seed: 1 };
const KEY = 'service.beta.kubernetes.io/alibaba-cloud-loadbalancer-';

const VALUES: Readonly<Record<string, readonly string[]>> = {
  'address-type': ['internet', 'intranet', 'nowhere'],
  'acl-status': ['on', 'off'],
  'acl-id': ['acl-1'],
  id: ['lb-1'],
  'force-override-listeners': ['true'],
  scheduler: ['rr', 'wrr'],
  name: ['${cluster}-${name}', 'web'],
  'vgroup-port': ['rsp-1:80'],
};
const anyAnnotation = fc.constantFrom(...Object.keys(VALUES));
const anyPresent = anyAnnotation.chain((annotation) =>
  fc.record({ annotation: fc.constant(annotation), value: fc.constantFrom(...(VALUES[annotation] ?? [])) }),
);
const anyCondition: fc.Arbitrary<Condition> = fc.oneof(
  anyPresent.map(({ annotation, value }) => ({ annotation, oneOf: [value] })),
  fc.record({ annotation: anyAnnotation, present: fc.boolean() }),
);
const anyDefault: fc.Arbitrary<PolicyDefault> = fc
  .record({ input: anyPresent, when: fc.array(anyCondition, { maxLength: 2 }) })
  .map(({ input, when }) => ({ ...input, when }));
const anyAnnotations = fc
  .array(anyPresent, { maxLength: 2 })
  .map((all) => Object.fromEntries(all.map(({ annotation, value }) => [KEY + annotation, value])));

/** The API server may call the mutating webhook twice, so defaults must be idempotent. */
describe('defaults with any dependencies', () => {
  it('are idempotent, and never change an existing value', () => {
    fc.assert(
      fc.property(
        fc.array(fc.array(anyDefault, { minLength: 1, maxLength: 4 }), { minLength: 1, maxLength: 2 }),
        anyAnnotations,
        fc.constantFrom(null, { clusterId: 'c1' }),
        (all, annotations, cluster) => {
          const policies = Object.fromEntries(all.map((defaults, index) => [`p${index}`, { defaults }]));
          const { policyCache } = aPolicyCache({ policies });
          const facts = aFacts({ cluster });
          const apply = (object: Service): Service => {
            const request = readReview(aReview({ object }));
            const { patch = [] } = mutate(request, 'auto', defaultsBy(policyCache, facts));
            return fastJsonPatch.applyPatch(structuredClone(object), structuredClone([...patch]) as never).newDocument;
          };
          const once = apply(aService({ annotations }));
          assert.deepEqual(apply(once), once);
          const has = once.metadata.annotations ?? {};
          for (const [key, value] of Object.entries(annotations)) assert.equal(has[key], value);
        },
      ),
      RUNS,
    );
  });
});
