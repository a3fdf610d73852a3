import { objectKey } from '../../../src/base/objects.ts';

/** The paths of a Service that a take-over may write, as `docs/taking-over.md` says it. */
export const MAY_BE_WRITTEN = [
  'metadata.labels.service.k8s.alibaba/loadbalancer-id',
  'status.conditions.LoadBalancerReady',
];

/** The controller's own objects: its mirror of the cloud, and its records of Services. */
export const isMirror = (object: string): boolean =>
  object.startsWith('classicloadbalancers ') ||
  object.startsWith('cloudinventories ') ||
  object.startsWith('loadbalancerbindings ') ||
  object === `configmaps ${objectKey('portcullis-protected', 'portcullis-system')}`;
