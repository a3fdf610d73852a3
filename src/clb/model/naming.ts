import { NO_CLUSTER_ID } from '../../base/cluster-id.ts';

/** Whose things they are: a Service of a cluster. */
export interface Owner {
  readonly uid: string;
  readonly name: string;
  readonly namespace: string;
  readonly clusterId: string;
  /** Whether what was made for the Service while the cluster had no id is its own too: on no load balancer but its own. */
  readonly adoptsNameless?: boolean;
}

/** What the names of listeners, groups and backends say. */
export interface StructuredName {
  /** A Service port, node port or target port. */
  readonly port: string;
  readonly service: string;
  readonly namespace: string;
  readonly clusterId: string;
}

/** The instance's owner: the default name of the load balancer of a Service. Whoever carries it is not to be reused. */
export const OWNER_TAG = 'kubernetes.do.not.delete';
/** The cluster's id; alone, without `OWNER_TAG`, it marks the API server's load balancer. */
export const CLUSTER_TAG = 'ack.aliyun.com';
/** On load balancers that Services reuse; never removed, as by the existing controller. */
export const REUSED_TAG = 'kubernetes.reused.by.user';
/** From this many tags on, the mark of reuse is left out, as by the existing controller: it is for people to know, and may not use up their room. */
const TAGGED_BELOW = 10;

/** Whether a load balancer with these tags is given the mark of reuse. */
export const isTaggedOnReuse = (keys: readonly string[]): boolean =>
  keys.length < TAGGED_BELOW && !keys.includes(REUSED_TAG);

/** Tags of the cloud itself; never touched. */
export const SYSTEM_TAG_PREFIX = 'acs:';

const PREFIX = 'k8s';

const DEFAULT_NAME = /^a[0-9a-f]{31}$/;

/** Whether this may be the default name of the own load balancer of some Service. */
export const isDefaultName = (name: string): boolean => DEFAULT_NAME.test(name);

/** The name of a Service's own load balancer where the Service gives none; also the value of `OWNER_TAG`. */
export const defaultLoadBalancerName = (uid: string): string => `a${uid.replaceAll('-', '')}`.slice(0, 32);

const structured = (owner: Owner, port: number | string): string =>
  [PREFIX, port, owner.name, owner.namespace, owner.clusterId].join('/');

/** A listener's description, by Service port. */
export const listenerName = (owner: Owner, port: number): string => structured(owner, port);

/** A server group's name, and the description of its backends: by node port for ECS backends, else by target port. */
export const serverGroupName = (owner: Owner, port: number | string): string => structured(owner, port);

/** Reads a name of the scheme `k8s/<port>/<service>/<namespace>/<cluster id>`; absent for any other text. */
export function parseName(text: string): StructuredName | undefined {
  const [prefix, port, service, namespace, clusterId, ...rest] = text.split('/');
  if (prefix !== PREFIX || rest.length > 0 || port === undefined || service === undefined) return undefined;
  return namespace === undefined || clusterId === undefined ? undefined : { port, service, namespace, clusterId };
}

/** Whether a name of the scheme names this owner; the port is not looked at. */
export function isOwnName(owner: Owner, text: string): boolean {
  const name = parseName(text);
  if (name?.service !== owner.name || name.namespace !== owner.namespace) return false;
  return name.clusterId === owner.clusterId || (owner.adoptsNameless === true && name.clusterId === NO_CLUSTER_ID);
}

/** Whether a name of the scheme names somebody else: another Service, or another cluster. */
export const isNameOfOtherService = (owner: Owner, text: string): boolean =>
  parseName(text) !== undefined && !isOwnName(owner, text);

/** Returns whether a name of the scheme belongs to another namespace. Namespaces of other clusters are other namespaces. */
export const isNameOfOtherNamespace = ({ namespace, clusterId }: Owner, text: string): boolean => {
  const name = parseName(text);
  return name !== undefined && (name.namespace !== namespace || name.clusterId !== clusterId);
};

/** Whether the tags say that a load balancer was made for this very Service. */
export const isOwnedBy = ({ uid }: Pick<Owner, 'uid'>, tags: Readonly<Record<string, string>>): boolean =>
  tags[OWNER_TAG] === defaultLoadBalancerName(uid);

/** Returns whether tags name the cluster only: those of an API server's load balancer, or of a Service's own that lost its owner tag. */
export const hasClusterTagOnly = (
  { clusterId }: Pick<Owner, 'clusterId'>,
  tags: Readonly<Record<string, string>>,
): boolean => tags[CLUSTER_TAG] === clusterId && tags[OWNER_TAG] === undefined && tags[REUSED_TAG] === undefined;

/** The tags that a load balancer of ours is born with. */
export const ownerTags = (owner: Owner): Readonly<Record<string, string>> => ({
  [OWNER_TAG]: defaultLoadBalancerName(owner.uid),
  [CLUSTER_TAG]: owner.clusterId,
});

/** Whether a tag is the cloud's or one of the controllers' own, and so never a user's to set or remove. */
export const isReservedTag = (key: string): boolean =>
  key.startsWith(SYSTEM_TAG_PREFIX) || key === OWNER_TAG || key === CLUSTER_TAG || key === REUSED_TAG;
