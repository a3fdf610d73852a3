import { CATALOGUE } from '../annotation/catalogue.ts';
import type { Service, ServicePort } from '../base/kubernetes-objects.ts';
import type { Violation, Rule } from './rule.ts';
import { backendTypeOf } from './engine/backend-type.ts';

const NONE: readonly Violation[] = [];
const NO_PORTS: readonly ServicePort[] = [];

/** Returns whether all target ports are valid numbers and the API server allocates node ports. The cheap check ends the rule for most Services. */
function isPlain({ ports, allocateLoadBalancerNodePorts }: NonNullable<Service['spec']>): boolean {
  if (allocateLoadBalancerNodePorts === false) return false;
  for (const { targetPort: target } of ports ?? NO_PORTS)
    if (target !== undefined && !isPortNumber(target)) return false;
  return true;
}

/** Returns whether a target is a port number, or 0, which some clients send for an unset target and the API server replaces. */
const isPortNumber = (target: number | string): boolean =>
  typeof target === 'number' && Number.isInteger(target) && target >= 0 && target <= 65_535;

const NAME = /^[a-z0-9-]{1,15}$/;

/** Returns whether a text is a valid port name according to RFC 6335 §5.1. */
const isPortName = (name: string): boolean =>
  NAME.test(name) && /[a-z]/.test(name) && !name.startsWith('-') && !name.endsWith('-') && !name.includes('--');

/** Without this rule, users would not notice that the controller can find no port of the backends. */
export const targetPort: Rule = {
  name: 'target-port',
  kind: 'Service',
  tier: 'hygiene',
  tunable: true,
  doc: 'A targetPort is a number from 1 to 65535 or the name of a container port. If the backends are nodes (ECS), every port needs a node port. Pods (ENI) need no node port: traffic reaches the targetPort directly, and the controller resolves its name for each pod.',
  since: '0.1.0',
  examples: {
    wrong: `metadata:
  annotations:
    service.beta.kubernetes.io/backend-type: ecs
spec:
  allocateLoadBalancerNodePorts: false
  ports:
    - name: http
      port: 80
      targetPort: http
`,
    right: `metadata:
  annotations:
    service.beta.kubernetes.io/backend-type: eni
spec:
  allocateLoadBalancerNodePorts: false
  ports:
    - name: http
      port: 80
      targetPort: http
`,
  },
  check: (subject, facts) => {
    const { spec } = subject.object;
    if (spec === undefined || isPlain(spec)) return NONE;
    const violations = (spec.ports ?? []).flatMap(portViolations);
    const withoutNodePort =
      spec.allocateLoadBalancerNodePorts === false &&
      backendTypeOf(subject, facts) === 'ecs' &&
      (spec.ports ?? []).some(({ nodePort }) => (nodePort ?? 0) === 0);
    return withoutNodePort ? [...violations, NO_NODE_PORTS] : violations;
  },
};

function portViolations({ targetPort: target }: ServicePort, index: number): readonly Violation[] {
  if (target === undefined || isPortNumber(target)) return NONE;
  if (typeof target === 'string' && isPortName(target)) return NONE;
  return [{ field: `spec.ports[${index}].targetPort`, value: target, ...ANY }];
}

const ANY = {
  reason: 'Invalid',
  detail:
    'must be a number from 1 to 65535 without quotation marks, or a port name of at most 15 lower-case letters, digits and dashes',
} as const;

const NO_NODE_PORTS: Violation = {
  field: 'spec.allocateLoadBalancerNodePorts',
  reason: 'Invalid',
  value: 'false',
  detail: 'must be true unless every port has a nodePort: the backends of this Service are nodes (ECS)',
  remedy: `to keep false, set ${CATALOGUE.backendType.key} to "eni"`,
};
