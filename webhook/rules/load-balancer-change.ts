import type { Options } from '../../src/annotation/catalogue.ts';
import { isAnother, isPublished, ownAddresses, recordedIdOf } from '../../src/clb/told.ts';
import type { Facts } from '../../src/inventory/facts.ts';
import type { Service } from '../../src/objects.ts';
import type { Fault, Rule, ServiceSubject } from './rule.ts';
import { isOurs } from './engine/presence.ts';
import { wantsLoadBalancer } from './engine/subject.ts';
import { writtenAs } from './engine/written.ts';
import { isUnreadable } from './engine/listeners.ts';

const NONE: readonly Fault[] = [];

type Before = NonNullable<ServiceSubject['before']>;

export const loadBalancerChange: Rule = {
  name: 'load-balancer-change',
  kind: 'Service',
  tier: 'hygiene',
  tunable: true,
  judgesChangesOnly: true,
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
    const { object, before, parsed } = subject;
    if (before === undefined || !isPublished(before.object) || isUnreadable(parsed, 'id')) return NONE;
    const was = before.parsed.options.id;
    if (was === parsed.options.id || !isOurs(before, facts)) return NONE;
    const allowed =
      was === undefined
        ? 'nothing, because the Service has a load balancer of its own'
        : `${was}, which the Service uses`;
    const fault = { ...writtenAs('id', subject), allowed };
    const isLeaving = object.metadata.deletionTimestamp !== undefined || !wantsLoadBalancer(object);
    if (isLeaving) {
      const stays = was !== undefined && staysBehind(was, object, before, facts);
      return stays === false ? NONE : [{ ...fault, fix: LEAVING, ...(stays === 'unknown' ? { advice: true } : {}) }];
    }
    const swaps = isSwap(before.object, parsed.options, facts);
    if (swaps === false) return NONE;
    return [swaps === 'unknown' ? { ...fault, fix: LEFT, advice: true } : { ...fault, fix: SECOND }];
  },
};

const SECOND = 'undo the change, or make a second Service, move traffic over, then delete this one';

const LEAVING = 'leave the annotation as it is while the load balancer is given up, so that it is cleaned up';

const LEFT = 'leave it if that is meant, and clean up in the cloud what was made so far, which stays behind';

const addressesOf = ({ status }: Service): readonly string[] =>
  (status?.loadBalancer?.ingress ?? []).flatMap(({ ip = '' }) => (ip === '' ? [] : [ip]));

/**
 * Whether what a Service has on the load balancer of people that it names no more would stay there while it is given up. It is found where
 * it is recorded that the Service has used it. One that still tells its address is found by that, too: by the label of the id, or by the
 * address itself, if the mirror has one of that address; with another type the API server empties the status.
 */
function staysBehind(id: string, object: Service, before: Before, facts: Facts): boolean | 'unknown' {
  if (object.spec?.type !== 'LoadBalancer') return true;
  if (recordedIdOf(object) !== undefined) return false;
  const published = ownAddresses(addressesOf(before.object), before.parsed.options, { id });
  if (published.length === 0) return true;
  return facts.loadBalancer(id) === undefined ? 'unknown' : false;
}

/**
 * Whether a Service that is served goes over to another load balancer; people may have made one of its own theirs. Where the status
 * tells of an elastic address or a host name, and no label of a load balancer, nobody knows: then it goes over.
 */
function isSwap(service: Service, options: Options, facts: Facts): boolean | 'unknown' {
  const { id } = options;
  if (id === undefined) return true;
  const recordedId = recordedIdOf(service);
  const published = ownAddresses(addressesOf(service), options, { id, recordedId });
  const told = recordedId === undefined ? { published } : { published, recordedId };
  return isAnother({ id, address: facts.loadBalancer(id)?.address }, told);
}
