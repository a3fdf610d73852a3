import { isExcludedNode, kindOf, readinessOf } from '../node/kind.ts';
import type { Node } from '../base/kubernetes-objects.ts';
import { covers, parseCidr, type Cidr } from '../node/cidr.ts';
import { Ranges } from './range-map.ts';
import type { DesiredRoute } from './route.ts';
import type { RouteSettings } from './settings.ts';

/** The reason why a Node lacks a route that it needs. */
export interface RouteProblem {
  readonly node: string;
  /** The cause and the remedy, for users. */
  readonly message: string;
  /** True if the pods certainly have no route. False if an existing entry or another component may route the range. */
  readonly isLost: boolean;
}

/** A range of pod addresses of a Node. */
export interface RouteRange {
  readonly cidr: Cidr;
  readonly excluded: boolean;
  /** True if the Node, ready or not, gets routes, and the range is inside a range of the cluster. */
  readonly isRouted: boolean;
}

/** The routes that the Nodes need, and the problems of Nodes without a route. */
export interface DesiredRoutes {
  readonly routes: readonly DesiredRoute[];
  /** The pod ranges of all Nodes, including excluded Nodes, so that the diff deletes no entry whose destination is the range of a Node. */
  readonly nodeRanges: readonly RouteRange[];
  /** The instances of all Nodes of the region, with or without routes. The instance of the oldest Node comes first. */
  readonly instances: ReadonlySet<string>;
  readonly problems: readonly RouteProblem[];
}

/** The parsed ranges by Node. A Node in the informer cache never changes in place, so the result stays valid. */
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

/** Returns whether the kubelet has stopped reporting. If so, the Node keeps its routes and gets no new routes. */
const isSilent = (node: Node): boolean =>
  (node.status?.conditions ?? []).some(({ type }) => type === 'Ready') && readinessOf(node).status === 'Unknown';

/** Returns the id of the ECS instance that a Node names; undefined without such an id, or if the instance is in another region. */
function instanceOf(node: Node, { regionId }: Pick<RouteSettings, 'regionId'>): string | undefined {
  const kind = kindOf(node);
  return kind.kind === 'instance' && kind.providerId.regionId === regionId ? kind.providerId.instanceId : undefined;
}

/** Returns whether the controller creates routes for a Node. */
export const isRouted = (node: Node, settings: Pick<RouteSettings, 'regionId'>): boolean =>
  instanceOf(node, settings) !== undefined && !isExcludedNode(node) && node.metadata.deletionTimestamp === undefined;

/** Returns whether existing routes of a Node stay unchanged: the Node is excluded, or its kubelet does not report. */
const hasUnchangedRoutes = (node: Node, settings: Pick<RouteSettings, 'regionId'>): boolean =>
  (isExcludedNode(node) && node.metadata.deletionTimestamp === undefined) ||
  (isRouted(node, settings) && isSilent(node));

/** The Node to which a range belongs. `isRouted` is false if the controller leaves the routes of the Node unchanged. */
interface Owner {
  readonly node: string;
  readonly isRouted: boolean;
}

const compare = (left: string, right: string): number => (left < right ? -1 : left > right ? 1 : 0);

const byAge = ({ metadata: left }: Node, { metadata: right }: Node): number =>
  compare(left.creationTimestamp ?? '', right.creationTimestamp ?? '') || compare(left.name, right.name);

/** Returns the routes that Nodes need. Of two Nodes with overlapping ranges or the same instance, only the older Node gets routes. */
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
  /** The Node with routes, by instance. */
  const machines = new Map<string, string>();
  for (const node of sorted) {
    const instanceId = instanceOf(node, settings);
    if (hasUnchangedRoutes(node, settings)) {
      for (const cidr of podCidrs(node).filter(isRead)) owners.add(cidr, { node: node.metadata.name, isRouted: false });
      continue;
    }
    if (instanceId === undefined || !isRouted(node, settings)) continue;
    const twin = machines.get(instanceId);
    if (twin !== undefined) {
      // Nothing shows which Node is obsolete, so the existing routes of both Nodes stay.
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

/** Returns the pod ranges in the address families of `--cluster-cidr`, because another component routes the other family. */
export function routedCidrs(node: Node, { clusterCidrs }: RouteSettings): readonly (Cidr | string)[] {
  const all = podCidrs(node);
  const known = all.filter((cidr) => !isRead(cidr) || clusterCidrs.some(({ bits }) => bits === cidr.bits));
  // If no range matches, the Node gets a message about all ranges.
  return known.length === 0 ? all : known;
}

/** Returns the message about a second Node with the same instance. */
const twinText = (twin: string, instanceId: string): string =>
  `the Node ${twin} has the provider ID of the same instance ${instanceId}, so only the older Node gets routes; delete the Node whose machine no longer exists, or register the Node again with the provider ID of its instance`;

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
