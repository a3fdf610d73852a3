import { objectKey } from '../../../src/base/kubernetes-objects.ts';

/** The paths of a Service that a takeover may write, according to `docs/tasks/migrate.md`. The tests of takeovers allow no other write. */
export const MAY_BE_WRITTEN = [
  'metadata.labels.service.k8s.alibaba/loadbalancer-id',
  'status.conditions.LoadBalancerReady',
];

/** Returns whether an object belongs to the controller: the inventory of the cloud, or a binding. */
export const isInventory = (object: string): boolean =>
  object.startsWith('classicloadbalancers ') ||
  object.startsWith('cloudinventories ') ||
  object.startsWith('loadbalancerbindings ') ||
  object === `configmaps ${objectKey('portcullis-protected', 'portcullis-system')}`;
