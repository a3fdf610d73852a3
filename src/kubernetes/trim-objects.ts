import { justBeyond, mapJustBeyond } from '../base/cached-field-truncation.ts';
import { pick } from '../base/pick.ts';
import { gatesOf } from '../controller/kubernetes-interface.ts';
import type { LoadBalancerBinding } from '../inventory/binding.ts';
import type { ClassicLoadBalancer, CloudInventory } from '../inventory/custom-resources.ts';
import { PROVIDED_NODE_IP } from '../node/addresses.ts';
import { INSTANCE_CONDITION } from '../node/instance-unknown-condition.ts';
import {
  SERVICE_NAME_LABEL,
  type Endpoint,
  type Endpoints,
  type EndpointSlice,
  type Namespace,
  type Node,
  type ObjectMeta,
  type Pod,
} from '../base/kubernetes-objects.ts';
import type { LoadBalancerException, LoadBalancerPolicy } from '../policy/custom-resources.ts';
import { LEADER } from './endpoints-as-slices.ts';
import { identityOf } from './trim-metadata.ts';

// The functions drop unread fields to save memory. Dropped fields stay in the API server, because patches contain only fields of Portcullis.

type Reference = NonNullable<Endpoint['targetRef']>;
const referenceOf = (targetRef: Reference | undefined): { readonly targetRef?: Reference } =>
  targetRef === undefined ? {} : { targetRef: pick(targetRef, 'kind', 'namespace', 'name', 'uid') };

/** The maximum number of ports of an EndpointSlice, by its API documentation. */
const MOST_SLICE_PORTS = 100;
const trimPorts = <Port extends { readonly name?: string; readonly port?: number; readonly protocol?: string }>(
  ports: readonly Port[],
) => ports.slice(0, MOST_SLICE_PORTS).map((port) => pick(port, 'name', 'port', 'protocol'));

const isAbsent = (value: unknown): value is null | undefined => value === undefined || value === null;

/**
 * Trims an EndpointSlice to the fields from which the controller computes backends. A list may be `null`, because the API server writes an empty list
 * as `null`.
 */
export const trimEndpointSlice = ({ metadata, addressType, endpoints, ports }: EndpointSlice): EndpointSlice => ({
  metadata: {
    ...pick(metadata, 'name', 'namespace', 'uid', 'resourceVersion', 'deletionTimestamp'),
    ...(metadata.labels === undefined ? {} : { labels: pick(metadata.labels, SERVICE_NAME_LABEL) }),
  },
  addressType,
  endpoints: (endpoints ?? []).map(({ addresses, targetRef, ...endpoint }) => ({
    addresses: addresses.slice(0, 1),
    ...pick(endpoint, 'conditions', 'nodeName'),
    ...referenceOf(targetRef),
  })),
  ...(isAbsent(ports) ? {} : { ports: trimPorts(ports) }),
});

type Subset = NonNullable<Endpoints['subsets']>[number];
const trimAddresses = (addresses: Subset['addresses'] = []) =>
  addresses.map(({ targetRef, ...address }) => ({ ...pick(address, 'ip', 'nodeName'), ...referenceOf(targetRef) }));

/** Trims Endpoints to the fields from which the controller computes backends, and the annotation of leader election locks. */
export const trimEndpoints = ({ metadata, subsets }: Endpoints): Endpoints => ({
  metadata: {
    ...pick(metadata, 'name', 'namespace', 'uid', 'resourceVersion'),
    ...(metadata.annotations?.[LEADER] === undefined ? {} : { annotations: { [LEADER]: '' } }),
  },
  ...(subsets === undefined
    ? {}
    : {
        subsets: subsets.map(({ addresses, notReadyAddresses, ports }) => ({
          addresses: trimAddresses(addresses),
          notReadyAddresses: trimAddresses(notReadyAddresses),
          ...(ports === undefined ? {} : { ports: trimPorts(ports) }),
        })),
      }),
});

type NodeStatus = NonNullable<Node['status']>;
type NodeCondition = NonNullable<NodeStatus['conditions']>[number];

/** The conditions of Nodes that the controllers read. */
const USED_CONDITIONS: ReadonlySet<string> = new Set(['Ready', 'NetworkUnavailable', INSTANCE_CONDITION]);

/** Returns the conditions that controllers read. If there are none, keeps the first condition as proof that the Node has reported. */
function usedConditions(conditions: readonly NodeCondition[]): readonly NodeCondition[] {
  const read = conditions.filter(({ type }) => USED_CONDITIONS.has(type));
  return (read.length > 0 ? read : conditions.slice(0, 1)).map(trimCondition);
}

/** Trims a condition. While a Node waits for a route, also keeps the message, which the controller compares with its new message. */
function trimCondition(condition: NodeCondition): NodeCondition {
  if (!USED_CONDITIONS.has(condition.type)) return pick(condition, 'type', 'status');
  const isCompared = condition.type === 'NetworkUnavailable' && condition.status === 'True';
  return pick(
    condition,
    'type',
    'status',
    'reason',
    'lastTransitionTime',
    ...(isCompared ? (['message'] as const) : []),
  );
}

/** The number of addresses of a Node above which the list is cut, because an instance has only a few addresses. */
const MOST_ADDRESSES = 64;

/** Trims the status of a Node. `systemUUID` identifies the instance at ECS. */
const trimNodeStatus = ({ addresses, conditions, nodeInfo }: NodeStatus): NodeStatus =>
  ({
    ...(addresses === undefined ? {} : { addresses: justBeyond(addresses, MOST_ADDRESSES) }),
    ...(conditions === undefined ? {} : { conditions: usedConditions(conditions) }),
    ...(nodeInfo === undefined ? {} : { nodeInfo: pick(nodeInfo, 'systemUUID') as NodeStatus['nodeInfo'] }),
  }) as NodeStatus;

/** The limits above which the labels of a Node or a Namespace are cut, because no cluster needs more labels. */
const LABEL_LIMITS = { entries: 1_024, bytes: 65_536 };
const trimLabels = ({ labels }: ObjectMeta): Pick<ObjectMeta, 'labels'> =>
  labels === undefined ? {} : { labels: mapJustBeyond(labels, LABEL_LIMITS) };

/** The longest kept value of the kubelet's address annotation, in characters: two addresses and a comma fit. A longer value becomes `?`. */
const LONGEST_NODE_IP = 128;

function nodeIpOf({ annotations }: ObjectMeta): Pick<ObjectMeta, 'annotations'> {
  const nodeIp = annotations?.[PROVIDED_NODE_IP];
  return nodeIp === undefined
    ? {}
    : { annotations: { [PROVIDED_NODE_IP]: nodeIp.length > LONGEST_NODE_IP ? '?' : nodeIp } };
}

/** Trims a Node. Drops large fields, such as images. Keeps all taints, because a change of a taint writes the whole list. */
export const trimNode = ({ metadata, spec, status }: Node): Node => ({
  metadata: { ...identityOf(metadata), ...trimLabels(metadata), ...nodeIpOf(metadata) },
  ...(spec === undefined ? {} : { spec: pick(spec, 'providerID', 'podCIDR', 'podCIDRs', 'unschedulable', 'taints') }),
  ...(status === undefined ? {} : { status: trimNodeStatus(status) }),
});

/** The maximum number of kept readiness gates of a pod. */
const MOST_GATES = 32;

/** Trims a pod to the readiness gates of Portcullis and their conditions. */
export function trimPod(pod: Pod): Pod {
  const { metadata, spec, status } = pod;
  const gates = gatesOf(pod).slice(0, MOST_GATES);
  const read = new Set(['ContainersReady', ...gates]);
  return {
    metadata: pick(metadata, 'name', 'namespace', 'uid', 'resourceVersion', 'deletionTimestamp'),
    ...(spec === undefined
      ? {}
      : { spec: { readinessGates: gates.map((conditionType) => ({ conditionType })), containers: [] } }),
    ...(status === undefined
      ? {}
      : {
          status: {
            conditions: (status.conditions ?? [])
              .filter(({ type }) => read.has(type))
              .map((condition) => pick(condition, 'type', 'status', 'reason', 'lastTransitionTime')),
          },
        }),
  };
}

/** Trims a policy or exception to its identity and spec. */
export const trimSpec = <Kind extends LoadBalancerPolicy | LoadBalancerException>({ metadata, spec }: Kind): Kind =>
  ({ metadata: pick(metadata, 'name', 'uid', 'resourceVersion', 'generation'), spec }) as Kind;

/** Trims a Namespace to its name and its labels, by which policies select namespaces. */
export const trimNamespace = ({ metadata }: Namespace): Namespace => ({
  metadata: { ...pick(metadata, 'name', 'uid', 'resourceVersion'), ...trimLabels(metadata) },
});

/** Trims an inventory object to its name, version, age and status. */
export const trimInventory = <Kind extends ClassicLoadBalancer | CloudInventory>({ metadata, status }: Kind): Kind =>
  ({
    metadata: pick(metadata, 'name', 'uid', 'resourceVersion', 'creationTimestamp'),
    ...(status === undefined ? {} : { status }),
  }) as Kind;

/** Trims a binding to its name, version and spec. */
export const trimBinding = ({ metadata, spec }: LoadBalancerBinding): LoadBalancerBinding => ({
  metadata: pick(metadata, 'name', 'uid', 'resourceVersion'),
  spec,
});

/** Trims a binding to the fields that rules read. */
export const trimBindingForRules = ({ metadata, spec }: LoadBalancerBinding): LoadBalancerBinding => ({
  metadata: pick(metadata, 'name', 'uid', 'resourceVersion'),
  spec: pick(spec, 'service', 'clusterUID', 'loadBalancer'),
});
