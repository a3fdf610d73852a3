import { z } from 'zod';

const Node = z.object({
  metadata: z.object({ name: z.string(), labels: z.record(z.string(), z.string()).default({}) }),
  spec: z.object({
    providerID: z.string().default(''),
    podCIDR: z.string().default(''),
    taints: z.array(z.object({ key: z.string() })).default([]),
  }),
  status: z.object({
    addresses: z.array(z.object({ address: z.string() })).default([]),
    conditions: z.array(z.object({ type: z.string(), status: z.string(), reason: z.string().default('') })).default([]),
  }),
});

/** The properties of a Node at one moment. */
export type NodeSnapshot = z.output<typeof Node>;

/** Parses a Node from the JSON that `kubectl get nodes --watch` prints. */
export const readNode = (json: string): NodeSnapshot => Node.parse(JSON.parse(json));

/** An observed state of a Node, with its time. */
export interface Moment {
  /** Seconds since the request to create the Node. */
  readonly seconds: number;
  readonly node: NodeSnapshot;
}

/** Returns the condition `NetworkUnavailable`, which the controller sets to `False` when the route of the Node exists. */
export const networkOf = ({ status }: NodeSnapshot) =>
  status.conditions.find(({ type }) => type === 'NetworkUnavailable');

/** Returns a key without its group, for example `network-unavailable`. */
const short = (key: string): string => key.slice(key.lastIndexOf('/') + 1);

const labelText = (labels: Readonly<Record<string, string>>): string => {
  const [type, zone] = [labels['node.kubernetes.io/instance-type'], labels['topology.kubernetes.io/zone']];
  return type === undefined ? '' : `${type} in ${zone ?? 'no zone'}`;
};

function networkText(node: NodeSnapshot): string {
  const condition = networkOf(node);
  if (condition === undefined) return '';
  return `${condition.status === 'True' ? 'unavailable' : 'available'}: ${condition.reason}`;
}

/** The properties of a Node that the timeline shows, by name. Each function returns a property as text. */
const PROPERTIES: Readonly<Record<string, (node: NodeSnapshot) => string>> = {
  'pod range': ({ spec }) => spec.podCIDR,
  addresses: ({ status }) => status.addresses.map(({ address }) => address).join(', '),
  network: networkText,
  'provider ID': ({ spec }) => spec.providerID,
  labels: ({ metadata }) => labelText(metadata.labels),
  taints: ({ spec }) => spec.taints.map(({ key }) => short(key)).join(', ') || 'none',
};

/** Returns a row for each change of a property: the time, the property and the new value. The step `node-join` prints the rows. */
export function nodeTimeline(moments: readonly Moment[]): readonly (readonly [string, string, string])[] {
  return moments.flatMap(({ seconds, node }, index) => {
    const before = moments[index - 1]?.node;
    const changed = Object.entries(PROPERTIES).flatMap(([name, textOf]) => {
      const [was, is] = [before === undefined ? '' : textOf(before), textOf(node)];
      return was === is ? [] : [[name, is || 'none'] as const];
    });
    return changed.map(([name, is], at) => [at === 0 ? `${seconds.toFixed(2)} s` : '', name, is] as const);
  });
}

/** The taints that keep pods off a new Node. */
const KEEP_PODS_OUT = ['node.cloudprovider.kubernetes.io/uninitialized', 'node.kubernetes.io/network-unavailable'];

/** Returns whether pods on the Node would be unreachable, because the Node has no route yet, and no taint keeps pods off. */
export const isOpenTooSoon = (node: NodeSnapshot): boolean =>
  networkOf(node)?.status !== 'False' && !node.spec.taints.some(({ key }) => KEEP_PODS_OUT.includes(key));
