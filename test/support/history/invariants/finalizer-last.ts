import type { Service } from '../../../../src/objects.ts';
import type { History, Invariant, LoadBalancerPicture, Violation } from '../moment.ts';
import {
  annotationOf,
  hasFinalizer,
  isOfService,
  isOurs,
  OWNER_TAG,
  ownerMark,
  serviceNamed,
  type StoredService,
} from '../ownership.ts';

/** What of a Service is left on a load balancer. */
function leftOn({ id, tags, groups, listeners }: LoadBalancerPicture, key: string, mark: string): readonly string[] {
  if (tags[OWNER_TAG] === mark) return [id];
  return [
    ...groups.filter(({ name }) => serviceNamed(name) === key).map(({ name }) => `group ${name} of ${id}`),
    ...listeners.filter(({ description }) => serviceNamed(description) === key).map(({ port }) => `${id}:${port}`),
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

const isRelease = ({ by, before, after }: StoredService): boolean =>
  by === 'controller' && before !== undefined && hasFinalizer(before) && (after === undefined || !hasFinalizer(after));

/** Whether it was to be kept, and is nobody's now: what is on it may stay. */
const isPreserved = ({ tags }: LoadBalancerPicture, before: Service): boolean =>
  tags[OWNER_TAG] === undefined && annotationOf(before, 'preserve-lb-on-delete') !== undefined;

export const finalizerLast: Invariant = {
  name: 'FinalizerLast',
  says: 'the finalizer goes only when the cloud was seen to have nothing of the Service any more, and after the address',
  check(history, { judged }) {
    const violations: Violation[] = [];
    history.forEach((moment, at) => {
      if (!isOfService(moment) || !isRelease(moment) || moment.before === undefined) return;
      judged();
      const { before, key, loadBalancers } = moment;
      const mark = ownerMark(before.metadata.uid);
      const left = loadBalancers
        .filter((picture) => !isPreserved(picture, before))
        .flatMap((one) => leftOn(one, key, mark));
      if (left.length > 0) violations.push({ at, found: `${key} was let go while there was ${left.join(', ')}` });
      if (!isWitnessed(history, at)) violations.push({ at, found: `${key} was let go without a look at the cloud` });
      if ((before.status?.loadBalancer?.ingress ?? []).length > 0)
        violations.push({ at, found: `${key} was let go while its address was published` });
    });
    return violations;
  },
};
