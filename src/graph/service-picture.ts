import type { Action } from '../clb/model/action.ts';
import { listenerKey, managesListeners } from '../clb/model/desired-and-observed-state.ts';
import { changesOf, type ResourceChange, type ChangedKind } from '../plan-command/resource-changes.ts';
import type { LoadBalancerPlan } from '../plan-command/load-balancer-plan.ts';
import type { StoredServicePlan } from '../plan-command/stored-service-plan.ts';
import { keyOf, type Service, type ServicePort } from '../base/kubernetes-objects.ts';
import { listenerPairs, listenerPart, type NodeKeys } from './listener-nodes.ts';
import {
  wrapped,
  type Picture,
  type PictureBox,
  type PictureEdge,
  type PictureNode,
  type PicturePart,
} from './picture.ts';
import { groupPairs, groupPart } from './server-group-nodes.ts';

/** The key of the node of the Service. */
const SERVICE = 'service';

/** Returns the functions that make the keys of nodes. `index` is the position of the load balancer in the plan. */
const keysAt = (index: number): NodeKeys => ({
  listener: (name) => `${index}/listener/${name}`,
  group: (reference) => `${index}/group/${reference}`,
});

const transportOf = ({ protocol = 'TCP' }: ServicePort): string => protocol.toUpperCase();
const portKey = (port: ServicePort): string => `port/${port.port}/${transportOf(port)}`;

function portNode(port: ServicePort): PictureNode {
  const { name = '', nodePort, targetPort = port.port } = port;
  const title = `port ${port.port}/${transportOf(port)}${name === '' ? '' : ` (${name})`}`;
  const node = nodePort === undefined ? [] : [`node port ${nodePort}`];
  return { key: portKey(port), kind: 'port', state: 'unchanged', lines: [title, ...node, `target port ${targetPort}`] };
}

/** Returns the edges from the ports of a Service to listeners, or to server groups if users manage the listeners. */
function portEdges(
  ports: readonly ServicePort[],
  { desired }: LoadBalancerPlan,
  listeners: readonly string[],
  keys: NodeKeys,
): readonly PictureEdge[] {
  const isServed = (port: ServicePort, name: string): boolean =>
    name.startsWith(`${port.port}/`) && name.endsWith('/udp') === (transportOf(port) === 'UDP');
  const unmanaged = desired.kind === 'present' && !managesListeners(desired.use) ? desired.listeners : [];
  return ports.flatMap((port) => [
    ...listeners
      .filter((name) => isServed(port, name))
      .map((name) => ({ from: portKey(port), to: keys.listener(name) })),
    ...unmanaged
      .filter((listener) => isServed(port, listenerKey(listener)))
      .map(({ group }) => ({
        from: portKey(port),
        to: keys.group(group),
        label: 'user-managed listener',
        isDashed: true,
      })),
  ]);
}

/** A load balancer in a picture, with the nodes outside its box and the edges. */
interface BoxPart extends PicturePart {
  readonly box: PictureBox;
}

/** Returns a function that finds the last change of a resource in the plan. */
const changeFinder = (changes: readonly ResourceChange[]) => (resource: ChangedKind, name: string) =>
  changes.findLast((change) => change.resource === resource && change.name === name);

function boxOf(
  { desired, observed: { loadBalancer } }: LoadBalancerPlan,
  changes: readonly ResourceChange[],
  nodes: readonly PictureNode[],
): PictureBox {
  const use = desired.use.kind === 'reused' ? 'user-managed' : 'owned';
  const change = changes.findLast(({ resource }) => resource === 'load-balancer');
  const lines = ['load balancer', loadBalancer?.id ?? change?.name ?? '', loadBalancer?.address ?? '', use];
  return {
    state: change?.operation ?? (loadBalancer === undefined ? 'blocked' : 'unchanged'),
    lines: lines.filter((line) => line !== ''),
    nodes,
  };
}

function boxPart(part: LoadBalancerPlan, index: number, ports: readonly ServicePort[]): BoxPart {
  const keys = keysAt(index);
  const changes = changesOf(part);
  const changeTo = changeFinder(changes);
  const pairs = groupPairs(part);
  const groups = pairs.map((pair) =>
    groupPart(pair, keys.group(pair.reference), changeTo('server-group', pair.reference)),
  );
  const named = listenerPairs(part, pairs);
  const listeners = named.map((pair) => listenerPart(pair, changeTo('listener', pair.name), pairs, keys));
  const inside = [...listeners.map(({ listener }) => listener), ...groups.map(({ group }) => group)];
  const edges = [
    ...portEdges(
      ports,
      part,
      named.map(({ name }) => name),
      keys,
    ),
    ...listeners.flatMap((each) => each.edges),
    ...groups.flatMap((each) => each.edges),
  ];
  return {
    box: boxOf(part, changes, inside),
    nodes: [...listeners.flatMap(({ nodes }) => nodes), ...groups.flatMap(({ nodes }) => nodes)],
    edges,
  };
}

/** Returns the key of the node that a blocked action would change. */
function blockedKey(action: Action | undefined, keys: NodeKeys): string {
  if (action === undefined) return SERVICE;
  if ('listener' in action) return keys.listener(listenerKey(action.listener));
  return 'group' in action ? keys.group(action.group) : SERVICE;
}

/** Returns nodes for violations and for the reasons of blocked actions, without duplicates. */
function problemsOf({ denied, plan, parts }: StoredServicePlan): PicturePart {
  const nodes = new Map<string, PictureNode>();
  const edges = new Map<string, PictureEdge>();
  const add = (title: string, reason: string, from: string): void => {
    const key = `problem/${title}/${reason}`;
    nodes.set(key, { key, kind: 'problem', state: 'unchanged', lines: [title, ...wrapped(reason)] });
    edges.set(`${from} ${key}`, { from, to: key, isDashed: true });
  };
  for (const violation of denied) add('denied', violation, SERVICE);
  for (const each of plan.blocked) {
    const index = parts.findIndex((part) => part.plan.blocked.includes(each));
    add(`blocked (${each.rule})`, each.reason, blockedKey(each.action, keysAt(index)));
  }
  return { nodes: [...nodes.values()], edges: [...edges.values()] };
}

const addressesOf = ({ status }: Service): readonly string[] =>
  status?.loadBalancer?.ingress?.flatMap(({ ip, hostname }) => ip ?? hostname ?? []) ?? [];

/** Removes nodes with equal keys, because listeners may share a certificate. */
const distinct = (nodes: readonly PictureNode[]): readonly PictureNode[] => [
  ...new Map(nodes.map((node) => [node.key, node])).values(),
];

/** Builds the picture for `portcullis graph` from the plan of a Service: ports, listeners, groups, backends, certificates and blocked changes. */
export function servicePicture(stored: StoredServicePlan): Picture {
  const { object, parts } = stored;
  const title = `Service ${keyOf(object)}`;
  const addresses = addressesOf(object);
  const ports = object.spec?.ports ?? [];
  const service: PictureNode = {
    key: SERVICE,
    kind: 'service',
    state: 'unchanged',
    lines: [title, ...(addresses.length === 0 ? ['no address'] : addresses)],
  };
  const boxes = parts.map((part, index) => boxPart(part, index, ports));
  const problems = problemsOf(stored);
  const nodes = distinct([service, ...ports.map(portNode), ...boxes.flatMap((each) => each.nodes), ...problems.nodes]);
  const known = new Set([...nodes, ...boxes.flatMap(({ box }) => box.nodes)].map(({ key }) => key));
  const edges = [
    ...ports.map((port) => ({ from: SERVICE, to: portKey(port) })),
    ...boxes.flatMap((each) => each.edges),
    ...problems.edges.map((edge) => (known.has(edge.from) ? edge : { ...edge, from: SERVICE })),
  ];
  return { title, boxes: boxes.map(({ box }) => box), nodes, edges: edges.filter(({ to }) => known.has(to)) };
}
