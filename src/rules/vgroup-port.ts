import type { GroupPort } from '../annotation/value-type.ts';
import type { ServicePort } from '../base/objects.ts';
import type { Violation, Rule } from './rule.ts';
import { numbersOf } from './engine/listeners.ts';
import { writtenAs } from './engine/written.ts';

const NONE: readonly Violation[] = [];

export const vgroupPort: Rule = {
  name: 'vgroup-port',
  kind: 'Service',
  tier: 'hygiene',
  tunable: true,
  doc: 'Each entry of the annotation vgroup-port names a port of the Service, once. A server group that two ports feed gets the backends of both, so that clients of one end at the other.',
  since: '0.1.0',
  examples: {
    given: {
      said: 'somebody has made lb-1, with a listener for port 80 and a server group behind it',
      loadBalancers: { 'lb-1': { owner: 'user', listeners: [{ port: 80, protocol: 'tcp' }] } },
    },
    wrong: `metadata:
  annotations:
    service.beta.kubernetes.io/alibaba-cloud-loadbalancer-id: "lb-1"
    service.beta.kubernetes.io/alibaba-cloud-loadbalancer-vgroup-port: "rsp-1:8080"
`,
    right: `metadata:
  annotations:
    service.beta.kubernetes.io/alibaba-cloud-loadbalancer-id: "lb-1"
    service.beta.kubernetes.io/alibaba-cloud-loadbalancer-vgroup-port: "rsp-1:80"
`,
  },
  check: (subject) => {
    const { options } = subject.parsed;
    const entries = options.vgroupPort;
    // The rule `annotation-effect` reports an annotation that has no effect as a whole.
    if (entries === undefined || options.id === undefined) return NONE;
    const { field } = writtenAs('vgroupPort', subject);
    const ports = subject.object.spec?.ports ?? [];
    return entries.flatMap((entry, index) => {
      const said = adviceOn(entry, entries.slice(0, index), ports);
      return said === undefined ? NONE : [{ field, found: `${entry.serverGroupId}:${entry.port}`, ...said }];
    });
  },
};

type GroupAdvice = Omit<Violation, 'field' | 'found'>;

function adviceOn(
  entry: GroupPort,
  earlier: readonly GroupPort[],
  ports: readonly ServicePort[],
): GroupAdvice | undefined {
  const own = ports.find(({ port }) => port === entry.port);
  if (own === undefined) {
    return {
      allowed: `a port of the Service (${numbersOf(ports)})`,
      fix: 'name one of them, add the port under spec.ports, or remove the entry',
      atApplyOnly: true,
    };
  }
  const first = earlier.find(({ port }) => port === entry.port);
  if (first !== undefined) {
    if (first.serverGroupId === entry.serverGroupId) return undefined;
    const fix = `remove it or the earlier ${first.serverGroupId}:${first.port}, which counts`;
    return { allowed: 'one entry a port', fix, atApplyOnly: true };
  }
  const shared = earlier.find(({ serverGroupId }) => serverGroupId === entry.serverGroupId);
  const other = ports.find(({ port }) => port === shared?.port);
  if (other === undefined || targetOf(other) === targetOf(own)) return undefined;
  return {
    allowed: `a server group for each target port, and port ${other.port} feeds this one with another`,
    fix: 'name a group of its own, unless clients of one port are to end at the other',
    advice: true,
  };
}

const targetOf = ({ port, targetPort }: ServicePort): number | string => targetPort ?? port;
