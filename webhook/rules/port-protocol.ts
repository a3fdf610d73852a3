import type { Rule } from './rule.ts';

const SERVED: ReadonlySet<string> = new Set(['TCP', 'UDP']);

export const portProtocol: Rule = {
  name: 'port-protocol',
  kind: 'Service',
  tier: 'hygiene',
  tunable: true,
  doc: 'Every port is TCP or UDP, which is all that a Classic Load Balancer forwards; the listener of any other could not be created.',
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
  check: ({ object }) =>
    (object.spec?.ports ?? []).flatMap(({ protocol = 'TCP' }, index) =>
      SERVED.has(protocol)
        ? []
        : [
            {
              field: `spec.ports[${index}].protocol`,
              found: protocol,
              allowed: 'TCP or UDP',
              fix: 'use one of them, or move the port to a Service of type ClusterIP',
            },
          ],
    ),
};
