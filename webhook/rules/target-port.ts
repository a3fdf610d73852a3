import { CATALOGUE } from '../../src/annotation/catalogue.ts';
import type { Facts } from '../../src/inventory/facts.ts';
import type { ServicePort } from '../../src/objects.ts';
import type { Fault, Rule, ServiceSubject } from './rule.ts';
import { isUnreadable } from './engine/listeners.ts';

type BackendType = 'ecs' | 'eni';

/** By annotation, else as the cluster does by default; absent when neither is known. */
function backendTypeOf({ parsed }: ServiceSubject, facts: Facts): BackendType | undefined {
  if (isUnreadable(parsed, 'backendType')) return undefined;
  return parsed.options.backendType ?? facts.cluster()?.backendType;
}

const NAME = /^[a-z0-9-]{1,15}$/;

/** A port's name as IANA has it (RFC 6335 §5.1). */
const isPortName = (name: string): boolean =>
  NAME.test(name) && /[a-z]/.test(name) && !name.startsWith('-') && !name.endsWith('-') && !name.includes('--');

export const targetPort: Rule = {
  name: 'target-port',
  kind: 'Service',
  tier: 'hygiene',
  tunable: true,
  doc: 'A targetPort is a number from 1 to 65535 or the name of a container port, of a kind that the backends can use: pods (ENI) are registered by number, nodes (ECS) by node port.',
  since: '0.1.0',
  examples: {
    wrong: `metadata:
  annotations:
    service.beta.kubernetes.io/backend-type: eni
spec:
  ports:
    - name: http
      port: 80
      targetPort: http
`,
    right: `metadata:
  annotations:
    service.beta.kubernetes.io/backend-type: eni
spec:
  ports:
    - name: http
      port: 80
      targetPort: 8080
`,
  },
  check: (subject, facts) => {
    const backendType = backendTypeOf(subject, facts);
    const { spec } = subject.object;
    const faults = (spec?.ports ?? []).flatMap((port, index) => portFaults(port, index, backendType));
    const withoutNodePort =
      backendType === 'ecs' &&
      spec?.allocateLoadBalancerNodePorts === false &&
      (spec.ports ?? []).some(({ nodePort }) => (nodePort ?? 0) === 0);
    return withoutNodePort ? [...faults, NO_NODE_PORTS] : faults;
  },
};

function portFaults({ targetPort: target }: ServicePort, index: number, backendType: BackendType | undefined): Fault[] {
  const field = `spec.ports[${index}].targetPort`;
  if (typeof target === 'number') {
    // 0 is what an absent one looks like to some clients; the API server puts the port's own number there.
    return Number.isInteger(target) && target >= 0 && target <= 65_535
      ? []
      : [{ field, found: String(target), ...ANY }];
  }
  if (target === undefined) return [];
  if (!isPortName(target)) return [{ field, found: target, ...ANY }];
  return backendType === 'eni' ? [{ field, found: target, ...NUMBER }] : [];
}

const ANY = {
  allowed:
    'a number from 1 to 65535, or a name of at most 15 lower-case letters, digits and dashes with a letter among them',
  fix: 'write the number without quotes, or the name of the container port',
};

const NUMBER = {
  allowed: 'a number, because the backends of this Service are pods (ENI), which are registered by number',
  fix: `write the container port's number, or set ${CATALOGUE.backendType.key} to "ecs"`,
};

const NO_NODE_PORTS: Fault = {
  field: 'spec.allocateLoadBalancerNodePorts',
  found: 'false',
  allowed: 'true, or a nodePort for every port, because the backends of this Service are nodes (ECS)',
  fix: `remove the field, give every port a nodePort, or set ${CATALOGUE.backendType.key} to "eni"`,
};
