import type { GroupPort } from '../annotation/value-type.ts';
import type { ServicePort } from '../base/kubernetes-objects.ts';
import type { Violation, Rule } from './rule.ts';
import { numbersOf } from './engine/service-listeners.ts';
import { writtenAs } from './engine/written-annotation.ts';

const NONE: readonly Violation[] = [];

/** Denies requests with entries that have no effect. Warns if ports with different target ports share a server group. */
export const vgroupPort: Rule = {
  name: 'vgroup-port',
  kind: 'Service',
  tier: 'hygiene',
  tunable: true,
  doc: 'Each entry of the annotation vgroup-port names a port of the Service. A port has one entry. If two ports share a server group, clients of one port reach backends of the other port.',
  since: '0.1.0',
  examples: {
    cloud: {
      description: 'lb-1 is user-managed, with a listener on port 80 and a server group',
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
    // The rule `annotation-effect` reports an annotation without any effect.
    if (entries === undefined || options.id === undefined) return NONE;
    const { field } = writtenAs('vgroupPort', subject);
    const ports = subject.object.spec?.ports ?? [];
    return entries.flatMap((entry, index) => {
      const advice = adviceOn(entry, entries.slice(0, index), ports);
      if (advice === undefined) return NONE;
      return [{ field, reason: 'Invalid', value: `${entry.serverGroupId}:${entry.port}`, ...advice }];
    });
  },
};

type GroupAdvice = Omit<Violation, 'field' | 'reason' | 'value'>;

function adviceOn(
  entry: GroupPort,
  earlier: readonly GroupPort[],
  ports: readonly ServicePort[],
): GroupAdvice | undefined {
  const own = ports.find(({ port }) => port === entry.port);
  if (own === undefined) {
    return {
      detail: `must name a port of the Service: ${numbersOf(ports)}`,
      atApplyOnly: true,
    };
  }
  const first = earlier.find(({ port }) => port === entry.port);
  if (first !== undefined) {
    if (first.serverGroupId === entry.serverGroupId) return undefined;
    const detail = `has no effect: the entry ${first.serverGroupId}:${first.port} is for the same port`;
    return { detail, remedy: 'remove one of the two entries', atApplyOnly: true };
  }
  const shared = earlier.find(({ serverGroupId }) => serverGroupId === entry.serverGroupId);
  const other = ports.find(({ port }) => port === shared?.port);
  if (other === undefined || targetOf(other) === targetOf(own)) return undefined;
  return {
    detail: `the server group also gets the backends of port ${other.port}, which has another target port`,
    remedy: 'use a server group for each target port',
    advice: true,
  };
}

const targetOf = ({ port, targetPort }: ServicePort): number | string => targetPort ?? port;
