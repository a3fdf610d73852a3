import type { Service } from '../../../../src/base/kubernetes-objects.ts';
import type { History, Invariant, LoadBalancerPicture, Violation } from '../moment.ts';
import {
  annotationOf,
  hasFinalizer,
  isOfService,
  isOurs,
  nameIn,
  OWNER_TAG,
  ownerMark,
  type StoredService,
} from '../ownership.ts';

/** Returns the resources of a Service that remain on a load balancer. */
function leftOn(
  { id, tags, groups, listeners }: LoadBalancerPicture,
  { key, before }: Released,
  clusterId: string,
): readonly string[] {
  if (tags[OWNER_TAG] === ownerMark(before.metadata.uid)) return [id];
  const isIts = (text: string | undefined): boolean => {
    const named = nameIn(text ?? '');
    return named?.key === key && named.clusterId === clusterId;
  };
  return [
    ...groups.filter(({ name }) => isIts(name)).map(({ name }) => `group ${name} of ${id}`),
    ...groups
      .filter(({ name, backends }) => !isIts(name) && backends.some(({ description }) => isIts(description)))
      .map(({ name }) => `a backend in group ${name} of ${id}`),
    ...listeners.filter(({ description }) => isIts(description)).map(({ port }) => `${id}:${port}`),
  ];
}

/** Returns whether this process has successfully read load balancers, or deleted one of them or a listener. */
function isWitnessed(history: History, at: number): boolean {
  for (let index = at - 1; index >= 0; index -= 1) {
    const moment = history[index];
    if (moment?.kind === 'started') return false;
    if (moment?.kind !== 'ended' || !isOurs(moment.call) || moment.call.outcome !== 'OK') continue;
    if (/^(?:DescribeLoadBalancer|DeleteLoadBalancer)/.test(moment.call.action)) return true;
  }
  return false;
}

type Released = StoredService & { readonly before: Service };

const isRelease = (moment: StoredService): moment is Released =>
  moment.by === 'controller' &&
  moment.before !== undefined &&
  hasFinalizer(moment.before) &&
  (moment.after === undefined || !hasFinalizer(moment.after));

/**
 * Returns whether a load balancer was preserved and has no owner now: its resources may stay. A Service cannot preserve a user-managed load balancer.
 */
const isPreserved = ({ id, tags }: LoadBalancerPicture, before: Service, wasOwned: boolean): boolean =>
  tags[OWNER_TAG] === undefined &&
  annotationOf(before, 'preserve-lb-on-delete') !== undefined &&
  (wasOwned || annotationOf(before, 'id') !== id);

/** Returns whether an earlier release preserved the load balancer, and it has no owner now. */
const isKept = ({ id, tags }: LoadBalancerPicture, before: Service, kept: ReadonlySet<string>): boolean =>
  tags[OWNER_TAG] === undefined &&
  kept.has(`${id} ${ownerMark(before.metadata.uid)}`) &&
  annotationOf(before, 'id') !== id;

const ingressOf = (service: Service | undefined): string =>
  JSON.stringify(service?.status?.loadBalancer?.ingress ?? []);
const NO_INGRESS = ingressOf(undefined);

/** After the removal of the finalizer, no one deletes the remaining resources of the Service. */
export const finalizerLast: Invariant = {
  name: 'FinalizerLast',
  statement: 'the finalizer is removed only after a read without resources of the Service',
  check(history, { evaluated, clusterId }) {
    /** The load balancers with every owner tag that they ever had. */
    const owned = new Set<string>();
    /** Load balancers preserved by an earlier release, independent of later annotations. */
    const kept = new Set<string>();
    /** The last writer of the address of a Service. An address of another controller may stay published when the finalizer is removed. */
    const publishers = new Map<string, StoredService['by']>();
    const violations: Violation[] = [];
    history.forEach((moment, at) => {
      if ((moment.kind === 'sent' || moment.kind === 'ended') && moment.target !== undefined)
        owned.add(`${moment.target.id} ${moment.target.tags[OWNER_TAG] ?? ''}`);
      if (!isOfService(moment)) return;
      if (moment.after !== undefined && ingressOf(moment.before) !== ingressOf(moment.after))
        publishers.set(moment.key, moment.by);
      if (!isRelease(moment)) return;
      evaluated();
      const { before, key, loadBalancers } = moment;
      const mark = ownerMark(before.metadata.uid);
      // Resources on an untagged load balancer of an earlier Service do not belong to this Service.
      const wasAnothers = ({ id, tags }: LoadBalancerPicture): boolean =>
        tags[OWNER_TAG] === undefined &&
        !owned.has(`${id} ${mark}`) &&
        [...owned].some((each) => each.startsWith(`${id} a`));
      const wasOwned = ({ id }: LoadBalancerPicture): boolean => owned.has(`${id} ${mark}`);
      const preserved = loadBalancers.filter((picture) => isPreserved(picture, before, wasOwned(picture)));
      for (const { id } of preserved.filter(wasOwned)) kept.add(`${id} ${mark}`);
      const mayStay = (picture: LoadBalancerPicture): boolean =>
        wasAnothers(picture) || preserved.includes(picture) || isKept(picture, before, kept);
      const left = loadBalancers
        .filter((picture) => !mayStay(picture))
        .flatMap((picture) => leftOn(picture, moment, clusterId));
      if (left.length > 0) violations.push({ at, found: `${key} lost its finalizer while ${left.join(', ')} existed` });
      if (!isWitnessed(history, at))
        violations.push({ at, found: `${key} lost its finalizer without a read from the cloud` });
      if (ingressOf(before) !== NO_INGRESS && publishers.get(key) === 'controller')
        violations.push({ at, found: `${key} lost its finalizer while its address was published` });
    });
    return violations;
  },
};
