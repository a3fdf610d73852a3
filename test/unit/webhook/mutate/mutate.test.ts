import assert from 'node:assert/strict';
import fastJsonPatch from 'fast-json-patch';
import { CURRENT_KEYS } from '../../../../src/annotation/deprecated-key-index.ts';
import type { Service } from '../../../../src/base/kubernetes-objects.ts';
import { mutate, type DeprecatedKeys } from '../../../../webhook/mutate/mutate.ts';
import { readReview } from '../../../../webhook/admission/admission-review.ts';
import { aReview, type ReviewInput } from '../../../support/review.ts';
import { aService } from '../../../support/service.ts';

const PREFIX = 'service.beta.kubernetes.io/';
const OLD = `${PREFIX}alicloud-loadbalancer-address-type`;
const CAMEL = `${PREFIX}alicloud-loadbalancer-AddressType`;
const NEW = `${PREFIX}alibaba-cloud-loadbalancer-address-type`;
const LAST_APPLIED = 'kubectl.kubernetes.io/last-applied-configuration';

const mutated = (input: ReviewInput, handling: DeprecatedKeys = 'auto') => {
  const answer = mutate(readReview(aReview(input)), handling);
  const document = structuredClone(input.object) as Service;
  return {
    ...answer,
    object: fastJsonPatch.applyPatch(document, structuredClone([...(answer.patch ?? [])])).newDocument,
  };
};

/** Asserts that a request is allowed without a patch or a warning. */
function assertUnchanged(input: ReviewInput, handling: DeprecatedKeys): void {
  const { allowed, patch = [], warnings } = mutate(readReview(aReview(input)), handling);
  assert.deepEqual([allowed, patch, warnings], [true, [], undefined]);
}

const old = aService({ annotations: { [OLD]: 'intranet', other: 'x' } });
const REPLACED = { [NEW]: 'intranet', other: 'x' };
const KEPT = { ...REPLACED, [OLD]: 'intranet' };

/** Returns the managed fields of a manager, as the API server writes them. */
const managed = (manager: string, operation: string, time: string, ...keys: string[]) => ({
  manager,
  operation,
  time,
  apiVersion: 'v1',
  fieldsType: 'FieldsV1',
  fieldsV1: { 'f:metadata': { 'f:annotations': Object.fromEntries(keys.map((key) => [`f:${key}`, {}])) } },
});
const withManagers = (service: Service, ...managedFields: object[]): Service => ({
  ...service,
  metadata: { ...service.metadata, managedFields },
});

/** Each tool writes annotations in its own way, and the rewrite must keep the effective value for all tools. */
describe('deprecated annotations', () => {
  const writers: Record<string, { object?: Service; fieldManager?: string; stored: object }> = {
    'are replaced for kubectl apply': { fieldManager: 'kubectl-client-side-apply', stored: REPLACED },
    'are replaced for kubectl edit': { fieldManager: 'kubectl-edit', stored: REPLACED },
    'are kept for a chart tool': { fieldManager: 'helm', stored: KEPT },
    'are kept for a writer without a name': { stored: KEPT },
    'are replaced for server-side apply': {
      object: withManagers(old, managed('flux', 'Apply', '2026-01-02T00:00:00Z', OLD)),
      fieldManager: 'flux',
      stored: REPLACED,
    },
    'are kept for a manager that applied before and now updates': {
      object: withManagers(
        old,
        managed('tool', 'Apply', '2026-01-01T00:00:00Z'),
        managed('tool', 'Update', '2026-01-02T00:00:00Z', OLD),
      ),
      fieldManager: 'tool',
      stored: KEPT,
    },
    'are kept for a manager that applies the status and updates the rest': {
      object: withManagers(old, { ...managed('tool', 'Apply', '2026-01-02T00:00:00Z'), subresource: 'status' }),
      fieldManager: 'tool',
      stored: KEPT,
    },
    'are kept for a manager that applied and updated at the same time': {
      object: withManagers(
        old,
        managed('tool', 'Apply', '2026-01-02T00:00:00Z', OLD),
        managed('tool', 'Update', '2026-01-02T00:00:00Z'),
      ),
      fieldManager: 'tool',
      stored: KEPT,
    },
    'are kept for server-side apply by Argo CD': {
      object: withManagers(old, managed('argocd-controller', 'Apply', '2026-01-02T00:00:00Z', OLD)),
      fieldManager: 'argocd-controller',
      stored: KEPT,
    },
    'are kept for client-side apply by Argo CD': { fieldManager: 'argocd-controller', stored: KEPT },
    'are kept if only another writer applies': {
      object: withManagers(old, managed('flux', 'Apply', '2026-01-02T00:00:00Z')),
      fieldManager: 'helm',
      stored: KEPT,
    },
  };
  for (const [title, { object = old, fieldManager, stored }] of Object.entries(writers)) {
    it(title, () => {
      const input = { object, ...(fieldManager === undefined ? {} : { fieldManager }) };
      assert.deepEqual(mutated(input).object.metadata.annotations, stored);
    });
  }

  it('are replaced in mode replace and kept in mode keep, for every writer', () => {
    assert.deepEqual(mutated({ object: old, fieldManager: 'helm' }, 'replace').object.metadata.annotations, REPLACED);
    assert.deepEqual(mutated({ object: old, fieldManager: 'kubectl-edit' }, 'keep').object.metadata.annotations, KEPT);
  });

  it('are listed in a warning, with the object and both keys, on one line', () => {
    const { warnings = [] } = mutated({ object: old });
    assert.deepEqual(warnings, [
      `Service shop/web: the annotation ${OLD} is deprecated: the webhook also stores ${NEW}; rename the annotation in your manifest`,
    ]);
  });

  it('are listed in a warning if the two keys have different values', () => {
    const object = aService({ annotations: { [OLD]: 'intranet', [NEW]: 'internet' } });
    const { warnings = [], object: stored } = mutated({ object, fieldManager: 'kubectl-edit' });
    assert.match(warnings[0] ?? '', /have different values: .* takes effect; remove .* from your manifest/);
    assert.deepEqual(stored.metadata.annotations, { [NEW]: 'internet' });
  });

  it('are listed up to the limit of the webhook; the last warning states that there are more', () => {
    const annotations = Object.fromEntries([...CURRENT_KEYS.keys()].map((key) => [key, '1']));
    const { warnings = [] } = mutated({ object: aService({ annotations }) });
    assert.ok(warnings.length > 1);
    assert.ok(warnings.join('').length < 1_200);
    assert.match(warnings.at(-1) ?? '', /^Service shop\/web: there are more warnings/);
  });

  it('in camel case yield to the lower-case form if both exist, with a warning', () => {
    const annotations = { [CAMEL]: 'internet', [OLD]: 'intranet' };
    const { object, warnings } = mutated({ object: aService({ annotations }) }, 'replace');
    assert.deepEqual(object.metadata.annotations, { [NEW]: 'intranet' });
    assert.deepEqual(warnings, [
      `Service shop/web: the annotations ${CAMEL} and ${OLD} have different values: ${OLD} takes effect; remove ${CAMEL} from your manifest`,
      `Service shop/web: the annotation ${OLD} is deprecated: the webhook stores ${NEW} instead; rename the annotation in your manifest`,
    ]);
  });

  it('are rewritten on a Service that is not a load balancer yet', () => {
    const object = aService({ type: 'ClusterIP', annotations: { [OLD]: 'intranet' } });
    assert.deepEqual(mutated({ object }, 'replace').object.metadata.annotations, { [NEW]: 'intranet' });
  });

  it('are named in a warning with the right command if kubectl annotate or patch changes nothing', () => {
    const stored = withManagers(
      aService({ annotations: { [NEW]: 'intranet' } }),
      managed('kubectl', 'Apply', '1', OLD),
    );
    for (const fieldManager of ['kubectl-annotate', 'kubectl-patch']) {
      assert.deepEqual(mutated({ oldObject: stored, object: structuredClone(stored), fieldManager }).warnings, [
        `Service shop/web: no change: ${OLD} is stored as ${NEW}; to remove the annotation: kubectl annotate service web -n shop ${NEW}-`,
      ]);
    }
    for (const fieldManager of ['kubectl-edit', 'helm', 'my-operator']) {
      assert.equal(mutated({ oldObject: stored, object: structuredClone(stored), fieldManager }).warnings, undefined);
    }
    const object = { ...stored, spec: { ...stored.spec, externalTrafficPolicy: 'Local' } };
    assert.equal(mutated({ oldObject: stored, object, fieldManager: 'kubectl-patch' }).warnings, undefined);
  });

  it('are removed if kubectl apply removes the old key from the manifest', () => {
    const applied = (annotations: object) => ({
      [LAST_APPLIED]: JSON.stringify({ metadata: { annotations } }),
      [NEW]: 'intranet',
    });
    const oldObject = aService({ annotations: applied({ [OLD]: 'intranet' }) });
    const object = aService({ annotations: applied({}) });
    const { object: stored } = mutated({ oldObject, object, fieldManager: 'kubectl-client-side-apply' });
    assert.deepEqual(Object.keys(stored.metadata.annotations ?? {}), [LAST_APPLIED]);
  });

  it('are removed if a server-side apply omits the old key', () => {
    const plain = aService({ annotations: { [NEW]: 'intranet' } });
    const oldObject = withManagers(plain, managed('kubectl', 'Apply', '1', OLD));
    const object = withManagers(plain, managed('kubectl', 'Apply', '2'));
    assert.deepEqual(mutated({ oldObject, object, fieldManager: 'kubectl' }).object.metadata.annotations, {});
  });

  it('are renamed in managedFields of the writer, not of other managers', () => {
    const csa = managed('kubectl-client-side-apply', 'Update', '1', OLD, 'other');
    const ssa = managed('flux', 'Apply', '1', OLD);
    const { object } = mutated({ object: withManagers(old, csa, ssa), fieldManager: 'kubectl-client-side-apply' });
    assert.deepEqual(object.metadata.managedFields, [
      managed('kubectl-client-side-apply', 'Update', '1', 'other', NEW),
      ssa,
    ]);
    assert.deepEqual(mutated({ object, fieldManager: 'kubectl-client-side-apply' }).patch, []);
  });

  it('that are kept leave managedFields unchanged', () => {
    const object = withManagers(old, managed('kubectl-client-side-apply', 'Update', '1', OLD));
    assert.deepEqual(mutated({ object }, 'keep').object.metadata.managedFields, object.metadata.managedFields);
  });

  it('are rewritten although the last-applied annotation is invalid', () => {
    const object = aService({ annotations: { [LAST_APPLIED]: '{broken', [OLD]: 'intranet' } });
    assert.equal(mutated({ object }, 'replace').object.metadata.annotations?.[NEW], 'intranet');
  });

  it('leave every other field unchanged, known or unknown', () => {
    const object = { ...old, spec: { ...old.spec, fieldOfTheFuture: { deep: [1, { x: null }] } } } as Service;
    const { metadata, ...rest } = mutated({ object }).object;
    const { metadata: before, ...expected } = object;
    assert.deepEqual(rest, expected);
    assert.deepEqual({ ...metadata, annotations: before.annotations }, before);
  });

  const untouched: Record<string, ReviewInput> = {
    'a deletion': { operation: 'DELETE', oldObject: old, object: null },
    'a subresource': { oldObject: old, object: old, subResource: 'status' },
    'a Service of another API group': { object: old, group: 'serving.knative.dev' },
    'a Service of another class': {
      object: { ...old, spec: { ...old.spec, loadBalancerClass: 'alibabacloud.com/nlb' } },
    },
    'another kind': { object: { ...old, kind: 'Pod' } },
  };
  for (const [title, input] of Object.entries(untouched)) {
    it(`are ignored in ${title}`, () => assertUnchanged(input, 'replace'));
  }
});

const label = 'service.beta.kubernetes.io/exclude-node';
const current = 'service.alibabacloud.com/exclude-node';
const node = (labels: Record<string, string>) => ({ apiVersion: 'v1', kind: 'Node', metadata: { name: 'n1', labels } });

describe('an object without deprecated keys', () => {
  for (const object of [aService({ annotations: { [NEW]: 'intranet' } }), node({ [current]: 'a' })])
    it(`is not changed and causes no warning: a ${object.kind}`, () => {
      for (const handling of ['replace', 'auto'] as const) assertUnchanged({ object }, handling);
    });
});

describe('deprecated labels of Nodes', () => {
  const rows: Record<string, { before?: Record<string, string>; after: Record<string, string>; stored: object }> = {
    'stay and get the current label in addition': { after: { [label]: 'a' }, stored: { [label]: 'a', [current]: 'a' } },
    'leave the current label when they are removed, because a user can have written that label': {
      before: { [label]: 'a', [current]: 'a' },
      after: { [current]: 'a' },
      stored: { [current]: 'a' },
    },
    'leave a current label with another value unchanged': {
      before: { [label]: 'a', [current]: 'a' },
      after: { [label]: 'b', [current]: 'a' },
      stored: { [label]: 'b', [current]: 'a' },
    },
  };
  for (const [title, { before, after, stored }] of Object.entries(rows)) {
    it(title, () => {
      const input = { object: node(after), ...(before === undefined ? {} : { oldObject: node(before) }) };
      assert.deepEqual(mutated(input, 'replace').object.metadata.labels, stored);
    });
  }

  const alpha = 'alpha.service-controller.kubernetes.io/exclude-balancer';
  const warned: Record<string, { before?: Record<string, string>; after: Record<string, string>; messages: RegExp[] }> =
    {
      'if the old label exists': {
        after: { [label]: 'a' },
        messages: [/^Node n1: the label .* is deprecated: the webhook also stores .*/],
      },
      'if both labels exist': {
        after: { [label]: 'a', [current]: 'a' },
        messages: [
          /^Node n1: the label \S+\/exclude-node is deprecated: \S+\/exclude-node has the same effect; remove \S+\/exclude-node$/,
        ],
      },
      'if the current label is removed and the old label stays': {
        before: { [label]: 'a', [current]: 'a' },
        after: { [label]: 'a' },
        messages: [/^Node n1: the label .* is added again, because .* stays and has the same effect; remove both$/],
      },
      'if the deprecated label that excludes a Node from load balancing exists': {
        after: { [alpha]: '' },
        messages: [/exclude-balancer is deprecated: use node\.kubernetes\.io\/exclude-from-external-load-balancers$/],
      },
    };
  for (const [title, { before, after, messages }] of Object.entries(warned)) {
    it(`cause a warning ${title}`, () => {
      const { warnings = [] } = mutated({
        object: node(after),
        ...(before === undefined ? {} : { oldObject: node(before) }),
      });
      assert.equal(warnings.length, messages.length);
      messages.forEach((pattern, n) => assert.match(warnings[n] ?? '', pattern));
    });
  }
});
