import assert from 'node:assert/strict';
import { NODES, objectKey, type Node } from '../../../../src/base/kubernetes-objects.ts';
import { CONTROLLER } from '../../../support/invariants/audit-log.ts';
import type { WriteHook } from '../../../support/kubernetes-double.ts';
import { counted, nodeBench, registered, UNINITIALIZED } from '../../../support/node-fixture.ts';
import type { Hooks } from '../../../support/process-hooks.ts';
import { noteRequest } from '../../../support/permission-usage/requests.ts';

/** A kubelet writes its Node while the controller initializes it. Neither write may be lost. */
describe('a Node that its kubelet updates just before the controller writes', () => {
  it('is read again and initialized at once', async () => {
    await using bench = nodeBench({ controllers: ['node'] });
    bench.put(registered(1));
    let conflicts = 0;
    const onWrite: WriteHook = async ({ plural, subresource, verb }, when) => {
      const isOfTaints = plural === NODES.plural && verb === 'patch' && subresource === undefined;
      if (!isOfTaints || when !== 'before' || conflicts > 0) return;
      conflicts += 1;
      bench.kubernetes.patch(NODES, objectKey('n1'), { metadata: { labels: { 'example.com/says': 'kubelet' } } });
    };
    bench.start({ onWrite });
    await bench.clock.advance(1_000);
    const { metadata, spec } = bench.node('n1') ?? {};
    assert.equal(conflicts, 1);
    assert.equal(metadata?.labels?.['example.com/says'], 'kubelet');
    assert.equal(metadata.labels['topology.kubernetes.io/zone'], 'cn-hangzhou-a');
    assert.ok(!(spec?.taints ?? []).some(({ key }) => key === UNINITIALIZED));
    // A single read shows that the retry is part of the same reconcile, because another reconcile would read the instance again.
    assert.deepEqual(counted(bench.calls())['DescribeInstances'], 1);
    // A real API server gets this request only if a kubelet writes at the same moment.
    noteRequest({ user: CONTROLLER.user, verb: 'get', group: '', resource: 'nodes' }, 'after a conflict');
  });
});

describe('a Node that gets a provider ID during the lookup of its instance', () => {
  const WORLD = {
    instances: [
      { id: 'i-7', name: 'web', vSwitchId: 'vsw-1', privateAddresses: ['10.1.0.77'] },
      { id: 'i-8', name: 'other', vSwitchId: 'vsw-1', privateAddresses: ['10.1.0.78'] },
    ],
  };
  const unidentified = (name: string, address?: string): object => {
    const node = registered(1, { providerID: '' }) as Node;
    const internal = address === undefined ? [] : [{ type: 'InternalIP', address }];
    return {
      ...node,
      metadata: { ...node.metadata, name },
      status: { ...node.status, addresses: [...internal, { type: 'Hostname', address: name }] },
    };
  };
  /** Moments of the first reconcile of Node `web` at which the conflict occurs. */
  const MOMENTS: Readonly<Record<string, (meddle: () => void) => Hooks>> = {
    'before the response': (meddle) => ({
      onCall: async (action, when) => {
        if (when === 'after' && action === 'DescribeInstances') meddle();
      },
    }),
    'before the write of its status': (meddle) => ({
      onWrite: async ({ subresource }, when) => {
        if (when === 'before' && subresource === 'status') meddle();
      },
    }),
    'before the write of its provider ID': (meddle) => ({
      onWrite: async ({ patch }, when) => {
        if (when === 'before' && JSON.stringify(patch).includes('providerID')) meddle();
      },
    }),
  };

  for (const [moment, hooksOf] of Object.entries(MOMENTS)) {
    it(`is initialized as the instance in its provider ID, set ${moment}`, async () => {
      await using bench = nodeBench({ controllers: ['node'], world: WORLD });
      let isMeddled = false;
      const meddle = (): void => {
        if (isMeddled) return;
        isMeddled = true;
        bench.kubernetes.patch(NODES, objectKey('web'), { spec: { providerID: 'cn-hangzhou.i-8' } });
      };
      const initialised: string[] = [];
      bench.kubernetes.connect().nodes.onChange(({ after }) => {
        const isNew = (after?.spec?.taints ?? []).some(({ key }) => key === UNINITIALIZED);
        if (after?.metadata.name === 'web' && !isNew) initialised.push(after.status?.addresses?.[0]?.address ?? '');
      });
      bench.start(hooksOf(meddle));
      bench.put(unidentified('web'));
      await bench.clock.advance(10_000);
      assert.deepEqual([...new Set(initialised)], ['10.1.0.78']);
      assert.equal(bench.node('web')?.spec?.providerID, 'cn-hangzhou.i-8');
      assert.doesNotMatch(bench.eventTexts().join('\n'), /NodeProviderIDSet/);
      bench.put(unidentified('n7', '10.1.0.77'));
      await bench.clock.advance(10_000);
      assert.equal(
        bench.node('n7')?.spec?.providerID,
        'cn-hangzhou.i-7',
        'the instance stays taken for the other Node',
      );
    });
  }

  it('leaves the instance to another Node if its own kubelet reports another address', async () => {
    await using bench = nodeBench({ controllers: ['node'], world: WORLD });
    const serial = bench.simulator.world.instances.get('i-7')?.serialNumber ?? '';
    const web = unidentified('web') as Node;
    bench.put({
      ...web,
      metadata: { ...web.metadata, annotations: { 'alpha.kubernetes.io/provided-node-ip': '10.1.0.99' } },
      status: { ...web.status, nodeInfo: { systemUUID: serial } },
    });
    bench.start();
    await bench.clock.advance(1_000);
    bench.put(unidentified('n7', '10.1.0.77'));
    await bench.clock.advance(1_000);
    assert.equal(bench.node('n7')?.spec?.providerID, 'cn-hangzhou.i-7');
  });
});
