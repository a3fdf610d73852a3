import assert from 'node:assert/strict';
import { NODES, objectKey } from '../../../src/objects.ts';
import { CONTROLLER } from '../../support/history/audit-log.ts';
import type { WriteHook } from '../../support/kubernetes-double.ts';
import { counted, nodeStand, registered, UNINITIALIZED } from '../../support/node-stand.ts';
import { noteRequest } from '../../support/used/requests.ts';

describe('a Node to which its kubelet writes right before the controller does', () => {
  it('is read, and let in all the same, at once', async () => {
    await using stand = nodeStand({ controllers: ['node'] });
    stand.put(registered(1));
    let conflicts = 0;
    const aroundWrite: WriteHook = async ({ plural, subresource, verb }, when) => {
      const isOfTaints = plural === NODES.plural && verb === 'patch' && subresource === undefined;
      if (!isOfTaints || when !== 'before' || conflicts > 0) return;
      conflicts += 1;
      stand.kubernetes.patch(NODES, objectKey('n1'), { metadata: { labels: { 'example.com/says': 'kubelet' } } });
    };
    stand.start({ aroundWrite });
    await stand.clock.advance(1_000);
    const { metadata, spec } = stand.node('n1') ?? {};
    assert.equal(conflicts, 1);
    assert.equal(metadata?.labels?.['example.com/says'], 'kubelet');
    assert.equal(metadata.labels['topology.kubernetes.io/zone'], 'cn-hangzhou-a');
    assert.ok(!(spec?.taints ?? []).some(({ key }) => key === UNINITIALIZED));
    // It was not put off to another turn, which would ask for the instance again.
    assert.deepEqual(counted(stand.calls())['DescribeInstances'], 1);
    // A real API server is asked this too, but only when a kubelet happens to be as quick.
    noteRequest({ user: CONTROLLER.user, verb: 'get', group: '', resource: 'nodes' }, 'after a conflict');
  });
});
