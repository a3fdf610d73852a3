import { join } from 'node:path';
import { Registry } from 'prom-client';
import type { Clock } from '../base/clock.ts';
import { hasReason } from '../base/errors.ts';
import type { KubernetesObject, ObjectKey, Resource } from '../base/kubernetes-objects.ts';
import { VERSION } from '../version.ts';
import { chosenContext, type ContextFlags } from './chosen-context.ts';
import { pluginConnection } from './credential-plugin.ts';
import { inClusterConnection, readConfigured, SERVICE_ACCOUNT_FOLDER, type Connection } from './connection.ts';
import { kubeconfigConnection } from './kubeconfig.ts';
import { listPages } from './list-watch-requests.ts';
import { transportMetrics } from './metrics.ts';
import { collectionPath, objectPath } from './api-paths.ts';
import { Transport, type Requests } from './transport.ts';

/** The options of a command that reads from a cluster. */
export interface ReaderOptions extends ContextFlags {
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly clock: Clock;
  /** The component in the user agent, such as `portcullis-plan`. Audit logs of the API server show the user agent. */
  readonly component: string;
  /** The folder with the service account. Default: the folder that the kubelet mounts. */
  readonly serviceAccountFolder?: string;
}

/** Access of a command, such as `portcullis plan`, to a cluster. Changes nothing. Failures reject with a `PortcullisError`. */
export interface ClusterReader extends AsyncDisposable {
  /** The namespace of the chosen context or of the pod. */
  readonly namespace: string;
  /** Reads an object. Returns undefined if the object does not exist. */
  find<Kind extends KubernetesObject>(
    resource: Resource<Kind>,
    key: ObjectKey,
    signal: AbortSignal,
  ): Promise<Kind | undefined>;
  /** Lists the objects of a kind that match the selectors, in one namespace or in all namespaces. */
  list<Kind extends KubernetesObject>(
    resource: Resource<Kind>,
    selectors: Readonly<Record<string, string>>,
    signal: AbortSignal,
    namespace?: string,
  ): Promise<readonly Kind[]>;
  /** Returns the version of the API server, such as `v1.36.0`. */
  serverVersion(signal: AbortSignal): Promise<string>;
  /** Sends a creation with `dryRun`: the API server admits or denies the object, but does not store it. Returns the warnings. */
  dryRunCreate(resource: Resource, object: NewObject, signal: AbortSignal): Promise<readonly string[]>;
}

/** An object to create. */
export interface NewObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: {
    readonly name: string;
    readonly namespace?: string;
    readonly annotations?: Readonly<Record<string, string>>;
  };
  readonly spec: object;
}

/** The rate limit of commands: none, because the API server itself limits its clients. */
const UNLIMITED = { perSecond: Infinity, burst: Infinity };

interface ChosenConnection {
  readonly connection: Connection;
  readonly namespace: string;
}

/** Selects the connection as kubectl does: from a kubeconfig file or, without a file, from the service account of the pod. */
async function chooseConnection(options: ReaderOptions): Promise<ChosenConnection> {
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

/** Returns a reader of the selected cluster, at the start of a command. The first call opens the connection. */
export async function openReader(options: ReaderOptions): Promise<ClusterReader> {
  const { clock, component } = options;
  const { connection, namespace } = await chooseConnection(options);
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
      namespace?: string,
    ) => {
      const objects: Kind[] = [];
      const scope = { path: collectionPath(resource, namespace), selectors, trim: (object: Kind) => object };
      await listPages<Kind>(transport, scope, (object) => objects.push(object), signal);
      return objects;
    },
    serverVersion: async (signal) =>
      (await transport.json<{ readonly gitVersion: string }>({ method: 'GET', path: '/version' }, signal)).gitVersion,
    dryRunCreate: (resource, object, signal) => dryRunCreated(transport, resource, object, signal),
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

async function dryRunCreated(
  transport: Requests,
  resource: Resource,
  object: NewObject,
  signal: AbortSignal,
): Promise<readonly string[]> {
  const warnings: string[] = [];
  const path = collectionPath(resource, object.metadata.namespace);
  const onWarning = (text: string): void => void warnings.push(text);
  await transport.json({ method: 'POST', path, query: { dryRun: 'All' }, body: object, onWarning }, signal);
  return warnings;
}
