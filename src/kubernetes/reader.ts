import { join } from 'node:path';
import { Registry } from 'prom-client';
import type { Clock } from '../base/clock.ts';
import { hasReason } from '../base/errors.ts';
import type { KubernetesObject, ObjectKey, Resource } from '../base/objects.ts';
import { VERSION } from '../version.ts';
import { chosenContext, type ContextFlags } from './chosen-context.ts';
import { pluginConnection } from './client-node.ts';
import { inClusterConnection, readConfigured, SERVICE_ACCOUNT_FOLDER, type Connection } from './connection.ts';
import { kubeconfigConnection } from './kubeconfig.ts';
import { listPages } from './list-watch.ts';
import { transportMetrics } from './metrics.ts';
import { collectionPath, objectPath } from './path.ts';
import { Transport, type Requests } from './transport.ts';

/** How a command of ours reads from a cluster. */
export interface ReaderOptions extends ContextFlags {
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly clock: Clock;
  /** `portcullis-…`; the API server's audit log shows it. */
  readonly component: string;
  /** Where a pod's service account is mounted, if not where kubelets put it. */
  readonly serviceAccountFolder?: string;
}

/** A cluster to read from on somebody's behalf. Whatever fails rejects with a sentence of a `PortcullisError`. */
export interface Reader extends AsyncDisposable {
  /** Of objects that name none. */
  readonly namespace: string;
  /** Absent when there is no such object. */
  find<Kind extends KubernetesObject>(
    resource: Resource<Kind>,
    key: ObjectKey,
    signal: AbortSignal,
  ): Promise<Kind | undefined>;
  /** All of a kind; `fieldSelector` may choose. */
  list<Kind extends KubernetesObject>(
    resource: Resource<Kind>,
    selectors: Readonly<Record<string, string>>,
    signal: AbortSignal,
  ): Promise<readonly Kind[]>;
}

/** The API server's own fairness limits people. */
const UNLIMITED = { perSecond: Infinity, burst: Infinity };

interface Way {
  readonly connection: Connection;
  readonly namespace: string;
}

/** As kubectl chooses: a kubeconfig file, or inside a pod without one, the pod's service account. */
async function wayTo(options: ReaderOptions): Promise<Way> {
  const { clock, environment, serviceAccountFolder = SERVICE_ACCOUNT_FOLDER } = options;
  const chosen = await chosenContext(options, environment);
  if (chosen !== undefined) {
    const connection = await kubeconfigConnection({ ...chosen, clock, plugins: pluginConnection });
    return { connection, namespace: chosen.namespace };
  }
  const connection = await inClusterConnection(environment, clock, serviceAccountFolder);
  const namespace = await readConfigured(join(serviceAccountFolder, 'namespace'), 'the namespace of the pod');
  return { connection, namespace: namespace.trim() };
}

/** Opens the cluster that the options lead to. Opens no connection yet. */
export async function openReader(options: ReaderOptions): Promise<Reader> {
  const { clock, component } = options;
  const { connection, namespace } = await wayTo(options);
  const transport = new Transport({
    connection,
    clock,
    userAgent: `${component}/${VERSION}`,
    rate: UNLIMITED,
    metrics: transportMetrics(new Registry()),
  });
  return {
    namespace,
    find: (resource, key, signal) => found(transport, objectPath(resource, key), signal),
    list: async <Kind extends KubernetesObject>(
      resource: Resource<Kind>,
      selectors: Readonly<Record<string, string>>,
      signal: AbortSignal,
    ) => {
      const objects: Kind[] = [];
      const scope = { path: collectionPath(resource), selectors, trim: (object: Kind) => object };
      await listPages<Kind>(transport, scope, (object) => objects.push(object), signal);
      return objects;
    },
    [Symbol.asyncDispose]: () => transport[Symbol.asyncDispose](),
  };
}

async function found<Kind>(transport: Requests, path: string, signal: AbortSignal): Promise<Kind | undefined> {
  try {
    return await transport.json<Kind>({ method: 'GET', path }, signal);
  } catch (error) {
    if (hasReason(error, 'NotFound')) return undefined;
    throw error;
  }
}
