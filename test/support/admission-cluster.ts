import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { stringify } from 'yaml';
import {
  CLASSIC_LOAD_BALANCERS,
  type ClassicLoadBalancerStatus,
  type CloudInventoryStatus,
} from '../../src/inventory/resource.ts';
import { egressConfiguration, startEgressProxy, type Route } from '../../src/local/egress.ts';
import { kubeconfig as kubeconfigText } from '../../src/local/kubeconfig.ts';
import { hasReason, messageOf } from '../../src/base/errors.ts';
import { startControlPlane, type TestControlPlane, type TestControlPlaneOptions } from './control-plane.ts';
import { answered } from './eventually.ts';
import { aClbStatus, aCloudInventory } from './inventory.ts';
import { manifestsOf, type Manifest } from './manifests.ts';
import {
  mountedSecret,
  servingCertificate,
  type MountedSecret,
  type ServingCertificate,
} from './serving-certificate.ts';

const SERVICE_ACCOUNT = 'portcullis-system/portcullis-webhook';
/** Where the API server believes the webhook's pod to be. */
const POD = '192.0.2.11';
const POD_PORT = 9443;
/** Processes, and what only a cluster with nodes has. */
const LEFT_OUT = new Set([
  'Deployment',
  'PodDisruptionBudget',
  'MutatingWebhookConfiguration',
  'ValidatingWebhookConfiguration',
]);

/** A pod's address, and whether it takes requests. */
export interface Endpoint {
  readonly address: string;
  readonly ready: boolean;
}

/** What the API server asks before it calls a webhook; in a cluster, kubelets' probes decide what stands in it. */
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

/** How the configurations are put in force, where it differs from what is shipped. */
export interface Registration {
  readonly change?: (hook: Record<string, unknown>) => Record<string, unknown>;
  /** What `caBundle` trusts, PEM; the authority of the cluster's certificate unless given. */
  readonly authorities?: readonly string[];
}

/** A real API server that reaches a webhook as the manifests say, and has everything that the webhook needs. */
export interface AdmissionCluster extends AsyncDisposable {
  readonly plane: TestControlPlane;
  readonly certificate: ServingCertificate;
  readonly secret: MountedSecret;
  /** Flags by which a webhook process belongs here. */
  readonly flags: readonly string[];
  /** Sends the API server's connections to these ports in turn; none denies them all. */
  route(...ports: number[]): void;
  /** Has each connection go to the port that `dial` answers for an address of a pod, instead of what `route` said. */
  reach(dial: (address: string) => number | undefined): void;
  /** Says where pods are and which of them are ready; only those are called. */
  publish(endpoints: readonly Endpoint[]): Promise<void>;
  /** Puts the shipped configurations in force, with the authority that cert-manager would write into them; resolves once they are. */
  register(registration?: Registration): Promise<void>;
  /** A kubeconfig of an API server that nobody runs. */
  readonly unreachable: string;
  /** Applies them as an installation is: what an earlier version of them had and this one has not goes. */
  applyObjects(objects: readonly object[]): Promise<void>;
  /** Installs our kinds of custom resources; they are there from the start. */
  install(): Promise<void>;
  /** Mirrors a load balancer. */
  mirror(id: string, status?: Partial<ClassicLoadBalancerStatus>): Promise<void>;
  /** Says how old the mirror is. */
  inventory(status?: Partial<CloudInventoryStatus>): Promise<void>;
}

export async function startAdmissionCluster({
  apiServerArguments = [],
}: TestControlPlaneOptions = {}): Promise<AdmissionCluster> {
  await using resources = new AsyncDisposableStack();
  const folder = mkdtempSync(join(tmpdir(), 'portcullis-admission-'));
  resources.defer(() => rmSync(folder, { recursive: true, force: true }));
  const socket = join(folder, 'egress.sock');
  const egress = join(folder, 'egress.yaml');
  writeFileSync(egress, egressConfiguration(socket));
  const inTurn = portsInTurn();
  let dial = (address: string): number | undefined => (address === POD ? inTurn.next() : undefined);
  const towards: Route = async (target) => {
    const [address = '', port] = target.split(':');
    return Number(port) === POD_PORT ? dial(address) : undefined;
  };
  resources.use(await startEgressProxy(socket, towards));
  const plane = resources.use(
    await startControlPlane({
      apiServerArguments: [`--egress-selector-config-file=${egress}`, ...apiServerArguments],
    }),
  );
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
    route: (...ports) => inTurn.use(ports),
    reach: (next) => {
      dial = next;
    },
    publish: async (endpoints) => {
      await plane.client.apply(ENDPOINT_SLICE, endpointSlice(endpoints));
    },
    register: registrar(plane, certificate.authority.certificate),
    mirror: (id, status) => withStatus(plane, 'ClassicLoadBalancer', id, aClbStatus(status)),
    inventory: (status) =>
      withStatus(plane, 'CloudInventory', 'default', {
        ...aCloudInventory(status).status,
        observedAt: new Date().toISOString(),
      }),
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}

function portsInTurn() {
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

const CONFIG_MAPS = '/api/v1/namespaces/default/configmaps?dryRun=All';

/**
 * A hook at the end of a configuration that nobody answers, and that is called for one ConfigMap alone: as soon as it is, so are the
 * hooks before it.
 */
const canary = (name: string, configMap: string): object => ({
  name,
  admissionReviewVersions: ['v1'],
  clientConfig: { url: 'https://127.0.0.1:1/' },
  rules: [{ operations: ['CREATE'], apiGroups: [''], apiVersions: ['v1'], resources: ['configmaps'] }],
  matchConditions: [
    { name: 'asked-for', expression: `has(object.metadata.name) && object.metadata.name == '${configMap}'` },
  ],
  failurePolicy: 'Fail',
  sideEffects: 'None',
  timeoutSeconds: 1,
});

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
      return { configMap, name, configuration: { ...configuration, webhooks: [...hooks, canary(name, configMap)] } };
    });
    await applyAll(
      plane,
      marked.map(({ configuration }) => configuration),
    );
    for (const { configMap, name } of marked) {
      await answered(async () => (await isCalled(plane, configMap, name)) || undefined, `${name} is in force`);
    }
  };
}

async function isCalled({ client }: TestControlPlane, configMap: string, hook: string): Promise<boolean> {
  try {
    await client.create(CONFIG_MAPS, { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: configMap } });
    return false;
  } catch (error) {
    if (!hasReason(error, 'Rejected')) throw error;
    return messageOf(error).includes(hook);
  }
}

async function applyAll(plane: TestControlPlane, objects: readonly object[]): Promise<void> {
  const text = objects.map((object) => stringify(object)).join('---\n');
  const { code, stderr } = await plane.kubectlWith(text, 'apply', '--server-side', '--force-conflicts', '-f', '-');
  if (code !== 0) throw new Error(stderr);
}

async function withStatus(plane: TestControlPlane, kind: string, name: string, status: object): Promise<void> {
  const object = { apiVersion: 'portcullis.io/v1alpha1', kind, metadata: { name }, status };
  await applyAll(plane, [object]);
  if (kind === CLASSIC_LOAD_BALANCERS.kind) return;
  const patch = JSON.stringify({ status });
  await plane.kubectl('patch', kind.toLowerCase(), name, '--subresource=status', '--type=merge', '-p', patch);
}
