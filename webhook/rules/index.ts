import { annotationValue } from './annotation-value.ts';
import { excludeLabel } from './exclude-label.ts';
import { foreignLoadBalancer } from './foreign-load-balancer.ts';
import { immutableAnnotation } from './immutable-annotation.ts';
import { loadBalancerSwap } from './load-balancer-swap.ts';
import { nlbAnnotation } from './nlb-annotation.ts';
import { nodeLabel } from './node-label.ts';
import { ownMarks } from './own-marks.ts';
import { podRange } from './pod-range.ts';
import { portProtocol } from './port-protocol.ts';
import { protectedLoadBalancer } from './protected-load-balancer.ts';
import { protocolPort } from './protocol-port.ts';
import { providerId } from './provider-id.ts';
import { reuseAddress } from './reuse-address.ts';
import { reuseExistence } from './reuse-existence.ts';
import { reuseListener } from './reuse-listener.ts';
import { reuseNetwork } from './reuse-network.ts';
import { reuseResourceGroup } from './reuse-resource-group.ts';
import type { NodeSubject, Rule } from './rule.ts';
import { targetPort } from './target-port.ts';
import { unknownAnnotation } from './unknown-annotation.ts';

/** In the order in which a refusal tells of them. */
export const SERVICE_RULES: readonly Rule[] = [
  protectedLoadBalancer,
  foreignLoadBalancer,
  loadBalancerSwap,
  immutableAnnotation,
  annotationValue,
  unknownAnnotation,
  nlbAnnotation,
  protocolPort,
  portProtocol,
  targetPort,
  reuseExistence,
  reuseResourceGroup,
  reuseNetwork,
  reuseAddress,
  reuseListener,
  ownMarks,
];

export const NODE_RULES: readonly Rule<NodeSubject>[] = [providerId, podRange, excludeLabel, nodeLabel];
