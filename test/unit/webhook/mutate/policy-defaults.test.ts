import assert from 'node:assert/strict';
import fastJsonPatch from 'fast-json-patch';
import type { Service } from '../../../../src/base/kubernetes-objects.ts';
import type { LoadBalancerPolicySpec } from '../../../../src/policy/custom-resources.ts';
import { defaultsBy } from '../../../../webhook/mutate/policy-defaults.ts';
import { mutate } from '../../../../webhook/mutate/mutate.ts';
import { readReview } from '../../../../webhook/admission/admission-review.ts';
import { aFacts, type FactsInput } from '../../../support/facts.ts';
import { aPolicyCache } from '../../../support/policy-cache.ts';
import { aReview, type ReviewInput } from '../../../support/review.ts';
import { aService } from '../../../support/service.ts';

const KEY = 'service.beta.kubernetes.io/alibaba-cloud-loadbalancer-';
const OLD = 'service.beta.kubernetes.io/alicloud-loadbalancer-';
const SPEC: LoadBalancerPolicySpec = {
  defaults: [
    { annotation: 'address-type', value: 'intranet' },
    { annotation: 'name', value: '${namespace}-${name}' },
  ],
};
const FILLED = { [`${KEY}address-type`]: 'intranet', [`${KEY}name`]: 'shop-web' };

function mutated(
  input: ReviewInput,
  facts: FactsInput = {},
): { readonly object: Service; readonly warnings: readonly string[] } {
  const { policyCache } = aPolicyCache({ policies: { p: SPEC } });
  const answer = mutate(readReview(aReview(input)), 'auto', defaultsBy(policyCache, aFacts(facts)));
  const patch = structuredClone([...(answer.patch ?? [])]);
  const object = fastJsonPatch.applyPatch(structuredClone(input.object) as Service, patch).newDocument;
  return { object, warnings: answer.warnings ?? [] };
}
const annotationsOf = (input: ReviewInput): object => mutated(input).object.metadata.annotations ?? {};

/** Defaults must apply to new Services only, because a change of a stored Service can interrupt its traffic. */
describe('defaults of policies', () => {
  it('apply to a new Service, with or without annotations', () => {
    assert.deepEqual(annotationsOf({ object: aService() }), FILLED);
    const own = { 'example.com/a~b': 'c' };
    assert.deepEqual(annotationsOf({ object: aService({ annotations: own }) }), { ...own, ...FILLED });
  });

  it('are reported as warnings, each with its policy', () => {
    assert.deepEqual(mutated({ object: aService() }).warnings, [
      `Service shop/web: metadata.annotations[${KEY}address-type]: LoadBalancerPolicy p sets the default "intranet"`,
      `Service shop/web: metadata.annotations[${KEY}name]: LoadBalancerPolicy p sets the default "shop-web"`,
    ]);
  });

  it('that cannot apply are reported too', () => {
    const object = aService();
    const { namespace, uid } = object.metadata;
    const nameless = { ...object, metadata: { namespace, uid, generateName: 'web-' } };
    assert.match(
      mutated({ object: nameless }).warnings.join('\n'),
      /-name\]: the default of LoadBalancerPolicy p is not set: the API server has not generated the name yet/,
    );
  });

  it('are added together with rewritten deprecated keys, and never replace them', () => {
    const object = aService({ annotations: { [`${OLD}address-type`]: 'internet' } });
    const annotations = annotationsOf({ object, fieldManager: 'kubectl-create' });
    assert.deepEqual(annotations, { [`${KEY}address-type`]: 'internet', [`${KEY}name`]: 'shop-web' });
  });

  const owned = (keys: Readonly<Record<string, string>>, service: Service): Service => {
    const fields = Object.fromEntries(Object.keys(keys).map((key) => [`f:${key}`, {}]));
    const fieldsV1 = { 'f:metadata': { 'f:annotations': fields } };
    const managedFields = [{ manager: 'helm', operation: 'Update', fieldsV1 }];
    return { ...service, metadata: { ...service.metadata, managedFields } };
  };
  const COPIED = { [`${OLD}address-type`]: 'intranet' };
  const COPY = { [`${KEY}address-type`]: 'intranet' };
  const unused = owned(COPIED, aService({ type: 'ClusterIP', annotations: { ...COPIED, ...COPY } }));
  const dropping: Readonly<Record<string, Service>> = {
    'only the deprecated key': aService({ annotations: COPY }),
    'both keys': aService(),
  };
  for (const [what, object] of Object.entries(dropping)) {
    it(`apply if the request changes the type and removes ${what}, and the result is stable`, () => {
      const input = { oldObject: unused, fieldManager: 'helm' };
      const once = mutated({ ...input, object });
      assert.deepEqual(once.object.metadata.annotations, FILLED);
      assert.doesNotMatch(once.warnings.join(), /is removed: it was a copy of/);
      assert.deepEqual(mutated({ ...input, object: once.object }).object, once.object);
    });
  }

  const becoming: Readonly<Record<string, Service>> = {
    'another type': aService({ type: 'ClusterIP' }),
    'another class': aService({ annotations: { 'service.beta.kubernetes.io/class': 'x' } }),
  };
  for (const [what, oldObject] of Object.entries(becoming)) {
    it(`apply to a Service that had ${what}`, () => {
      assert.deepEqual(annotationsOf({ oldObject, object: aService() }), FILLED);
    });
  }

  const status = { loadBalancer: { ingress: [{ ip: '47.96.0.1' }] } };
  const REUSE = { [`${KEY}id`]: 'lb-1' };
  const USED = {
    loadBalancers: { 'lb-1': { listeners: [{ port: 80, protocol: 'tcp', service: 'shop/web' }] } },
  } as const;
  const MADE = { loadBalancers: { 'lb-1': { service: 'shop/web' } } } as const;
  for (const [what, before] of Object.entries(becoming)) {
    const managed = { ...before, metadata: { ...before.metadata, finalizers: ['service.k8s.alibaba/resources'] } };
    const marked = {
      ...managed,
      metadata: { ...managed.metadata, labels: { 'service.k8s.alibaba/loadbalancer-id': 'lb-1' } },
    };
    const mistakes: Readonly<Record<string, readonly [Service, FactsInput]>> = {
      'in the status': [{ ...managed, status }, MADE],
      'in the inventory': [managed, MADE],
      'in a label': [marked, {}],
      'missing in a stale inventory': [managed, { freshness: { kind: 'stale', ageMs: 600_000 } }],
      'user-managed': [
        { ...managed, metadata: { ...managed.metadata, annotations: { ...managed.metadata.annotations, ...REUSE } } },
        USED,
      ],
    };
    for (const [which, [oldObject, facts]] of Object.entries(mistakes)) {
      it(`do not apply after a temporary change to ${what} if the load balancer is ${which}`, () => {
        const { metadata } = oldObject;
        const object = aService();
        const back = { ...object, metadata: { ...object.metadata, finalizers: metadata.finalizers ?? [] } };
        assert.deepEqual(mutated({ oldObject, object: back }, facts), { object: back, warnings: [] });
      });
    }

    it(`apply to a Service that had ${what} and has no cloud resources`, () => {
      assert.deepEqual(annotationsOf({ oldObject: managed, object: aService() }), FILLED);
    });

    it(`apply to a Service that had ${what} and a published address, but no finalizer`, () => {
      assert.deepEqual(annotationsOf({ oldObject: { ...before, status }, object: aService() }), FILLED);
    });
  }

  it('apply once, and leave the resulting Service unchanged', () => {
    const { object } = mutated({ object: aService() });
    assert.deepEqual(mutated({ object }), { object, warnings: [] });
  });

  const untouched: Readonly<Record<string, ReviewInput>> = {
    'an update': { oldObject: aService({ ports: [81] }), object: aService() },
    'a Service of another type': { object: aService({ type: 'ClusterIP' }) },
    'a Service of another controller': {
      object: aService({ annotations: { 'service.beta.kubernetes.io/class': 'x' } }),
    },
    'a subresource': { object: aService(), subResource: 'status' },
    'a Node': { object: { kind: 'Node', metadata: { name: 'n1' } } },
  };
  for (const [what, input] of Object.entries(untouched)) {
    it(`do not apply to ${what}`, () => {
      assert.deepEqual(mutated(input), { object: input.object, warnings: [] });
    });
  }
});
