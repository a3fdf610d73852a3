import assert from 'node:assert/strict';
import { requireAlone } from '../../../../src/local/demo/alone.ts';

const service = (namespace: string, name: string, type: string): object => ({
  metadata: { namespace, name },
  spec: { type },
});

/** Returns a client of a cluster with these Services. */
const cluster = (...items: readonly object[]) => ({ json: async () => ({ items }) });

const API = service('default', 'kubernetes', 'ClusterIP');

describe('the tour', () => {
  it('begins in a cluster without Services that it would disturb', () =>
    requireAlone(cluster(API, service('shop', 'web', 'ClusterIP'))));

  const disturbed = {
    'its namespace, all of which it deletes at the end': service('demo', 'good', 'ClusterIP'),
    'a load balancer, whose backends it changes': service('shop', 'web', 'LoadBalancer'),
  };
  for (const [sentence, found] of Object.entries(disturbed)) {
    it(`does not begin beside a Service with ${sentence}`, () =>
      assert.rejects(requireAlone(cluster(API, found)), {
        reason: 'InvalidConfiguration',
        message: /^the sandbox has other Services: (demo\/good|shop\/web)\. Delete them, or .* SANDBOX=demo make demo$/,
      }));
  }

  it('does not begin where Services cannot be listed', () =>
    assert.rejects(requireAlone({ json: async () => undefined }), { reason: 'Unavailable' }));
});
