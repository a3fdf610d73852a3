import type { Service } from '../../../../src/base/objects.ts';
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

/** What of a Service is left on a load balancer. */
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

/** Whether the cloud was looked at, or something in it deleted, since this process began. */
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

/** Whether it was to be kept, and is nobody's now: what is on it may stay. What was never its own is not the Service's to keep. */
const isPreserved = ({ id, tags }: LoadBalancerPicture, before: Service, wasOwned: boolean): boolean =>
  tags[OWNER_TAG] === undefined &&
  annotationOf(before, 'preserve-lb-on-delete') !== undefined &&
  (wasOwned || annotationOf(before, 'id') !== id);

/** Whether it was let go of for good before, and is nobody's still. */
const isKept = ({ id, tags }: LoadBalancerPicture, before: Service, kept: ReadonlySet<string>): boolean =>
  tags[OWNER_TAG] === undefined &&
  kept.has(`${id} ${ownerMark(before.metadata.uid)}`) &&
  annotationOf(before, 'id') !== id;

const ingressOf = (service: Service | undefined): string =>
  JSON.stringify(service?.status?.loadBalancer?.ingress ?? []);
const NO_INGRESS = ingressOf(undefined);

export const finalizerLast: Invariant = {
  name: 'FinalizerLast',
  says: 'the finalizer goes only when the cloud was seen to have nothing of the Service any more, and after the address',
  check(history, { judged, clusterId }) {
    /** Load balancers with the mark that they once had. */
    const owned = new Set<string>();
    /** Those that were let go of for good, whatever the Service asks for later. */
    const kept = new Set<string>();
    /** Who wrote the address of a Service last: what others publish while the finalizer is removed is theirs. */
    const publishers = new Map<string, StoredService['by']>();
    const violations: Violation[] = [];
    history.forEach((moment, at) => {
      if ((moment.kind === 'sent' || moment.kind === 'ended') && moment.target !== undefined)
        owned.add(`${moment.target.id} ${moment.target.tags[OWNER_TAG] ?? ''}`);
      if (!isOfService(moment)) return;
      if (moment.after !== undefined && ingressOf(moment.before) !== ingressOf(moment.after))
        publishers.set(moment.key, moment.by);
      if (!isRelease(moment)) return;
      judged();
      const { before, key, loadBalancers } = moment;
      const mark = ownerMark(before.metadata.uid);
      // What is on a load balancer that was made for an earlier Service of the name, and is nobody's now, is not this one's.
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
      if (left.length > 0) violations.push({ at, found: `${key} was let go while there was ${left.join(', ')}` });
      if (!isWitnessed(history, at)) violations.push({ at, found: `${key} was let go without a look at the cloud` });
      if (ingressOf(before) !== NO_INGRESS && publishers.get(key) === 'controller')
        violations.push({ at, found: `${key} was let go while its address was published` });
    });
    return violations;
  },
};
