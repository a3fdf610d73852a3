import { isExcludedNode, kindOf, readinessOf } from '../node/kind.ts';
import type { Node } from '../base/objects.ts';
import { covers, parseCidr, type Cidr } from '../node/cidr.ts';
import { Ranges } from './ranges.ts';
import type { DesiredRoute } from './route.ts';
import type { RouteSettings } from './settings.ts';

/** Why a Node has no route although it should. */
export interface RouteProblem {
  readonly node: string;
  /** A sentence for a person: what is the case, and what to do. */
  readonly message: string;
  /** Whether its pods cannot be reached for certain; what is merely not known to be ours may have been routed by others. */
  readonly isLost: boolean;
}

/** A range that some Node has. */
export interface RouteRange {
  readonly cidr: Cidr;
  readonly excluded: boolean;
  /** Whether routes to it are ours to make; those to a silent Node are, once it is heard of. */
  readonly isRouted: boolean;
}

export interface DesiredRoutes {
  readonly routes: readonly DesiredRoute[];
  /** Of all Nodes, the excluded ones too: nothing is taken away from under a range that some Node has. */
  readonly held: readonly RouteRange[];
  /** Of all Nodes of the region, whether they get routes or not; the oldest first. */
  readonly instances: ReadonlySet<string>;
  readonly problems: readonly RouteProblem[];
}

/** Objects of a cache never change, and most of thousands are the same in the next turn. */
const READ = new WeakMap<Node, readonly (Cidr | string)[]>();

/** The ranges of a Node's pods, as Kubernetes gave them; those that cannot be read as text. */
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

/** A Node that has been told nothing for some time keeps what it has and gets nothing new. */
const isSilent = (node: Node): boolean =>
  (node.status?.conditions ?? []).some(({ type }) => type === 'Ready') && readinessOf(node).status === 'Unknown';

/** The instance that a Node names, if that is one of the region. */
function instanceOf(node: Node, { regionId }: Pick<RouteSettings, 'regionId'>): string | undefined {
  const kind = kindOf(node);
  return kind.kind === 'instance' && kind.providerId.regionId === regionId ? kind.providerId.instanceId : undefined;
}

/** Whether routes to the Node's pods are ours to make. */
export const isRouted = (node: Node, settings: Pick<RouteSettings, 'regionId'>): boolean =>
  instanceOf(node, settings) !== undefined && !isExcludedNode(node) && node.metadata.deletionTimestamp === undefined;

/** A Node that gets no route now, and whose range is no younger Node's all the same. */
const keepsItsRange = (node: Node, settings: Pick<RouteSettings, 'regionId'>): boolean =>
  (isExcludedNode(node) && node.metadata.deletionTimestamp === undefined) ||
  (isRouted(node, settings) && isSilent(node));

/** Whose a range is; what the tables say of one that is not routed now, nobody has looked at. */
interface Owner {
  readonly node: string;
  readonly isRouted: boolean;
}

const compare = (left: string, right: string): number => (left < right ? -1 : left > right ? 1 : 0);

const byAge = ({ metadata: left }: Node, { metadata: right }: Node): number =>
  compare(left.creationTimestamp ?? '', right.creationTimestamp ?? '') || compare(left.name, right.name);

/** The routes that these Nodes are to have. Of two Nodes with overlapping ranges, or with one instance, the older has its routes. */
export function desiredRoutes(nodes: Iterable<Node>, settings: RouteSettings): DesiredRoutes {
  const sorted = [...nodes].sort(byAge);
  const held = sorted.flatMap((node) =>
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
  /** Instance → the Node that it is routed for. */
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
      const fault = faultOf(cidr, owners, settings);
      if (fault !== undefined) problems.push({ node: node.metadata.name, ...fault });
      else if (isRead(cidr)) {
        owners.add(cidr, { node: node.metadata.name, isRouted: true });
        machines.set(instanceId, node.metadata.name);
        routes.push({ node: node.metadata.name, cidr, instanceId });
      }
    }
  }
  return { routes, held, instances, problems };
}

/** Of a Node with ranges of two families in a cluster that routes one, the other is somebody else's to route. */
export function routedCidrs(node: Node, { clusterCidrs }: RouteSettings): readonly (Cidr | string)[] {
  const all = podCidrs(node);
  const known = all.filter((cidr) => !isRead(cidr) || clusterCidrs.some(({ bits }) => bits === cidr.bits));
  return known.length === 0 ? all : known;
}

/** Of two Nodes of one machine one is a left-over. Which, nobody can tell while both are heard of; nothing of either is taken away. */
const twinText = (twin: string, instanceId: string): string =>
  `the Node ${twin} names the same instance ${instanceId}, and only the older of the two gets routes: delete the one whose machine is gone, or register it again with the provider ID of its own instance`;

function problemOf(cidr: Cidr | string, { clusterCidrs }: RouteSettings): string | undefined {
  if (!isRead(cidr))
    return `the pod range ${JSON.stringify(cidr)} is no range of addresses: correct spec.podCIDRs of the Node's allocator`;
  if (clusterCidrs.some((range) => covers(range, cidr))) return undefined;
  const ranges = clusterCidrs.map(({ text }) => text).join(', ');
  return `the pod range ${cidr.text} is outside the cluster's range ${ranges}: give --cluster-cidr the range that kube-controller-manager allocates from`;
}

function faultOf(
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
  `the pod range ${isRead(cidr) ? cidr.text : cidr} overlaps that of the Node ${node}: delete and register one of the two Nodes again`;
