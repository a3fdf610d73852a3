import assert from 'node:assert/strict';
import { answerTo, readReview } from '../../../../webhook/admission/admission-review.ts';
import { aReview } from '../../../support/review.ts';
import { aService } from '../../../support/service.ts';

/** A review that cannot be read must have a clear message and no effect. */
describe('an AdmissionReview', () => {
  it('is read without a copy of its objects', () => {
    const object = aService();
    const request = readReview(aReview({ object, dryRun: true }));
    assert.equal(request.object, object);
    assert.equal(request.operation, 'CREATE');
    assert.equal(request.namespace, 'shop');
    assert.equal(request.dryRun, true);
  });

  it('needs only its UID, the kind of its object, and its operation', () => {
    const object = aService();
    const kind = { kind: 'Service', group: null, version: 1 };
    const odd = {
      name: 1,
      namespace: null,
      subResource: null,
      dryRun: 'yes',
      options: 1,
      userInfo: { groups: [1], extra: 2 },
    };
    for (const input of [odd, { userInfo: null, oldObject: null }, {}]) {
      const request = { uid: 'u1', operation: 'CREATE', kind, object, ...input };
      const read = readReview({ apiVersion: 'admission.k8s.io/v1', kind: 'AdmissionReview', request });
      assert.equal(read.object, object);
      assert.deepEqual(
        [read.kind, read.name, read.namespace, read.subResource, read.dryRun, read.userInfo],
        [{ kind: 'Service', group: '' }, '', '', '', false, { username: '', groups: [] }],
      );
    }
  });

  const unreadable: Record<string, { body: unknown; message: RegExp }> = {
    'is rejected if it is null': { body: null, message: /not an AdmissionReview/ },
    'is rejected if it is a list': { body: [], message: /not an AdmissionReview/ },
    'is rejected without a request': {
      body: { apiVersion: 'admission.k8s.io/v1', kind: 'AdmissionReview' },
      message: /request/,
    },
    'is rejected without a UID': { body: withRequest({ uid: undefined }), message: /request\.uid/ },
    'is rejected with an unknown operation': {
      body: withRequest({ operation: 'PATCH' }),
      message: /request\.operation/,
    },
    'of another version is rejected with advice': {
      body: { ...aReview({ object: aService() }), apiVersion: 'admission.k8s.io/v1beta1' },
      message:
        /"admission\.k8s\.io\/v1beta1" is not supported, only admission\.k8s\.io\/v1: set admissionReviewVersions/,
    },
  };
  for (const [title, { body, message }] of Object.entries(unreadable)) {
    it(title, () => assert.throws(() => readReview(body), { reason: 'Invalid', message }));
  }
});

function withRequest(input: object): object {
  const review = aReview({ object: aService() }) as { request: object };
  return { ...review, request: { ...review.request, ...input } };
}

describe('a review response', () => {
  it('contains the UID and the patch in base64', () => {
    const { response } = answerTo('u1', { allowed: true, patch: [{ op: 'remove', path: '/a' }] });
    assert.equal(response.uid, 'u1');
    assert.equal(response.patchType, 'JSONPatch');
    assert.deepEqual(JSON.parse(Buffer.from(response.patch ?? '', 'base64').toString()), [
      { op: 'remove', path: '/a' },
    ]);
  });

  it('without operations contains no patch', () => {
    assert.deepEqual(answerTo('u1', { allowed: true, patch: [] }).response, { uid: 'u1', allowed: true });
  });
});
