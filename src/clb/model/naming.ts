import { NO_CLUSTER_ID } from '../../base/cluster-id.ts';

/** The owner of cloud resources: a Service of a cluster. */
export interface Owner {
  readonly uid: string;
  readonly name: string;
  readonly namespace: string;
  readonly clusterId: string;
  /** Whether the Service also owns resources from the time when the cluster had no id, but only on its own load balancer. */
  readonly adoptsNameless?: boolean;
}

/** The parts of the name of a listener, group or backend. */
export interface StructuredName {
  /** A Service port, node port or target port. */
  readonly port: string;
  readonly service: string;
  readonly namespace: string;
  readonly clusterId: string;
}

/** The owner's tag, with the default name of the Service's load balancer as value. A load balancer with this tag must not be reused. */
export const OWNER_TAG = 'kubernetes.do.not.delete';
/** The tag with the cluster's id. Without `OWNER_TAG`, the tag marks the load balancer of the API server. */
export const CLUSTER_TAG = 'ack.aliyun.com';
/** The tag of load balancers that Services reuse. Never removed, as in the existing controller. */
export const REUSED_TAG = 'kubernetes.reused.by.user';
/** Load balancers with this many tags get no reuse tag, as in the existing controller. The tag only informs users, and tags have a quota. */
const TAGGED_BELOW = 10;

/** Returns whether a load balancer with these tags gets the reuse tag. */
export const isTaggedOnReuse = (keys: readonly string[]): boolean =>
  keys.length < TAGGED_BELOW && !keys.includes(REUSED_TAG);

/** The prefix of the cloud's own tags, which the controller never touches. */
export const SYSTEM_TAG_PREFIX = 'acs:';

const PREFIX = 'k8s';

const DEFAULT_NAME = /^a[0-9a-f]{31}$/;

/** Returns whether a name may be the default name of a Service's own load balancer. */
export const isDefaultName = (name: string): boolean => DEFAULT_NAME.test(name);

/** Returns the default name of a Service's own load balancer, which is also the value of `OWNER_TAG`. */
export const defaultLoadBalancerName = (uid: string): string => `a${uid.replaceAll('-', '')}`.slice(0, 32);

const structured = (owner: Owner, port: number | string): string =>
  [PREFIX, port, owner.name, owner.namespace, owner.clusterId].join('/');

/** Returns the description of a listener, by Service port. */
export const listenerName = (owner: Owner, port: number): string => structured(owner, port);

/** Returns the name of a server group and the description of its backends. The port is the node port for ECS backends, otherwise the target port. */
export const serverGroupName = (owner: Owner, port: number | string): string => structured(owner, port);

/** Parses a name of the form `k8s/<port>/<service>/<namespace>/<cluster id>`; undefined for any other text. */
export function parseName(text: string): StructuredName | undefined {
  const [prefix, port, service, namespace, clusterId, ...rest] = text.split('/');
  if (prefix !== PREFIX || rest.length > 0 || port === undefined || service === undefined) return undefined;
  return namespace === undefined || clusterId === undefined ? undefined : { port, service, namespace, clusterId };
}

/** Returns whether a structured name belongs to this owner, whatever its port. */
export function isOwnName(owner: Owner, text: string): boolean {
  const name = parseName(text);
  if (name?.service !== owner.name || name.namespace !== owner.namespace) return false;
  return name.clusterId === owner.clusterId || (owner.adoptsNameless === true && name.clusterId === NO_CLUSTER_ID);
}

/** Returns whether a structured name belongs to another Service or another cluster. */
export const isNameOfOtherService = (owner: Owner, text: string): boolean =>
  parseName(text) !== undefined && !isOwnName(owner, text);

/** Returns whether a structured name belongs to another namespace. Namespaces of other clusters count as other namespaces. */
export const isNameOfOtherNamespace = ({ namespace, clusterId }: Owner, text: string): boolean => {
  const name = parseName(text);
  return name !== undefined && (name.namespace !== namespace || name.clusterId !== clusterId);
};

/** Returns whether the tags prove that a load balancer was created for this Service. */
export const isOwnedBy = ({ uid }: Pick<Owner, 'uid'>, tags: Readonly<Record<string, string>>): boolean =>
  tags[OWNER_TAG] === defaultLoadBalancerName(uid);

/**
 * Returns whether the tags name only the cluster. The load balancer of an API server has such tags, and so has an owned load balancer that lost its
 * owner tag.
 */
export const hasClusterTagOnly = (
  { clusterId }: Pick<Owner, 'clusterId'>,
  tags: Readonly<Record<string, string>>,
): boolean => tags[CLUSTER_TAG] === clusterId && tags[OWNER_TAG] === undefined && tags[REUSED_TAG] === undefined;

/** Returns the tags of an owned load balancer at creation. */
export const ownerTags = (owner: Owner): Readonly<Record<string, string>> => ({
  [OWNER_TAG]: defaultLoadBalancerName(owner.uid),
  [CLUSTER_TAG]: owner.clusterId,
});

/** Returns whether a tag is reserved for the cloud or for controllers. Users can neither set nor remove it. */
export const isReservedTag = (key: string): boolean =>
  key.startsWith(SYSTEM_TAG_PREFIX) || key === OWNER_TAG || key === CLUSTER_TAG || key === REUSED_TAG;
