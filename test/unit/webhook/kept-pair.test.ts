import assert from 'node:assert/strict';
import fastJsonPatch from 'fast-json-patch';
import { mutate, type DeprecatedKeys } from '../../../webhook/mutate.ts';
import { readReview } from '../../../webhook/review.ts';
import { aReview } from '../../support/review.ts';
import { aService } from '../../support/service.ts';

type Annotations = Readonly<Record<string, string>>;

const PREFIX = 'service.beta.kubernetes.io/';
const CURRENT = { [`${PREFIX}alibaba-cloud-loadbalancer-acl-status`]: 'on', other: 'x' };
const PAIR = { ...CURRENT, [`${PREFIX}alicloud-loadbalancer-acl-status`]: 'on' };

/** What is stored of a pair that becomes something else by somebody's hand, and what he is told. */
function written(wanted: Annotations, fieldManager: string, handling: DeprecatedKeys = 'auto') {
  const object = aService({ annotations: wanted });
  const review = aReview({ oldObject: aService({ annotations: PAIR }), object, fieldManager });
  const { patch = [], warnings = [] } = mutate(readReview(review), handling);
  const { newDocument } = fastJsonPatch.applyPatch(structuredClone(object), structuredClone([...patch]));
  return { stored: newDocument.metadata.annotations, warnings: warnings.join() };
}

describe('a deprecated annotation that has been kept for somebody beside the current one', () => {
  it('stays when a person changes something else', () => {
    assert.deepEqual(written({ ...PAIR, other: 'y' }, 'kubectl-annotate').stored, { ...PAIR, other: 'y' });
  });

  for (const by of ['kubectl-annotate', 'kubectl-patch', 'kubectl-client-side-apply', 'helm']) {
    it(`takes the current one with it when ${by} takes it away, which sends no more than that`, () => {
      const { stored, warnings } = written(CURRENT, by);
      assert.deepEqual(stored, { other: 'x' });
      assert.match(warnings, /acl-status goes with .*, of which it was the copy/);
    });
  }

  for (const by of ['kubectl-edit', 'kubectl-replace']) {
    it(`leaves the current one where ${by} has left that in, and the person is told`, () => {
      const { stored, warnings } = written(CURRENT, by);
      assert.deepEqual(stored, CURRENT);
      assert.match(warnings, /acl-status stays although .* is gone, of which it was the copy; remove it too/);
    });
  }

  it('is replaced all the same when told so', () => {
    assert.deepEqual(written({ ...PAIR, other: 'y' }, 'kubectl-annotate', 'replace').stored, {
      ...CURRENT,
      other: 'y',
    });
  });
});
