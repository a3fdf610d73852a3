import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { stringify } from 'yaml';
import type { Resource } from '../../src/base/kubernetes-objects.ts';
import {
  CLASSIC_LOAD_BALANCERS,
  CLOUD_INVENTORIES,
  type ClassicLoadBalancerStatus,
  type CloudInventoryStatus,
} from '../../src/inventory/custom-resources.ts';
import { kubeconfig as kubeconfigText } from '../../src/local/kubeconfig.ts';
import { borrowControlPlane } from './borrowed-control-plane.ts';
import { canaryHook, untilRejected } from './canary.ts';
import { startControlPlane, type TestControlPlane, type TestControlPlaneOptions } from './control-plane.ts';
import { aClbStatus, aCloudInventory } from './inventory.ts';
import { manifestsOf, type Manifest } from './manifests.ts';
import {
  mountedSecret,
  servingCertificate,
  type MountedSecret,
  type ServingCertificate,
} from './serving-certificate.ts';

const SERVICE_ACCOUNT = 'portcullis-system/portcullis-webhook';
/** The address of the webhook's pod in the EndpointSlice. */
const POD = '192.0.2.11';
const POD_PORT = 9443;
/** The kinds that the cluster omits: they start processes or need Nodes, or `register` applies them. */
const LEFT_OUT = new Set([
  'Deployment',
  'PodDisruptionBudget',
  'MutatingWebhookConfiguration',
  'ValidatingWebhookConfiguration',
]);

/** The address of a pod, and whether the pod accepts requests. */
export interface Endpoint {
  readonly address: string;
  readonly ready: boolean;
}

/** Returns the EndpointSlice with the webhook's addresses. In a real cluster, the probes of the kubelets determine the ready addresses. */
const endpointSlice = (endpoints: readonly Endpoint[]) => ({
  apiVersion: 'discovery.k8s.io/v1',
  kind: 'EndpointSlice',
  metadata: {
    name: 'portcullis-webhook',
    namespace: 'portcullis-system',
    labels: { 'kubernetes.io/service-name': 'portcullis-webhook' },
  },
  addressType: 'IPv4',
  ports: [{ name: 'https', port: POD_PORT, protocol: 'TCP' }],
  endpoints: endpoints.map(({ address, ready }) => ({ addresses: [address], conditions: { ready } })),
});
const ENDPOINT_SLICE = '/apis/discovery.k8s.io/v1/namespaces/portcullis-system/endpointslices/portcullis-webhook';

/** Differences between the registered webhook configurations and the shipped ones. */
export interface Registration {
  readonly change?: (hook: Record<string, unknown>) => Record<string, unknown>;
  /** The authorities in `caBundle`, PEM. Defaults to the authority of the cluster's certificate. */
  readonly authorities?: readonly string[];
}

/** A real API server that calls a webhook as the manifests configure, for tests and benchmarks of the webhook. `route` names the webhook. */
export interface AdmissionCluster extends AsyncDisposable {
  readonly plane: TestControlPlane;
  readonly certificate: ServingCertificate;
  readonly secret: MountedSecret;
  /** The flags that connect a webhook process to this cluster. */
  readonly flags: readonly string[];
  /** Sends the API server's connections to these ports in rotation. An empty list rejects every connection. */
  route(...ports: number[]): void;
  /** Sends each connection to the port that `dial` returns for the address of a pod. Replaces `route`. */
  reach(dial: (address: string) => number | undefined): void;
  /** Publishes the addresses of pods and their readiness. The API server calls only ready pods. */
  publish(endpoints: readonly Endpoint[]): Promise<void>;
  /** Registers the shipped configurations with the authority that cert-manager would add. Resolves once they are active. */
  register(registration?: Registration): Promise<void>;
  /** A kubeconfig of an address at which no API server runs. */
  readonly unreachable: string;
  /** Applies the objects of an installation. Fields of an earlier version that this version lacks are removed. */
  applyObjects(objects: readonly object[]): Promise<void>;
  /** Installs the project's definitions of custom resources. They are installed at the start too. */
  install(): Promise<void>;
  /** Stores a load balancer in the inventory. */
  publishInventory(id: string, status?: Partial<ClassicLoadBalancerStatus>): Promise<void>;
  /** Sets the status of the inventory, for example its age. */
  inventory(status?: Partial<CloudInventoryStatus>): Promise<void>;
}

export async function startAdmissionCluster({
  apiServerArguments = [],
}: TestControlPlaneOptions = {}): Promise<AdmissionCluster> {
  await using resources = new AsyncDisposableStack();
  const folder = mkdtempSync(join(tmpdir(), 'portcullis-admission-'));
  resources.defer(() => rmSync(folder, { recursive: true, force: true }));
  const nextPort = portSequence();
  let dial = (address: string): number | undefined => (address === POD ? nextPort.next() : undefined);
  const plane = resources.use(
    apiServerArguments.length === 0 ? await borrowControlPlane() : await startControlPlane({ apiServerArguments }),
  );
  plane.reach(async (target) => {
    const [address = '', port] = target.split(':');
    return Number(port) === POD_PORT ? dial(address) : undefined;
  });
  const certificate = await servingCertificate();
  const secret = resources.use(mountedSecret(certificate));
  await applyAll(plane, [
    ...shipped('manifests/namespace/*.yaml'),
    ...shipped('manifests/webhook/*.yaml').filter(({ kind }) => !LEFT_OUT.has(kind)),
  ]);
  await applyAll(plane, [endpointSlice([{ address: POD, ready: true }])]);
  const install = async (): Promise<void> => {
    await applyAll(plane, shipped('manifests/crds/*.yaml'));
    await plane.kubectl('wait', '--for=condition=Established', '--timeout=30s', 'crd', '--all');
  };
  await install();
  const unreachable = join(folder, 'unreachable.kubeconfig');
  const nowhere = { server: 'https://127.0.0.1:1', certificateAuthority: plane.certificateAuthority };
  writeFileSync(unreachable, kubeconfigText(nowhere, 'nobody', { token: 'none' }));
  const kubeconfig = await plane.kubeconfigFor(SERVICE_ACCOUNT);
  const owned = resources.move();
  return {
    plane,
    certificate,
    secret,
    applyObjects: (objects) => applyAll(plane, objects),
    install,
    unreachable,
    flags: [
      `--kubeconfig=${kubeconfig}`,
      `--tls-cert-file=${secret.certFile}`,
      `--tls-private-key-file=${secret.keyFile}`,
    ],
    route: (...ports) => nextPort.use(ports),
    reach: (next) => {
      dial = next;
    },
    publish: async (endpoints) => {
      await plane.client.apply(ENDPOINT_SLICE, endpointSlice(endpoints));
    },
    register: registrar(plane, certificate.authority.certificate),
    publishInventory: (id, status) => withStatus(plane, CLASSIC_LOAD_BALANCERS, id, aClbStatus(status)),
    inventory: (status) =>
      withStatus(plane, CLOUD_INVENTORIES, 'default', {
        ...aCloudInventory(status).status,
        observedAt: new Date().toISOString(),
      }),
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}

function portSequence() {
  let ports: readonly number[] = [];
  let turn = 0;
  return {
    use: (next: readonly number[]): void => {
      ports = next;
    },
    next: (): number | undefined => {
      turn += 1;
      return ports[turn % ports.length];
    },
  };
}

const shipped = (pattern: string): readonly Manifest[] =>
  manifestsOf(pattern).map(({ file: _file, ...manifest }) => manifest);

interface Hook extends Record<string, unknown> {
  readonly clientConfig: object;
}

function registrar(plane: TestControlPlane, ownAuthority: string): AdmissionCluster['register'] {
  let generation = 0;
  return async ({ change = (hook: Record<string, unknown>) => hook, authorities = [ownAuthority] } = {}) => {
    generation += 1;
    const caBundle = Buffer.from(authorities.join('\n')).toString('base64');
    const marked = shipped('manifests/webhook/*-webhook-configuration.yaml').map((configuration) => {
      const configMap = `in-force-${configuration.kind.toLowerCase()}`;
      const name = `${configMap}-${generation}.portcullis.io`;
      const hooks = (configuration['webhooks'] as readonly Hook[]).map((hook) =>
        change({ ...hook, clientConfig: { ...hook.clientConfig, caBundle } }),
      );
      return {
        configMap,
        name,
        configuration: { ...configuration, webhooks: [...hooks, canaryHook(name, configMap)] },
      };
    });
    await applyAll(
      plane,
      marked.map(({ configuration }) => configuration),
    );
    for (const { configMap, name } of marked) {
      await untilRejected(plane, configMap, name);
    }
  };
}

async function applyAll(plane: TestControlPlane, objects: readonly object[]): Promise<void> {
  const text = objects.map((object) => stringify(object)).join('---\n');
  const { code, stderr } = await plane.kubectlWith(text, 'apply', '--server-side', '--force-conflicts', '-f', '-');
  if (code !== 0) throw new Error(stderr);
}

/** Stores an object with a status. The second request sets the status of a kind with the subresource `status`, which the first request ignores. */
async function withStatus(
  { client }: TestControlPlane,
  { kind, plural }: Resource,
  name: string,
  status: object,
): Promise<void> {
  const object = { apiVersion: 'portcullis.io/v1alpha1', kind, metadata: { name } };
  const path = `/apis/portcullis.io/v1alpha1/${plural}/${name}`;
  await client.apply(path, { ...object, status });
  if (kind !== CLASSIC_LOAD_BALANCERS.kind) await client.apply(`${path}/status`, { ...object, status });
}
