import assert from 'node:assert/strict';
import fastJsonPatch from 'fast-json-patch';
import { mutate, type DeprecatedKeys } from '../../../../webhook/mutate/mutate.ts';
import { readReview } from '../../../../webhook/admission/admission-review.ts';
import { aReview } from '../../../support/review.ts';
import { aService } from '../../../support/service.ts';

type Annotations = Readonly<Record<string, string>>;

const PREFIX = 'service.beta.kubernetes.io/';
const CURRENT = { [`${PREFIX}alibaba-cloud-loadbalancer-acl-status`]: 'on', other: 'x' };
const PAIR = { ...CURRENT, [`${PREFIX}alicloud-loadbalancer-acl-status`]: 'on' };

/** Returns the stored keys and the warnings after a writer changes the pair to `wanted`. */
function written(wanted: Annotations, fieldManager: string, handling: DeprecatedKeys = 'auto') {
  const object = aService({ annotations: wanted });
  const review = aReview({ oldObject: aService({ annotations: PAIR }), object, fieldManager });
  const { patch = [], warnings = [] } = mutate(readReview(review), handling);
  const { newDocument } = fastJsonPatch.applyPatch(structuredClone(object), structuredClone([...patch]));
  return { stored: newDocument.metadata.annotations, warnings: warnings.join() };
}

const stay =
  /acl-status is removed, and its copy .*-acl-status stays; to remove the copy: kubectl annotate service web -n shop .*-acl-status-$/;

/** A stored pair of keys must not lose its value if a tool changes one of the keys. */
describe('a deprecated annotation that is stored together with the current key', () => {
  it('stays if a user changes another field', () => {
    assert.deepEqual(written({ ...PAIR, other: 'y' }, 'kubectl-annotate').stored, { ...PAIR, other: 'y' });
  });

  const WRITERS = ['kubectl-annotate', 'kubectl-patch', 'kubectl-edit', 'kubectl-replace', 'helm', 'Terraform', ''];
  for (const by of WRITERS) {
    it(`keeps the current key if "${by}" removes it, and a warning explains how to remove both`, () => {
      const { stored, warnings } = written(CURRENT, by);
      assert.deepEqual(stored, CURRENT);
      assert.match(warnings, stay);
    });
  }

  it('is replaced with --deprecated-keys=replace', () => {
    assert.deepEqual(written({ ...PAIR, other: 'y' }, 'kubectl-annotate', 'replace').stored, {
      ...CURRENT,
      other: 'y',
    });
  });
});
