import type { Tables } from '../../route/diff.ts';
import { isQuota, isRangeInUse, type RouteFailure } from '../../route/failed-route.ts';

/** The remedies, by the start of the cloud's error code. */
const HINTS: readonly (readonly [RegExp, string])[] = [
  [
    /^InvalidNextHop/i,
    'the next hop of a route must be an instance of the VPC; check Global.vpcid in the cloud-config file, or exclude the Node with the label service.alibabacloud.com/exclude-node',
  ],
  [
    /^InvalidCidrBlock/i,
    'a range of pods must not overlap a vSwitch of the VPC; choose another --cluster-cidr for kube-controller-manager',
  ],
];

/** Returns the reason and remedy for a missing route. Equal causes get equal texts, so that repetitions can be dropped. */
export function causeText(failure: RouteFailure): string {
  const { code, message, destination } = failure;
  if (isQuota(failure)) return `the quota of entries leaves no room for route ${destination}; ${QUOTA_REMEDY}`;
  if (isRangeInUse(failure))
    return `the route table already has an entry for ${destination} that is not a custom route (${code}); delete the entry, or give the Node another range`;
  // The message of a rejected call already contains its code.
  const text = message.includes(`(${code}`) ? message : `${message} (${code})`;
  const hint = HINTS.find(([pattern]) => pattern.test(code))?.[1];
  return hint === undefined ? text : `${text}; ${hint}`;
}

/** The message about a Node without a pod range. */
export const UNRANGED =
  'the Node waits for a route, but has no range of pods; start kube-controller-manager with --allocate-node-cidrs and --cluster-cidr, or, if a network plugin assigns addresses to pods, set --configure-cloud-routes=false';

const QUOTA_REMEDY = 'raise the quota vpc_quota_route_entrys_num, or delete entries that you do not need';

/** Returns the message about a route that exceeds the quota, with the sizes of all tables. */
export function quotaText({ destination }: RouteFailure, tables: Tables): string {
  const counts = [...tables].map(([id, entries]) => `${id} has ${entries.length} custom entries`).join(', ');
  return `the quota of entries leaves no room for route ${destination}: ${counts}; ${QUOTA_REMEDY}`;
}
