import assert from 'node:assert/strict';
import fc from 'fast-check';
import { wellKnownOfKind } from '../../../src/annotation/well-known-names.ts';
import type { Node } from '../../../src/base/kubernetes-objects.ts';
import { ENFORCE_ALL } from '../../../src/policy/policy-decisions.ts';
import { mutate } from '../../../webhook/mutate/mutate.ts';
import { readReview } from '../../../webhook/admission/admission-review.ts';
import { ALL_RULES, validate } from '../../../webhook/admission/validate.ts';
import { aFacts } from '../../support/facts.ts';
import { aNode } from '../../support/node.ts';
import { aReview, type ReviewInput } from '../../support/review.ts';

const RUNS = { numRuns: 400, seed: 1 };
const LABELS = wellKnownOfKind('node-label').map(({ name }) => name);
const IDS = [
  '',
  'cn-hangzhou.i-1',
  'cn-beijing.i-1',
  'i-1',
  'alicloud://',
  'aws:///z/i-1',
  'ack-hybrid://x',
  '10.0.0.1',
];
const RANGES = ['10.0.1.0/24', '192.168.0.0/24', 'fd00::/64', 'none'];

const anyNode: fc.Arbitrary<Node> = fc
  .record({
    labels: fc.dictionary(fc.constantFrom(...LABELS, 'team'), fc.constantFrom('', 'false', 'virtual-kubelet', 'a')),
    providerID: fc.oneof(fc.constantFrom(...IDS), fc.string({ unit: 'binary', maxLength: 300 })),
    podCIDRs: fc.subarray(RANGES),
  })
  .map(({ labels, providerID, podCIDRs }) =>
    aNode('n1', { labels, spec: { providerID, podCIDRs, podCIDR: podCIDRs[0] ?? '' } }),
  );
const anyOfCluster = fc.constantFrom(
  { username: 'system:node:n1', groups: ['system:nodes', 'system:authenticated'] },
  { username: 'system:kube-controller-manager', groups: ['system:authenticated'] },
  { username: 'system:serviceaccount:kube-system:node-controller', groups: ['system:serviceaccounts:kube-system'] },
);

const denied = (input: ReviewInput): readonly string[] =>
  validate(readReview(aReview(input)), {
    facts: aFacts(),
    policy: ENFORCE_ALL,
    rules: ALL_RULES,
    expired: () => false,
  }).denials.map(({ violation }) => violation.field);

/** A denied Node registration would stop the growth of a cluster. */
describe('a Node', () => {
  it('can always be registered, by any user', () => {
    fc.assert(
      fc.property(anyNode, (object) => assert.deepEqual(denied({ object }), [])),
      RUNS,
    );
  });

  it('is never denied to a kubelet or the control plane', () => {
    fc.assert(
      fc.property(anyNode, anyNode, anyOfCluster, (oldObject, object, who) => {
        assert.deepEqual(denied({ oldObject, object, ...who }), []);
      }),
      RUNS,
    );
  });

  it('is denied to a user only for a changed provider ID', () => {
    fc.assert(
      fc.property(anyNode, anyNode, (oldObject, object) => {
        const mayDeny = object.spec?.providerID !== oldObject.spec?.providerID;
        for (const field of denied({ oldObject, object })) assert.ok(mayDeny && field === 'spec.providerID', field);
      }),
      RUNS,
    );
  });

  it('gets its current labels once, and keeps the old labels', () => {
    fc.assert(
      fc.property(anyNode, anyNode, (oldObject, object) => {
        const { patch = [] } = mutate(readReview(aReview({ oldObject, object })), 'auto');
        for (const { path } of patch) assert.equal(path, '/metadata/labels/service.alibabacloud.com~1exclude-node');
        assert.ok(patch.length <= 1);
      }),
      RUNS,
    );
  });
});
