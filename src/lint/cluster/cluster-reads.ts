import { CLASSIC_LOAD_BALANCERS, CLOUD_INVENTORIES } from '../../inventory/custom-resources.ts';
import { hasReason, PortcullisError } from '../../base/errors.ts';
import { openReader, type ClusterReader, type ReaderOptions } from '../../kubernetes/cluster-reader.ts';
import {
  NAMESPACES,
  NODES,
  objectKey,
  SERVICES,
  type KubernetesObject,
  type Resource,
} from '../../base/kubernetes-objects.ts';
import { LOAD_BALANCER_EXCEPTIONS, LOAD_BALANCER_POLICIES } from '../../policy/custom-resources.ts';
import { sideBySide } from '../../base/concurrent-tasks.ts';

/** The kind, namespace and name of an object. */
export interface ObjectName {
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
}

/** An object from the API server, with its kind. */
export type ClusterObject = KubernetesObject & { readonly kind: string };

/** The cluster with which `portcullis lint` and `portcullis policy` compare manifests. No method writes. */
export interface Cluster extends AsyncDisposable {
  /** The namespace of the kubeconfig context, for manifests without a namespace. */
  readonly namespace: string;
  /** Returns the named objects that exist in the cluster. */
  stored(names: readonly ObjectName[]): Promise<readonly ClusterObject[]>;
  /** Returns the inventory, and the Services that may hold ports of load balancers. */
  facts(): Promise<readonly ClusterObject[]>;
  /** Returns the policies and exceptions in force. Rejects with `NotFound` if the cluster does not have these kinds. */
  policies(): Promise<readonly ClusterObject[]>;
  /** Returns the objects that policies select and quotas count: all namespaces, and all Services with load balancers. */
  namespacesAndServices(): Promise<readonly ClusterObject[]>;
}

/** The maximum number of concurrent reads. */
const AT_A_TIME = 8;
const KINDS: Readonly<Record<string, Resource>> = { Service: SERVICES, Node: NODES };

/** A kind, with the selector of its objects. */
type Selection = readonly [Resource, Readonly<Record<string, string>>];

const WITH_LOAD_BALANCER: Selection = [SERVICES, { fieldSelector: 'spec.type=LoadBalancer' }];
/** The kinds of objects from which facts about the cloud are built. The webhook watches these kinds too. */
const FACTS: readonly Selection[] = [[CLASSIC_LOAD_BALANCERS, {}], [CLOUD_INVENTORIES, {}], WITH_LOAD_BALANCER];
const POLICIES: readonly Selection[] = [
  [LOAD_BALANCER_POLICIES, {}],
  [LOAD_BALANCER_EXCEPTIONS, {}],
];
const NAMESPACES_AND_SERVICES: readonly Selection[] = [[NAMESPACES, {}], WITH_LOAD_BALANCER];

/** Opens the cluster that `options` name, for flags with the value `cluster`. This function and the methods reject with a readable message. */
export async function openCluster(options: Omit<ReaderOptions, 'component'>): Promise<Cluster> {
  const reader = await openReader({ ...options, component: 'portcullis-lint' });
  const all = async (selections: readonly Selection[]): Promise<readonly ClusterObject[]> =>
    (await sideBySide(selections, selections.length, (what, signal) => list(reader, what, signal))).flat();
  return {
    namespace: reader.namespace,
    stored: async (names) => {
      const unique = new Map(names.map((each) => [`${each.kind} ${each.namespace}/${each.name}`, each]));
      const objects = await sideBySide([...unique.values()], AT_A_TIME, (each, signal) => find(reader, each, signal));
      return objects.flatMap((object) => object ?? []);
    },
    facts: () => all(FACTS),
    policies: () => all(POLICIES),
    namespacesAndServices: () => all(NAMESPACES_AND_SERVICES),
    [Symbol.asyncDispose]: () => reader[Symbol.asyncDispose](),
  };
}

async function find(reader: ClusterReader, { kind, namespace, name }: ObjectName, signal: AbortSignal) {
  const resource = KINDS[kind];
  const object = resource && (await reader.find(resource, objectKey(name, namespace), signal));
  return object && { ...object, kind };
}

async function list(reader: ClusterReader, [resource, selectors]: Selection, signal: AbortSignal) {
  try {
    const objects = await reader.list(resource, selectors, signal);
    // The items of a list have no kind.
    return objects.map((object) => ({ ...object, kind: resource.kind }));
  } catch (error) {
    if (!hasReason(error, 'NotFound')) throw error;
    throw new PortcullisError(
      'NotFound',
      `the cluster has no ${resource.plural}.${resource.group}: install Portcullis in the cluster, or use a file instead`,
      { cause: error },
    );
  }
}
