import { CATALOGUE } from '../../src/annotation/catalogue.ts';
import type { Facts } from '../../src/inventory/facts.ts';
import type { Fault, Rule, ServiceSubject } from './rule.ts';
import { hadLoadBalancer, wantsLoadBalancer } from './engine/subject.ts';
import { annotationField, isUnreadable } from './engine/listeners.ts';

const NONE: readonly Fault[] = [];

export const loadBalancerSwap: Rule = {
  name: 'load-balancer-swap',
  kind: 'Service',
  tier: 'hygiene',
  tunable: true,
  doc: 'A Service that has a load balancer keeps it: it cannot go from its own to one that it reuses, nor back, nor from one to another with another address.',
  since: '0.1.0',
  judgesOthers: true,
  examples: {
    given: {
      said: 'lb-1 has another address than the Service',
      loadBalancers: { 'lb-1': { owner: 'nobody', address: '47.96.0.9', listeners: [{ port: 80, protocol: 'tcp' }] } },
    },
    before: `metadata:
  name: web
`,
    wrong: `metadata:
  annotations:
    service.beta.kubernetes.io/alibaba-cloud-loadbalancer-id: "lb-1"
`,
    right: `metadata:
  annotations:
    service.beta.kubernetes.io/alibaba-cloud-loadbalancer-name: "web"
`,
  },
  check: (subject, facts) => {
    const { before, parsed } = subject;
    if (before === undefined || !hadLoadBalancer(before.object) || isUnreadable(parsed, 'id')) return NONE;
    const was = before.parsed.options.id;
    const wanted = parsed.options.id;
    if (was === wanted || isSameAddress(subject, facts)) return NONE;
    const isLeaving = !wantsLoadBalancer(subject.object);
    return [
      {
        field: annotationField(parsed.keys.get('id') ?? CATALOGUE.id.key),
        found: wanted ?? '',
        allowed:
          was === undefined
            ? 'nothing, because the Service has a load balancer of its own'
            : `${was}, which the Service uses`,
        fix: isLeaving ? LEAVING : 'undo the change, or make a second Service, move traffic over, then delete this one',
      },
    ];
  },
};

/** What is cleaned up follows from the annotation: with another, the load balancer would stay and nobody know of it. */
const LEAVING =
  'leave the annotation as it is while the type or class changes, so that the load balancer is cleaned up';

/** Whether the controller takes the other load balancer for the one that the status speaks of. */
function isSameAddress({ parsed, before }: ServiceSubject, facts: Facts): boolean {
  const { id, externalIpType } = parsed.options;
  if (id === undefined) return false;
  if (externalIpType === 'eip') return true;
  const address = facts.loadBalancer(id)?.address;
  return (before?.object.status?.loadBalancer?.ingress ?? []).some(
    ({ ip, hostname }) => (ip !== undefined && ip === address) || (hostname !== undefined && (ip ?? '') === ''),
  );
}
