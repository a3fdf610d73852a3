import assert from 'node:assert/strict';
import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import fastJsonPatch from 'fast-json-patch';
import type { Service } from '../../../../src/base/kubernetes-objects.ts';
import { defaultsBy, type Defaults } from '../../../../webhook/mutate/policy-defaults.ts';
import { mutate, type DeprecatedKeys } from '../../../../webhook/mutate/mutate.ts';
import { readReview } from '../../../../webhook/admission/admission-review.ts';
import { aFacts } from '../../../support/facts.ts';
import { aPolicyCache } from '../../../support/policy-cache.ts';
import { aReview, type ReviewInput } from '../../../support/review.ts';
import { aService } from '../../../support/service.ts';

type Annotations = Readonly<Record<string, string>>;

const KEY = 'service.beta.kubernetes.io/alibaba-cloud-loadbalancer-';
const OLD = 'service.beta.kubernetes.io/alicloud-loadbalancer-';
const NAMES = ['acl-id', 'acl-status', 'acl-type', 'address-type', 'scheduler'];
const KEYS = NAMES.flatMap((name) => [KEY + name, OLD + name]);
const OTHERS = ['service.beta.kubernetes.io/class', 'example.com/team'];

const { policyCache } = aPolicyCache({
  policies: {
    p: {
      defaults: [
        { annotation: 'acl-id', value: 'acl-1' },
        { annotation: 'acl-status', value: 'on' },
        { annotation: 'acl-type', value: 'white', when: [{ annotation: 'acl-status', oneOf: ['on'] }] },
        { annotation: 'address-type', value: 'intranet' },
      ],
    },
  },
});

const anyAnnotations: fc.Arbitrary<Annotations> = fc.dictionary(
  fc.constantFrom(...KEYS, ...OTHERS),
  fc.constantFrom('on', 'off', 'acl-1', '', 'intranet'),
  { maxKeys: 5 },
);
const anyOwned = fc.record({
  manager: fc.constantFrom('helm', 'kubectl-client-side-apply', 'my-operator'),
  operation: fc.constantFrom('Update', 'Apply'),
  keys: fc.subarray(KEYS),
});
const anyState = fc.record({
  annotations: anyAnnotations,
  type: fc.constantFrom('LoadBalancer', 'LoadBalancer', 'ClusterIP'),
  hasFinalizer: fc.boolean(),
  isMarked: fc.boolean(),
  isServed: fc.boolean(),
  isManifest: fc.boolean(),
  lastApplied: fc.option(anyAnnotations, { nil: undefined }),
  owned: fc.array(anyOwned, { maxLength: 2 }),
});
type State = typeof anyState extends fc.Arbitrary<infer Value> ? Value : never;

function serviceOf(state: State): Service {
  const { annotations, type, lastApplied, owned } = state;
  const manifest = JSON.stringify({ metadata: { annotations: lastApplied } });
  const last = lastApplied === undefined ? {} : { 'kubectl.kubernetes.io/last-applied-configuration': manifest };
  const input = { ...annotations, ...last };
  const { metadata, ...service } = aService({
    type,
    ...(Object.keys(input).length === 0 ? {} : { annotations: input }),
  });
  const managedFields = owned.map(({ manager, operation, keys }) => {
    const fields = Object.fromEntries(keys.map((key) => [`f:${key}`, {}]));
    const time = '2026-01-01T00:00:00Z';
    return { manager, operation, time, fieldsV1: { 'f:metadata': { 'f:annotations': fields } } };
  });
  return {
    ...service,
    metadata: {
      ...metadata,
      managedFields,
      ...(state.isManifest ? { uid: '' } : {}),
      ...(state.hasFinalizer ? { finalizers: ['service.k8s.alibaba/resources'] } : {}),
      ...(state.isMarked ? { labels: { 'service.k8s.alibaba/loadbalancer-id': 'lb-1' } } : {}),
    },
    ...(state.isServed ? { status: { loadBalancer: { ingress: [{ ip: '47.96.0.1' }] } } } : {}),
  };
}

function mutated(
  input: ReviewInput & { readonly object: Service },
  handling: DeprecatedKeys,
  defaults?: Defaults,
): Service {
  const { patch = [] } = mutate(readReview(aReview(input)), handling, defaults);
  return fastJsonPatch.applyPatch(structuredClone(input.object), structuredClone([...patch]), true).newDocument;
}

/** The API server may call the mutating webhook twice, so the mutation must be idempotent. */
describe('the mutation of a Service with policies in force', () => {
  const policyDefaults = defaultsBy(policyCache, aFacts());
  const anyHandling = fc.constantFrom<DeprecatedKeys>('auto', 'keep', 'replace');
  const anyWriter = fc.constantFrom(
    ...['helm', 'my-operator', '', 'kubectl-edit', 'kubectl-replace', 'kubectl-client-side-apply'],
  );
  const anyBefore = fc.option(anyState, { nil: undefined });
  it('is idempotent', () => {
    fc.assert(
      fc.property(anyState, anyBefore, anyHandling, anyWriter, (after, before, handling, fieldManager) => {
        const oldObject = before === undefined ? {} : { oldObject: serviceOf({ ...before, isManifest: false }) };
        const passes = (defaults?: Defaults): readonly Service[] => {
          const input = { fieldManager, ...oldObject };
          const once = mutated({ ...input, object: serviceOf(after) }, handling, defaults);
          return [once, mutated({ ...input, object: once }, handling, defaults)];
        };
        // Skips random `managedFields` that no real client writes: with them, the mutation is not idempotent even without policy defaults.
        const [once, twice] = passes();
        fc.pre(isDeepStrictEqual(once, twice));
        const [filled, again] = passes(policyDefaults);
        assert.deepEqual(again, filled);
      }),
      { numRuns: 3_000, seed: 1 },
    );
  });
});
