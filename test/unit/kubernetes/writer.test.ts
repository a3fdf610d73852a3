import assert from 'node:assert/strict';
import { hasReason } from '../../../src/base/errors.ts';
import { collectionPath, objectPath } from '../../../src/kubernetes/api-paths.ts';
import { Writer } from '../../../src/kubernetes/writer.ts';
import { CLASSIC_LOAD_BALANCERS } from '../../../src/inventory/custom-resources.ts';
import { NODES, PODS, SERVICES, objectKey } from '../../../src/base/kubernetes-objects.ts';
import { ApiScript } from '../../support/api-script.ts';

const never = new AbortController().signal;
const WEB = objectKey('web', 'shop');

describe('the path of a request', () => {
  const cases: Record<string, readonly [string, string]> = {
    'is correct for a collection of the core group': [collectionPath(SERVICES), '/api/v1/services'],
    'is correct for a collection in a namespace': [
      collectionPath(SERVICES, 'shop'),
      '/api/v1/namespaces/shop/services',
    ],
    'is correct for an object': [objectPath(SERVICES, WEB), '/api/v1/namespaces/shop/services/web'],
    'is correct for a cluster-scoped object of a group': [
      objectPath(CLASSIC_LOAD_BALANCERS, objectKey('lb-1')),
      '/apis/portcullis.io/v1alpha1/classicloadbalancers/lb-1',
    ],
    'is correct for a subresource': [objectPath(NODES, objectKey('n'), 'status'), '/api/v1/nodes/n/status'],
    'is correct for a name with special characters': [
      objectPath(NODES, objectKey('..?x=%')),
      '/api/v1/nodes/..%3Fx%3D%25',
    ],
  };
  for (const [title, [actual, expected]] of Object.entries(cases)) it(title, () => assert.equal(actual, expected));
});

/** A wrong patch could change fields of users, and a missing precondition could overwrite a newer object. */
describe('the writer', () => {
  const setUp = (mayWrite?: boolean) => {
    const api = new ApiScript({ answers: [{}] });
    return { api, writer: new Writer(api, mayWrite === undefined ? undefined : { mayWrite: () => mayWrite }) };
  };

  it('sends a merge patch, here of the status', async () => {
    const { api, writer } = setUp();
    await writer.mergePatch(SERVICES, WEB, { a: 1 }, { subresource: 'status' }, never);
    assert.deepEqual(api.calls, [
      {
        method: 'PATCH',
        path: '/api/v1/namespaces/shop/services/web/status',
        body: { a: 1 },
        contentType: 'application/merge-patch+json',
      },
    ]);
  });

  it('sends a strategic merge patch on request', async () => {
    const { api, writer } = setUp();
    await writer.mergePatch(PODS, WEB, {}, { subresource: 'status', strategic: true }, never);
    assert.equal(api.calls[0]?.contentType, 'application/strategic-merge-patch+json');
  });

  it('deletes with its precondition', async () => {
    const { api, writer } = setUp();
    await writer.delete(SERVICES, WEB, { uid: 'u' }, never);
    assert.deepEqual(api.calls[0]?.body, { apiVersion: 'v1', kind: 'DeleteOptions', preconditions: { uid: 'u' } });
  });

  it('creates in the namespace of the object, and rejects an object without a namespace', async () => {
    const { api, writer } = setUp();
    await writer.create(SERVICES, { metadata: { name: 'web', namespace: 'shop' } }, never);
    assert.equal(api.calls[0]?.path, '/api/v1/namespaces/shop/services');
    await assert.rejects(writer.create(SERVICES, { metadata: { name: 'web' } }, never), (error) =>
      hasReason(error, 'Bug'),
    );
  });

  it('guards every write, and no read, by the permission to write', async () => {
    const { api, writer } = setUp(false);
    await writer.get(SERVICES, WEB, never);
    await writer.create(NODES, { metadata: { name: 'n' } }, never);
    await writer.mergePatch(SERVICES, WEB, {}, {}, never);
    await writer.delete(SERVICES, WEB, {}, never);
    assert.deepEqual(
      api.calls.map(({ guard }) => guard !== undefined),
      [false, true, true, true],
    );
    for (const { guard } of api.calls.slice(1))
      assert.throws(
        () => guard?.(8_000),
        (error) => hasReason(error, 'LostLeadership'),
      );
  });

  it('allows permitted writes', async () => {
    const { api, writer } = setUp(true);
    await writer.delete(SERVICES, WEB, {}, never);
    assert.doesNotThrow(() => api.calls[0]?.guard?.(8_000));
  });
});
