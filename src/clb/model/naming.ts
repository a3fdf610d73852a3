import { NO_CLUSTER_ID } from '../../base/default-cluster-id.ts';

/** The owner of cloud resources: a Service of a cluster. Names and tags of resources contain these values. */
export interface Owner {
  readonly uid: string;
  readonly name: string;
  readonly namespace: string;
  readonly clusterId: string;
  /**
   * True if names with the placeholder cluster id belong to the Service too. Never on a reused load balancer, where another cluster can own such
   * names.
   */
  readonly adoptsPlaceholderNames?: boolean;
}

/** The parts of a structured name. The controller recognizes listeners, server groups and backends of a Service by such names. */
export interface StructuredName {
  /** The Service port of a listener, the node port of ECS backends, or the target port of other backends. */
  readonly port: string;
  readonly service: string;
  readonly namespace: string;
  readonly clusterId: string;
}

/** The tag of owned load balancers, with the default name as value. Other Services must not reuse a load balancer with this tag. */
export const OWNER_TAG = 'kubernetes.do.not.delete';
/** The tag with the cluster's id. The load balancer of an API server has this tag without `OWNER_TAG`. */
export const CLUSTER_TAG = 'ack.aliyun.com';
/** The tag of load balancers that Services reuse. Neither this controller nor the Alibaba Cloud Controller Manager removes this tag. */
export const REUSED_TAG = 'kubernetes.reused.by.user';
/** Load balancers with this many or more tags get no reuse tag, as in the Alibaba Cloud Controller Manager, because tags have a quota. */
const TAGGED_BELOW = 10;

/** Returns whether a load balancer with these tags gets the reuse tag. */
export const isTaggedOnReuse = (keys: readonly string[]): boolean =>
  keys.length < TAGGED_BELOW && !keys.includes(REUSED_TAG);

/** The prefix of the cloud's own tags, which the controller never changes. */
export const SYSTEM_TAG_PREFIX = 'acs:';

const PREFIX = 'k8s';

const DEFAULT_NAME = /^a[0-9a-f]{31}$/;

/** Returns whether a name has the form of the default name of an owned load balancer. */
export const isDefaultName = (name: string): boolean => DEFAULT_NAME.test(name);

/** Returns the default name of an owned load balancer, which is also the value of `OWNER_TAG`. */
export const defaultLoadBalancerName = (uid: string): string => `a${uid.replaceAll('-', '')}`.slice(0, 32);

const structured = (owner: Owner, port: number | string): string =>
  [PREFIX, port, owner.name, owner.namespace, owner.clusterId].join('/');

/** Returns the description of a listener, given the Service port. */
export const listenerName = (owner: Owner, port: number): string => structured(owner, port);

/** Returns the name of a server group, which is also the description of its backends. */
export const serverGroupName = (owner: Owner, port: number | string): string => structured(owner, port);

/** Parses a structured name, `k8s/<port>/<service>/<namespace>/<cluster id>`; returns undefined for any other text. */
export function parseName(text: string): StructuredName | undefined {
  const [prefix, port, service, namespace, clusterId, ...rest] = text.split('/');
  if (prefix !== PREFIX || rest.length > 0 || port === undefined || service === undefined) return undefined;
  return namespace === undefined || clusterId === undefined ? undefined : { port, service, namespace, clusterId };
}

/** Returns whether a text is a structured name of this owner, with any port. */
export function isOwnName(owner: Owner, text: string): boolean {
  const name = parseName(text);
  if (name?.service !== owner.name || name.namespace !== owner.namespace) return false;
  return (
    name.clusterId === owner.clusterId || (owner.adoptsPlaceholderNames === true && name.clusterId === NO_CLUSTER_ID)
  );
}

/** Returns whether a text is a structured name of another Service or another cluster. */
export const isNameOfOtherService = (owner: Owner, text: string): boolean =>
  parseName(text) !== undefined && !isOwnName(owner, text);

/** Returns whether a text is a structured name of another namespace. Namespaces of other clusters count as other namespaces. */
export const isNameOfOtherNamespace = ({ namespace, clusterId }: Owner, text: string): boolean => {
  const name = parseName(text);
  return name !== undefined && (name.namespace !== namespace || name.clusterId !== clusterId);
};

/** Returns whether the tags prove that a load balancer was created for this Service. */
export const isOwnedBy = ({ uid }: Pick<Owner, 'uid'>, tags: Readonly<Record<string, string>>): boolean =>
  tags[OWNER_TAG] === defaultLoadBalancerName(uid);

/** Returns whether only the cluster tag marks a load balancer. Such a load balancer serves an API server, or lost its owner tag. */
export const hasClusterTagOnly = (
  { clusterId }: Pick<Owner, 'clusterId'>,
  tags: Readonly<Record<string, string>>,
): boolean => tags[CLUSTER_TAG] === clusterId && tags[OWNER_TAG] === undefined && tags[REUSED_TAG] === undefined;

/** Returns the tags of an owned load balancer at creation. */
export const ownerTags = (owner: Owner): Readonly<Record<string, string>> => ({
  [OWNER_TAG]: defaultLoadBalancerName(owner.uid),
  [CLUSTER_TAG]: owner.clusterId,
});

/** Returns whether a tag is reserved for the cloud or for controllers. Services can neither set nor remove a reserved tag. */
export const isReservedTag = (key: string): boolean =>
  key.startsWith(SYSTEM_TAG_PREFIX) || key === OWNER_TAG || key === CLUSTER_TAG || key === REUSED_TAG;
