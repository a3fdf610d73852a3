import { objectKey } from '../../../src/objects.ts';

/** The paths of a Service that a take-over may write, as `docs/taking-over.md` says it. */
export const MAY_BE_WRITTEN = [
  'metadata.labels.service.k8s.alibaba/loadbalancer-id',
  'status.conditions.LoadBalancerReady',
];

/** The controller's own objects, in which it keeps its mirror of the cloud. */
export const isMirror = (object: string): boolean =>
  object.startsWith('classicloadbalancers ') ||
  object.startsWith('cloudinventories ') ||
  object === `configmaps ${objectKey('portcullis-protected', 'portcullis-system')}`;
