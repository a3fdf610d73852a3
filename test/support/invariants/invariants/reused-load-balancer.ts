import type { Service } from '../../../../src/base/kubernetes-objects.ts';
import type { Invariant, LoadBalancerPicture, Violation } from '../moment.ts';
import {
  annotationOf,
  isOfService,
  isOurWrite,
  OWNER_TAG,
  ownerMark,
  Services,
  wantsLoadBalancer,
} from '../ownership.ts';

/** The annotations that request a change of the load balancer itself, by the action of the call. */
const ANNOTATIONS_BY_ACTION: ReadonlyMap<string, readonly string[]> = new Map([
  ['SetLoadBalancerName', ['name']],
  ['SetLoadBalancerDeleteProtection', ['delete-protection']],
  ['SetLoadBalancerModificationProtection', ['modification-protection']],
  ['ModifyLoadBalancerInstanceSpec', ['spec']],
  ['ModifyLoadBalancerInstanceChargeType', ['instance-charge-type', 'spec']],
  ['ModifyLoadBalancerInternetSpec', ['bandwidth', 'charge-type']],
]);

const isMadeForAService = ({ tags, name }: LoadBalancerPicture, services: Services): boolean =>
  services.known.some(({ metadata }) => (tags[OWNER_TAG] ?? name) === ownerMark(metadata.uid));

/** Other Services and users depend on a user-managed load balancer. */
export const reusedLoadBalancer: Invariant = {
  name: 'ReusedLoadBalancer',
  statement: 'a reused load balancer is never deleted, and its attributes change only by annotation',
  check(history, { evaluated }) {
    const services = new Services();
    /** Pairs of load balancer and annotation that a Service outside cleanup has requested. */
    const requested = new Set<string>();
    const violations: Violation[] = [];
    history.forEach((moment, at) => {
      services.pass(moment);
      if (isOfService(moment) && moment.after !== undefined) recordRequests(moment.after, requested);
      if (moment.kind !== 'sent' || !isOurWrite(moment.call) || moment.target === undefined) return;
      const { call, target } = moment;
      if (call.action === 'CreateLoadBalancer' || isMadeForAService(target, services)) return;
      evaluated();
      const annotations = ANNOTATIONS_BY_ACTION.get(call.action);
      const isAllowed =
        call.action !== 'DeleteLoadBalancer' &&
        (annotations === undefined || annotations.some((suffix) => requested.has(`${target.id} ${suffix}`)));
      if (!isAllowed) violations.push({ at, found: `${call.action} was sent about ${target.id}, which is reused` });
    });
    return violations;
  },
};

function recordRequests(service: Service, requested: Set<string>): void {
  const id = annotationOf(service, 'id');
  if (id === undefined || !wantsLoadBalancer(service)) return;
  for (const suffix of [...ANNOTATIONS_BY_ACTION.values()].flat()) {
    if (annotationOf(service, suffix) !== undefined) requested.add(`${id} ${suffix}`);
  }
}
