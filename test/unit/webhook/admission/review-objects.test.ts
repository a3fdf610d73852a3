import assert from 'node:assert/strict';
import { nodeIn, serviceIn } from '../../../../webhook/admission/review-objects.ts';
import { aService } from '../../../support/service.ts';

const { metadata, spec } = aService({ annotations: { a: 'b' } });
const port = { port: 80, protocol: 'TCP', targetPort: 8080 };

/** Clusters store old and odd objects, of which the webhook must evaluate the readable part. */
describe('a Service in a review', () => {
  it('is the unchanged object if every part is readable', () => {
    const object = aService();
    const before = structuredClone(object);
    assert.equal(serviceIn(object), object);
    assert.deepEqual(object, before);
  });

  const rows: Record<string, { object: object; read: object }> = {
    'without metadata': { object: { spec }, read: { spec, metadata: {} } },
    'with a list as annotations': { object: { metadata: { annotations: [] } }, read: { metadata: {} } },
    'with an annotation that is not a string': {
      object: { metadata: { annotations: { a: 'b', c: 1, d: null } } },
      read: { metadata: { annotations: { a: 'b' } } },
    },
    'with the time null in managedFields': {
      object: { metadata: { managedFields: [{ manager: 'm', operation: 'Apply', time: null, fieldsV1: {} }] } },
      read: { metadata: { managedFields: [{ manager: 'm', operation: 'Apply', fieldsV1: {} }] } },
    },
    'with an unreadable entry of managedFields, which keeps its position,': {
      object: { metadata: { managedFields: [null, { manager: 1 }, { manager: 'm', fieldsV1: null }] } },
      read: { metadata: { managedFields: [{}, {}, { manager: 'm' }] } },
    },
    'with null as deletionTimestamp': { object: { metadata: { deletionTimestamp: null } }, read: { metadata: {} } },
    'with finalizers that are not strings': {
      object: { metadata: { finalizers: [null, 'a/b', 1] } },
      read: { metadata: { finalizers: ['a/b'] } },
    },
    'with a string as ports': { object: { metadata, spec: { ports: 'x' } }, read: { metadata, spec: {} } },
    'with null as ports': { object: { metadata, spec: { ports: null } }, read: { metadata, spec: {} } },
    'with a port without a number': {
      object: { metadata, spec: { ports: [{}, null, port, { port: '80' }] } },
      read: { metadata, spec: { ports: [port] } },
    },
    'with null as protocol and target port': {
      object: { metadata, spec: { ports: [{ port: 80, protocol: null, targetPort: null }] } },
      read: { metadata, spec: { ports: [{ port: 80 }] } },
    },
    'with null as address in the status': {
      object: { metadata, status: { loadBalancer: { ingress: [null, { ip: '1.2.3.4', hostname: 1 }] } } },
      read: { metadata, status: { loadBalancer: { ingress: [{ ip: '1.2.3.4' }] } } },
    },
    'with a list as spec and a string as status': { object: { metadata, spec: [], status: 'x' }, read: { metadata } },
  };
  for (const [title, { object, read }] of Object.entries(rows)) {
    it(`${title} is read without the unreadable parts`, () =>
      assert.deepEqual(serviceIn(structuredClone(object)), read));
  }

  for (const object of [null, undefined, [], 'x', 1]) {
    it(`cannot be ${JSON.stringify(object)}`, () =>
      assert.throws(() => serviceIn(object), { reason: 'Invalid', message: /the review has no Service/ }));
  }
});

describe('a Node in a review', () => {
  it('is read without the unreadable parts', () => {
    const object = {
      metadata: { labels: { a: 'b', c: null } },
      spec: { providerID: 1, podCIDRs: [null, '10.0.0.0/24'] },
    };
    const read = { metadata: { labels: { a: 'b' } }, spec: { podCIDRs: ['10.0.0.0/24'] } };
    assert.deepEqual(nodeIn(object), read);
  });
});
