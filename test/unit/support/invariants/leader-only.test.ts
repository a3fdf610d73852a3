import type { KubernetesObject } from '../../../../src/base/kubernetes-objects.ts';
import { aPicture, testInvariant, sent, stored } from '../../../support/invariants/history-builders.ts';
import { leaderOnly } from '../../../support/invariants/invariants/leader-only.ts';

const EPOCH = Date.parse('2026-01-01T00:00:00Z');
const target = aPicture();

const lease = (holderIdentity: string, renewed: number): KubernetesObject =>
  ({
    metadata: { name: 'ccm', namespace: 'kube-system', uid: '', resourceVersion: String(renewed) },
    spec: { holderIdentity, leaseDurationSeconds: 15, renewTime: new Date(EPOCH + renewed * 1_000).toISOString() },
  }) as KubernetesObject;
const acquired = (holder: string, at: number) =>
  stored(undefined, lease(holder, at), { plural: 'leases', by: 'controller', at });
const deleted = (at: number) => stored(lease('a', 0), undefined, { plural: 'leases', at });
const change = (at: number) => sent('SetLoadBalancerName', { at, target });

/** Two controllers that write at the same time can create two load balancers, or undo the changes of each other. */
testInvariant(leaderOnly, {
  keep: {
    'the Lease is renewed in time': [acquired('a', 0), change(6), acquired('a', 7), change(13)],
    'leader election is disabled': [change(0)],
    'only a read is late': [acquired('a', 0), sent('DescribeLoadBalancers', { at: 20 })],
    'the previous leader released the Lease': [acquired('a', 0), acquired('', 5), acquired('b', 6), change(6)],
    'the Lease was deleted by hand': [acquired('a', 0), deleted(5), acquired('b', 6), change(6)],
    'all calls of a dead leader must have ended': [acquired('a', 0), acquired('b', 16), change(23)],
  },
  break: {
    'the Lease can end during a call': [acquired('a', 0), change(8)],
    'the Lease was released': [acquired('a', 0), acquired('', 5), change(6)],
    'the Lease was never acquired': [acquired('', 0), change(1)],
    'calls of a dead leader may be in progress': [acquired('a', 0), acquired('b', 16), change(22)],
  },
});
