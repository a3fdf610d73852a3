import { supportedValues } from '../base/field-error.ts';
import type { ServicePort } from '../base/kubernetes-objects.ts';
import type { Violation, Rule } from './rule.ts';

const NONE: readonly Violation[] = [];
const NO_PORTS: readonly ServicePort[] = [];

const isServed = ({ protocol = 'TCP' }: ServicePort): boolean => protocol === 'TCP' || protocol === 'UDP';

/** Without this rule, users would not notice that a port of another protocol never gets a listener. */
export const portProtocol: Rule = {
  name: 'port-protocol',
  kind: 'Service',
  tier: 'hygiene',
  tunable: true,
  doc: 'Every port is TCP or UDP. A Classic Load Balancer forwards no other protocol.',
  since: '0.1.0',
  examples: {
    wrong: `spec:
  ports:
    - name: diameter
      port: 3868
      protocol: SCTP
`,
    right: `spec:
  ports:
    - name: diameter
      port: 3868
      protocol: TCP
`,
  },
  check: ({ object }) => {
    const ports = object.spec?.ports ?? NO_PORTS;
    if (ports.every(isServed)) return NONE;
    return ports.flatMap((port, index) =>
      isServed(port)
        ? NONE
        : [
            {
              field: `spec.ports[${index}].protocol`,
              reason: 'NotSupported' as const,
              value: port.protocol ?? '',
              detail: supportedValues(['TCP', 'UDP']),
              remedy: 'move the port to a Service of type ClusterIP',
            },
          ],
    );
  },
};
