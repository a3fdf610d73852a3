import assert from 'node:assert/strict';
import fastJsonPatch from 'fast-json-patch';
import type { Facts } from '../../../../src/inventory/facts.ts';
import type { Service } from '../../../../src/base/kubernetes-objects.ts';
import { defaultsBy } from '../../../../webhook/mutate/policy-defaults.ts';
import { mutate } from '../../../../webhook/mutate/mutate.ts';
import { readReview } from '../../../../webhook/admission/admission-review.ts';
import { aFacts } from '../../../support/facts.ts';
import { aPolicyCache } from '../../../support/policy-cache.ts';
import { aReview } from '../../../support/review.ts';
import { aService, type ServiceInput } from '../../../support/service.ts';

type Annotations = Readonly<Record<string, string>>;

const KEY = 'service.beta.kubernetes.io/alibaba-cloud-loadbalancer-';
const OLD = 'service.beta.kubernetes.io/alicloud-loadbalancer-';
const CLASS = { 'service.beta.kubernetes.io/class': 'x' };
const FINALIZER = 'service.k8s.alibaba/resources';
const TYPE = { [`${KEY}acl-type`]: 'white' };
const DEFAULTS = { [`${KEY}acl-id`]: 'acl-1', [`${KEY}acl-status`]: 'on', [`${KEY}name`]: 'c1-web' };

const { policyCache } = aPolicyCache({
  policies: {
    p: {
      defaults: [
        { annotation: 'acl-id', value: 'acl-2' },
        { annotation: 'acl-status', value: 'on' },
        { annotation: 'acl-type', value: 'white', when: [{ annotation: 'acl-status', oneOf: ['on'] }] },
        { annotation: 'name', value: '${cluster}-${name}' },
      ],
    },
  },
});

interface Put {
  readonly oldObject: Service;
  readonly object: Service;
  readonly by?: string;
}

/** Returns the annotations and warnings after a PUT of a Service. */
function put({ oldObject, object, by = 'kubectl-replace' }: Put): {
  readonly annotations: Annotations;
  readonly warnings: readonly string[];
} {
  const request = readReview(aReview({ fieldManager: by, oldObject, object }));
  // Without a cluster ID, the default of `name` cannot be computed, so a kept value can only be the stored value.
  const { patch = [], warnings = [] } = mutate(request, 'auto', defaultsBy(policyCache, aFacts({ cluster: null })));
  const { newDocument } = fastJsonPatch.applyPatch(structuredClone(object), structuredClone([...patch]));
  return { annotations: newDocument.metadata.annotations ?? {}, warnings };
}

const managed = (service: Service, more: object = {}): Service => ({
  ...service,
  metadata: { ...service.metadata, finalizers: [FINALIZER], ...more },
});
const ownedBy = (manager: string, operation: string, key: string): object => ({
  managedFields: [
    { manager, operation, fieldsV1: { 'f:metadata': { 'f:annotations': { '.': {}, [`f:${key}`]: {} } } } },
  ],
});
const of = (service: Service, more: object): Service => ({ ...service, metadata: { ...service.metadata, ...more } });
/** Returns a Service without a UID, as a manifest contains it. */
const aManifest = (input: ServiceInput = {}): Service => of(aService(input), { uid: undefined });

/** A manifest omits the defaults that policies have set, but an apply of the manifest must not remove these defaults. */
describe('applied defaults of a Service', () => {
  const stored = aService({ annotations: DEFAULTS });

  it('stay as stored if a full manifest omits them, with a warning', () => {
    const { annotations, warnings } = put({ oldObject: stored, object: aManifest() });
    assert.deepEqual(annotations, DEFAULTS);
    assert.deepEqual(
      warnings,
      Object.entries(DEFAULTS).map(
        ([key, value]) =>
          `Service shop/web: metadata.annotations[${key}]: keeps "${value}", the default of LoadBalancerPolicy p; kubectl annotate can remove the annotation`,
      ),
    );
  });

  it('stay if the request changes nothing, without a warning', () => {
    assert.deepEqual(put({ oldObject: stored, object: stored }), { annotations: DEFAULTS, warnings: [] });
  });

  for (const by of ['my-operator', 'Terraform', 'helm', '']) {
    it(`stay if "${by}" applies an unchanged manifest without them, with a warning`, () => {
      const { annotations, warnings } = put({ oldObject: stored, object: aService(), by });
      assert.deepEqual(annotations, DEFAULTS);
      assert.deepEqual(warnings, put({ oldObject: stored, object: aManifest() }).warnings);
    });
  }

  for (const by of ['kubectl-annotate', 'kubectl-edit', 'kubectl-patch', 'kubectl-replace']) {
    it(`are removed if a user removes them from the stored object with ${by}`, () => {
      assert.deepEqual(put({ oldObject: stored, object: aService(), by }), { annotations: {}, warnings: [] });
    });
  }

  it('stay if the condition in the policy is true, and are removed if the condition is false', () => {
    const was = (status: string): Annotations => ({ [`${KEY}acl-status`]: status, ...TYPE });
    const written = (status: string): Put => ({
      oldObject: aService({ annotations: was(status) }),
      object: aManifest(),
    });
    assert.deepEqual(put(written('on')).annotations, was('on'));
    assert.deepEqual(put(written('off')).annotations, { [`${KEY}acl-status`]: 'off' });
  });

  it('are evaluated on a Service without its other annotations, of which thousands may exist', () => {
    const others = (group: string): Annotations =>
      Object.fromEntries(Array.from({ length: 2_000 }, (_, at) => [`${group}.example.com/${at}`, '']));
    const lookedAt: number[] = [];
    const appliedFor = (service: Service, facts: Facts) => {
      lookedAt.push(Object.keys(service.metadata.annotations ?? {}).length);
      return policyCache.defaultsForService(service, facts);
    };
    const was = aService({ annotations: { ...DEFAULTS, ...others('before') } });
    const defaults = defaultsBy({ defaultsForService: appliedFor }, aFacts());
    const { kept } = defaults(aService({ annotations: others('after') }), was, { fieldManager: 'helm' });
    assert.deepEqual(Object.fromEntries(kept.map(({ key, value }) => [key, value])), DEFAULTS);
    // Each of the three defaults is evaluated once, on a Service with only the two other defaults.
    assert.deepEqual(lookedAt, [2, 2, 2]);
  });

  const abandoned: Readonly<Record<string, Service>> = {
    'another type': aManifest({ type: 'ClusterIP' }),
    'another class': aManifest({ annotations: CLASS }),
  };
  for (const [what, object] of Object.entries(abandoned)) {
    it(`stay if a manifest with ${what} is applied by mistake and then corrected`, () => {
      const own = object.metadata.annotations ?? {};
      const mistaken = put({ oldObject: managed(stored), object: managed(object) }).annotations;
      assert.deepEqual(mistaken, { ...own, ...DEFAULTS });
      const oldObject = managed(
        of(object, { uid: 'u', annotations: mistaken, labels: { 'service.k8s.alibaba/loadbalancer-id': 'lb-1' } }),
      );
      assert.deepEqual(put({ oldObject, object: managed(aManifest()) }).annotations, DEFAULTS);
    });

    it(`are removed by a manifest with ${what} if the Service has no cloud resources`, () => {
      assert.deepEqual(put({ oldObject: stored, object }).annotations, object.metadata.annotations ?? {});
    });
  }

  const STATUS = `${KEY}acl-status`;
  const last = (annotations: Annotations): Annotations => ({
    'kubectl.kubernetes.io/last-applied-configuration': JSON.stringify({ metadata: { annotations } }),
  });
  const own = aService({ annotations: { [STATUS]: 'on' } });
  const removals: Readonly<Record<string, Put>> = {
    'its writer removed': {
      oldObject: of(own, ownedBy('my-operator', 'Update', STATUS)),
      object: aService(),
      by: 'my-operator',
    },
    'a user wrote': { oldObject: of(own, ownedBy('kubectl-create', 'Update', STATUS)), object: aManifest() },
    'a user applied on the server': { oldObject: of(own, ownedBy('me', 'Apply', STATUS)), object: aManifest() },
    'a user applied': {
      oldObject: aService({ annotations: { [STATUS]: 'on', ...last({ [STATUS]: 'on' }) } }),
      object: aManifest(),
    },
    'a user wrote with its deprecated key': {
      oldObject: of(own, ownedBy('helm', 'Update', `${OLD}acl-status`)),
      object: aManifest(),
    },
    'no default sets': { oldObject: aService({ annotations: { [`${KEY}scheduler`]: 'wrr' } }), object: aManifest() },
    'a Service of another type has': {
      oldObject: aService({ type: 'ClusterIP', annotations: { [STATUS]: 'on' } }),
      object: aManifest({ type: 'ClusterIP' }),
    },
  };
  for (const [what, input] of Object.entries(removals)) {
    it(`do not restore an annotation that ${what}`, () => {
      assert.deepEqual(put(input), { annotations: {}, warnings: [] });
    });
  }

  for (const written of [{ [STATUS]: 'off' }, { [STATUS]: '' }]) {
    it(`never replace a value of the manifest: ${JSON.stringify(written)}`, () => {
      assert.deepEqual(put({ oldObject: own, object: aManifest({ annotations: written }) }).annotations, written);
    });
  }

  it('never replace a value that the manifest sets with a deprecated key', () => {
    const object = aManifest({ annotations: { [`${OLD}acl-status`]: 'off' } });
    assert.deepEqual(put({ oldObject: own, object }).annotations, { [STATUS]: 'off' });
  });
});
