import { isExcludedNode, kindOf, readinessOf } from '../node/kind.ts';
import type { Node } from '../base/objects.ts';
import { covers, parseCidr, type Cidr } from '../node/cidr.ts';
import { Ranges } from './ranges.ts';
import type { DesiredRoute } from './route.ts';
import type { RouteSettings } from './settings.ts';

/** The reason why a Node lacks a route that it needs. */
export interface RouteProblem {
  readonly node: string;
  /** A message for users with the cause and the remedy. */
  readonly message: string;
  /** True if the pods are unreachable. False if the ownership is unknown, because another component may route the range. */
  readonly isLost: boolean;
}

/** A pod range of a Node. */
export interface RouteRange {
  readonly cidr: Cidr;
  readonly excluded: boolean;
  /** True if the controller routes the range. Also true for a silent Node, which gets its route when it responds. */
  readonly isRouted: boolean;
}

export interface DesiredRoutes {
  readonly routes: readonly DesiredRoute[];
  /** The ranges of all Nodes, including excluded ones. No route to such a range is deleted. */
  readonly nodeRanges: readonly RouteRange[];
  /** The instances of all Nodes of the region, with or without routes, the oldest first. */
  readonly instances: ReadonlySet<string>;
  readonly problems: readonly RouteProblem[];
}

/** A cache by Node. Cached objects never change, and most of thousands are equal in the next reconcile. */
const READ = new WeakMap<Node, readonly (Cidr | string)[]>();

/** Returns the pod ranges of a Node. An invalid range is returned as text. */
export function podCidrs(node: Node): readonly (Cidr | string)[] {
  const known = READ.get(node);
  if (known !== undefined) return known;
  const { spec } = node;
  const texts = spec?.podCIDRs ?? (spec?.podCIDR === undefined || spec.podCIDR === '' ? [] : [spec.podCIDR]);
  const cidrs = texts.map((text) => parseCidr(text) ?? text);
  READ.set(node, cidrs);
  return cidrs;
}

const isRead = (cidr: Cidr | string): cidr is Cidr => typeof cidr !== 'string';

/** Returns whether the kubelet has not reported for some time. Such a Node keeps its routes and gets no new ones. */
const isSilent = (node: Node): boolean =>
  (node.status?.conditions ?? []).some(({ type }) => type === 'Ready') && readinessOf(node).status === 'Unknown';

/** Returns the instance that a Node names, if it is in the region. */
function instanceOf(node: Node, { regionId }: Pick<RouteSettings, 'regionId'>): string | undefined {
  const kind = kindOf(node);
  return kind.kind === 'instance' && kind.providerId.regionId === regionId ? kind.providerId.instanceId : undefined;
}

/** Returns whether the controller routes the pods of the Node. */
export const isRouted = (node: Node, settings: Pick<RouteSettings, 'regionId'>): boolean =>
  instanceOf(node, settings) !== undefined && !isExcludedNode(node) && node.metadata.deletionTimestamp === undefined;

/** Returns whether a Node without a new route still keeps its range, so that no younger Node gets the range. */
const keepsItsRange = (node: Node, settings: Pick<RouteSettings, 'regionId'>): boolean =>
  (isExcludedNode(node) && node.metadata.deletionTimestamp === undefined) ||
  (isRouted(node, settings) && isSilent(node));

/** The owner of a range. Routes of an unrouted owner are not checked. */
interface Owner {
  readonly node: string;
  readonly isRouted: boolean;
}

const compare = (left: string, right: string): number => (left < right ? -1 : left > right ? 1 : 0);

const byAge = ({ metadata: left }: Node, { metadata: right }: Node): number =>
  compare(left.creationTimestamp ?? '', right.creationTimestamp ?? '') || compare(left.name, right.name);

/** Returns the desired routes of the Nodes. If two Nodes have overlapping ranges or the same instance, the older Node gets the routes. */
export function desiredRoutes(nodes: Iterable<Node>, settings: RouteSettings): DesiredRoutes {
  const sorted = [...nodes].sort(byAge);
  const nodeRanges = sorted.flatMap((node) =>
    podCidrs(node)
      .filter(isRead)
      .map((cidr) => ({
        cidr,
        excluded: isExcludedNode(node),
        isRouted: isRouted(node, settings) && problemOf(cidr, settings) === undefined,
      })),
  );
  const instances = new Set(sorted.flatMap((node) => instanceOf(node, settings) ?? []));
  const routes: DesiredRoute[] = [];
  const problems: RouteProblem[] = [];
  const owners = new Ranges<Owner>();
  /** The routed Node by instance. */
  const machines = new Map<string, string>();
  for (const node of sorted) {
    const instanceId = instanceOf(node, settings);
    if (keepsItsRange(node, settings)) {
      for (const cidr of podCidrs(node).filter(isRead)) owners.add(cidr, { node: node.metadata.name, isRouted: false });
      continue;
    }
    if (instanceId === undefined || !isRouted(node, settings)) continue;
    const twin = machines.get(instanceId);
    if (twin !== undefined) {
      problems.push({ node: node.metadata.name, message: twinText(twin, instanceId), isLost: false });
      continue;
    }
    for (const cidr of routedCidrs(node, settings)) {
      const problem = routeProblemOf(cidr, owners, settings);
      if (problem !== undefined) problems.push({ node: node.metadata.name, ...problem });
      else if (isRead(cidr)) {
        owners.add(cidr, { node: node.metadata.name, isRouted: true });
        machines.set(instanceId, node.metadata.name);
        routes.push({ node: node.metadata.name, cidr, instanceId });
      }
    }
  }
  return { routes, nodeRanges, instances, problems };
}

/** Returns the ranges of the families that the cluster routes. Another component routes a range of the other family. */
export function routedCidrs(node: Node, { clusterCidrs }: RouteSettings): readonly (Cidr | string)[] {
  const all = podCidrs(node);
  const known = all.filter((cidr) => !isRead(cidr) || clusterCidrs.some(({ bits }) => bits === cidr.bits));
  return known.length === 0 ? all : known;
}

/** Returns the problem of two Nodes with one instance. One is a left-over, and while both respond it is unknown which, so the routes of both stay. */
const twinText = (twin: string, instanceId: string): string =>
  `the Node ${twin} names the same instance ${instanceId}, so only the older Node gets routes; delete the Node whose machine no longer exists, or register the Node again with the provider ID of its instance`;

function problemOf(cidr: Cidr | string, { clusterCidrs }: RouteSettings): string | undefined {
  if (!isRead(cidr))
    return `the pod range ${JSON.stringify(cidr)} is not a range of addresses; correct the program that sets spec.podCIDRs`;
  if (clusterCidrs.some((range) => covers(range, cidr))) return undefined;
  const ranges = clusterCidrs.map(({ text }) => text).join(', ');
  return `the pod range ${cidr.text} is outside the range of the cluster, ${ranges}; set --cluster-cidr to the range of kube-controller-manager`;
}

function routeProblemOf(
  cidr: Cidr | string,
  owners: Ranges<Owner>,
  settings: RouteSettings,
): Omit<RouteProblem, 'node'> | undefined {
  const message = problemOf(cidr, settings);
  if (message !== undefined) return { message, isLost: false };
  const owner = isRead(cidr) ? owners.overlapping(cidr) : undefined;
  return owner && { message: clashText(cidr, owner), isLost: owner.isRouted };
}

const clashText = (cidr: Cidr | string, { node }: Owner): string =>
  `the pod range ${isRead(cidr) ? cidr.text : cidr} overlaps the range of the Node ${node}; delete and register one of the two Nodes again`;
