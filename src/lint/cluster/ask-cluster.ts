import { CLASSIC_LOAD_BALANCERS, CLOUD_INVENTORIES } from '../../inventory/resource.ts';
import { hasReason, PortcullisError } from '../../errors.ts';
import { openReader, type Reader, type ReaderOptions } from '../../kubernetes/reader.ts';
import { NODES, objectKey, SERVICES, type KubernetesObject, type Resource } from '../../objects.ts';
import { sideBySide } from './side-by-side.ts';

/** Which object is meant. */
export interface ObjectName {
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
}

/** An object as the API server has it, with its kind. */
export type ClusterObject = KubernetesObject & { readonly kind: string };

/** A cluster that manifests are compared with. Nothing is written to it. */
export interface Cluster extends AsyncDisposable {
  /** Of objects that name none. */
  readonly namespace: string;
  /** Of these objects, those that are stored. */
  stored(names: readonly ObjectName[]): Promise<readonly ClusterObject[]>;
  /** The mirror of the cloud, and the Services that may hold ports of load balancers. */
  facts(): Promise<readonly ClusterObject[]>;
}

const AT_A_TIME = 8;
const KINDS: Readonly<Record<string, Resource>> = { Service: SERVICES, Node: NODES };

/** What is asked for facts, as the webhook follows it. */
const FACTS: readonly (readonly [Resource, Readonly<Record<string, string>>])[] = [
  [CLASSIC_LOAD_BALANCERS, {}],
  [CLOUD_INVENTORIES, {}],
  [SERVICES, { fieldSelector: 'spec.type=LoadBalancer' }],
];

/** Opens the cluster that `options` name. Rejects with a sentence, as do its methods. */
export async function askCluster(options: Omit<ReaderOptions, 'component'>): Promise<Cluster> {
  const reader = await openReader({ ...options, component: 'portcullis-lint' });
  return {
    namespace: reader.namespace,
    stored: async (names) => {
      const unique = new Map(names.map((each) => [`${each.kind} ${each.namespace}/${each.name}`, each]));
      const objects = await sideBySide([...unique.values()], AT_A_TIME, (each, signal) => find(reader, each, signal));
      return objects.flatMap((object) => object ?? []);
    },
    facts: async () => (await sideBySide(FACTS, FACTS.length, (what, signal) => list(reader, what, signal))).flat(),
    [Symbol.asyncDispose]: () => reader[Symbol.asyncDispose](),
  };
}

async function find(reader: Reader, { kind, namespace, name }: ObjectName, signal: AbortSignal) {
  const resource = KINDS[kind];
  const object = resource && (await reader.find(resource, objectKey(name, namespace), signal));
  return object && { ...object, kind };
}

async function list(reader: Reader, [resource, selectors]: (typeof FACTS)[number], signal: AbortSignal) {
  try {
    const objects = await reader.list(resource, selectors, signal);
    // The items of a list do not say what they are.
    return objects.map((object) => ({ ...object, kind: resource.kind }));
  } catch (error) {
    if (!hasReason(error, 'NotFound')) throw error;
    throw new PortcullisError(
      'NotFound',
      `it has no ${resource.plural}.${resource.group}: install Portcullis there, or give --facts a file`,
      { cause: error },
    );
  }
}
