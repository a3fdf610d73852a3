import assert from 'node:assert/strict';
import { podRoutes, readinessPatch } from '../../../../src/local/kubelet/pod-status.ts';
import type { KubeletPod } from '../../../../src/local/kubelet/namespace-snapshot.ts';

const NOW = '2026-01-01T00:00:00Z';
const pod = (ready: 'True' | 'False', status: KubeletPod['status'] = {}): KubeletPod => ({
  metadata: { name: 'webhook-1' },
  status: {
    phase: 'Running',
    podIP: '10.64.1.2',
    conditions: [
      { type: 'Ready', status: ready },
      { type: 'ContainersReady', status: ready },
    ],
    containerStatuses: [{ name: 'webhook', ready: ready === 'True', image: 'x', imageID: '', restartCount: 0 }],
    ...status,
  },
});

/** kwok sets all pods to ready, so the sandbox must correct the readiness. */
describe('the readiness of a pod', () => {
  it('is removed if its process is not ready', () => {
    const patch = readinessPatch(pod('True'), { ready: false, restarts: 0 }, NOW) as {
      status: NonNullable<KubeletPod['status']>;
    };
    assert.deepEqual(
      patch.status.conditions?.map(({ type, status }) => [type, status]),
      [
        ['Ready', 'False'],
        ['ContainersReady', 'False'],
      ],
    );
    assert.equal(patch.status.containerStatuses?.[0]?.ready, false);
    assert.equal(patch.status.containerStatuses[0].name, 'webhook');
  });

  it('is set if its process is ready', () => {
    const patch = readinessPatch(pod('False'), { ready: true, restarts: 0 }, NOW) as {
      status: NonNullable<KubeletPod['status']>;
    };
    assert.deepEqual(patch.status.conditions?.[0], { type: 'Ready', status: 'True', lastTransitionTime: NOW });
  });

  it('is written with the restart count, even if only the count changed', () => {
    const patch = readinessPatch(pod('True'), { ready: true, restarts: 2 }, NOW) as {
      status: NonNullable<KubeletPod['status']>;
    };
    assert.equal(patch.status.containerStatuses?.[0]?.restartCount, 2);
  });

  const untouched = {
    'has the same status already': [pod('True'), true],
    'is not running yet': [pod('False', { phase: 'Pending' }), true],
    'is being deleted': [{ ...pod('True'), metadata: { deletionTimestamp: NOW } }, false],
  } as const;
  for (const [title, [subject, ready]] of Object.entries(untouched)) {
    it(`stays unchanged if the pod ${title}`, () =>
      assert.equal(readinessPatch(subject, { ready, restarts: 0 }, NOW), undefined));
  }
});

describe('the routes to pods', () => {
  it('lead from each address and named port to the port on this machine', () => {
    const routes = podRoutes(
      [pod('True'), pod('True', { podIP: '10.64.2.3' })],
      new Map([
        ['https', 9443],
        ['other', 1],
      ]),
      { https: 20001 },
    );
    assert.deepEqual(routes, [
      ['10.64.1.2:9443', 20001],
      ['10.64.2.3:9443', 20001],
    ]);
  });

  it('exclude pods without an address', () => {
    assert.deepEqual(podRoutes([{ metadata: { name: 'young' } }], new Map([['https', 9443]]), { https: 1 }), []);
  });
});
