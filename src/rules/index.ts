import type { Tunable } from '../policy/tunable-rule.ts';
import { annotationCombination } from './annotation-combination.ts';
import { annotationEffect } from './annotation-effect.ts';
import { annotationValue } from './annotation-value.ts';
import { backendWeight } from './backend-weight.ts';
import { controllerChange } from './controller-change.ts';
import { excludeLabel } from './exclude-label.ts';
import { foreignLoadBalancer } from './foreign-load-balancer.ts';
import { forwardPort } from './forward-port.ts';
import { ignoredField } from './ignored-field.ts';
import { immutableAnnotation } from './immutable-annotation.ts';
import { limits } from './limits.ts';
import { listenerQuota } from './listener-quota.ts';
import { loadBalancerChange } from './load-balancer-change.ts';
import { nlbAnnotation } from './nlb-annotation.ts';
import { nodeLabel } from './node-label.ts';
import { oneWayChange } from './one-way-change.ts';
import { controllerMetadata } from './controller-metadata.ts';
import { podRange } from './pod-range.ts';
import { portProtocol } from './port-protocol.ts';
import { protectedLoadBalancer } from './protected-load-balancer.ts';
import { protocolPort } from './protocol-port.ts';
import { providerId } from './provider-id.ts';
import { publicAddress } from './public-address.ts';
import { reservedName } from './reserved-name.ts';
import { reuseAddress } from './reuse-address.ts';
import { reuseAttribute } from './reuse-attribute.ts';
import { reuseExistence } from './reuse-existence.ts';
import { reuseIrreversible } from './reuse-irreversible.ts';
import { reuseListener } from './reuse-listener.ts';
import { reuseNetwork } from './reuse-network.ts';
import { reuseResourceGroup } from './reuse-resource-group.ts';
import { reuseTags } from './reuse-tags.ts';
import type { NodeSubject, Rule } from './rule.ts';
import { serverGroupNamespace } from './server-group-namespace.ts';
import { serviceSize } from './service-size.ts';
import { targetPort } from './target-port.ts';
import { unknownAnnotation } from './unknown-annotation.ts';
import { vgroupPort } from './vgroup-port.ts';

/** Rules whose violations block only changes of a user-managed load balancer. The controller syncs the rest of the Service. */
export const PARTIAL_RULES: readonly Rule[] = [reuseAttribute, reuseTags, reuseIrreversible];

/** The rules for Services, in the order in which a denial lists their violations. Webhook, controller and commands evaluate this list. */
export const SERVICE_RULES: readonly Rule[] = [
  protectedLoadBalancer,
  foreignLoadBalancer,
  serverGroupNamespace,
  loadBalancerChange,
  controllerChange,
  immutableAnnotation,
  oneWayChange,
  annotationValue,
  unknownAnnotation,
  nlbAnnotation,
  annotationCombination,
  annotationEffect,
  reservedName,
  serviceSize,
  limits,
  protocolPort,
  forwardPort,
  vgroupPort,
  backendWeight,
  portProtocol,
  targetPort,
  listenerQuota,
  ignoredField,
  publicAddress,
  reuseExistence,
  reuseResourceGroup,
  reuseNetwork,
  reuseAddress,
  reuseListener,
  ...PARTIAL_RULES,
  controllerMetadata,
];

export const NODE_RULES: readonly Rule<NodeSubject>[] = [providerId, podRange, excludeLabel, nodeLabel];

/** The rules that policies can weaken and exceptions can suspend. Excludes rules that only warn, and rules that are not tunable. */
export const TUNABLE: Tunable = new Map(
  [...SERVICE_RULES, ...NODE_RULES]
    .filter(({ tunable, warnsOnly }) => tunable && warnsOnly !== true)
    .map(({ name, kind, checksChangesOnly = false }) => [name, { kind, checksChangesOnly }] as const)
    .sort(([left], [right]) => (left < right ? -1 : 1)),
);
