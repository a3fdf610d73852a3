import type { Tables } from '../../route/diff.ts';
import { isQuota, isTaken, type RouteFailure } from '../../route/failed-route.ts';

/** Remedies by the start of the cloud's error code. */
const HINTS: readonly (readonly [RegExp, string])[] = [
  [
    /^InvalidNextHop/i,
    'routes lead only to instances of their VPC: check Global.vpcid of the cloud-config, or exclude the Node with the label service.alibabacloud.com/exclude-node',
  ],
  [
    /^InvalidCidrBlock/i,
    'a range of pods must not lie in a vSwitch of the VPC: have kube-controller-manager allocate from another (--cluster-cidr)',
  ],
];

/** Returns why a route is missing, with a remedy. Equal causes yield equal texts. */
export function causeText(failure: RouteFailure): string {
  const { code, message, destination } = failure;
  if (isQuota(failure)) return `there is no room for the route ${destination}; ${ROOM}`;
  if (isTaken(failure))
    return `the range ${destination} is taken by an entry that is not among the custom ones of the table (${code}): delete that entry, or give the Node another range`;
  // The message of a rejected call already contains its code.
  const text = message.includes(`(${code}`) ? message : `${message} (${code})`;
  const hint = HINTS.find(([pattern]) => pattern.test(code))?.[1];
  return hint === undefined ? text : `${text}; ${hint}`;
}

/** The message of a Node without a pod range. */
export const UNRANGED =
  'the Node waits for a route and has no range of pods: have kube-controller-manager give it one (--allocate-node-cidrs, --cluster-cidr), or where a network plugin gives addresses to pods, switch routes off here (--configure-cloud-routes=false)';

const ROOM = 'raise the quota vpc_quota_route_entrys_num, or delete entries that nobody needs';

/** Returns the message of a route without quota, with the sizes of all tables. */
export function quotaText({ destination }: RouteFailure, tables: Tables): string {
  const counts = [...tables].map(([id, entries]) => `${id} has ${entries.length} custom entries`).join(', ');
  return `there is no room for the route ${destination}: ${counts}; ${ROOM}`;
}
