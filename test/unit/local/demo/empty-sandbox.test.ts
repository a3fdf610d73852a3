import assert from 'node:assert/strict';
import { requireEmptySandbox } from '../../../../src/local/demo/empty-sandbox.ts';

const service = (namespace: string, name: string, type: string): object => ({
  metadata: { namespace, name },
  spec: { type },
});

/** Returns a client of a cluster with these Services. */
const cluster = (...items: readonly object[]) => ({ find: async () => ({ items }) });

const API = service('default', 'kubernetes', 'ClusterIP');

/** The demo deletes Services and cordons Nodes, so it must not run in a sandbox with other Services. */
describe('the demo', () => {
  it('starts if no Service is of type LoadBalancer or in its namespace', () =>
    requireEmptySandbox(cluster(API, service('shop', 'web', 'ClusterIP'))));

  const disturbed = {
    'the namespace of the demo, which the demo deletes at the end': service('demo', 'good', 'ClusterIP'),
    'a load balancer with backends that the demo changes': service('shop', 'web', 'LoadBalancer'),
  };
  for (const [title, found] of Object.entries(disturbed)) {
    it(`does not start if a Service has ${title}`, () =>
      assert.rejects(requireEmptySandbox(cluster(API, found)), {
        reason: 'InvalidConfiguration',
        message:
          /^the sandbox has other Services: (demo\/good|shop\/web)\. Delete these Services, or .* SANDBOX=demo make demo$/,
      }));
  }

  it('does not start if Services cannot be listed', () =>
    assert.rejects(requireEmptySandbox({ find: async () => undefined }), { reason: 'Unavailable' }));
});
