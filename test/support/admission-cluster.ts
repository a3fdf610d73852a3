import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { stringify } from 'yaml';
import type { ClassicLoadBalancerStatus, CloudInventoryStatus } from '../../src/inventory/resource.ts';
import { egressConfiguration, startEgressProxy } from '../../src/local/egress.ts';
import { startControlPlane, type TestControlPlane } from './control-plane.ts';
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
const POD = { address: '192.0.2.11', port: 9443 };
/** Processes, and what only a cluster with nodes has. */
const LEFT_OUT = new Set([
  'Deployment',
  'PodDisruptionBudget',
  'MutatingWebhookConfiguration',
  'ValidatingWebhookConfiguration',
]);

/** The API server asks for one before it calls a webhook; a kubelet's probes would make it. Where it leads is the proxy's business. */
const ENDPOINT = {
  apiVersion: 'discovery.k8s.io/v1',
  kind: 'EndpointSlice',
  metadata: {
    name: 'portcullis-webhook',
    namespace: 'portcullis-system',
    labels: { 'kubernetes.io/service-name': 'portcullis-webhook' },
  },
  addressType: 'IPv4',
  ports: [{ name: 'https', port: POD.port, protocol: 'TCP' }],
  endpoints: [{ addresses: [POD.address], conditions: { ready: true } }],
};

/** A real API server that reaches a webhook as the manifests say, and has everything that the webhook needs. */
export interface AdmissionCluster extends AsyncDisposable {
  readonly plane: TestControlPlane;
  readonly certificate: ServingCertificate;
  readonly secret: MountedSecret;
  /** Flags by which a webhook process belongs here. */
  readonly flags: readonly string[];
  /** Sends the API server's connections to these ports in turn; none refuses them all. */
  route(...ports: number[]): void;
  /** Puts the shipped configurations in force, with the authority that cert-manager would write into them. */
  register(change?: (hook: Record<string, unknown>) => Record<string, unknown>): Promise<void>;
  /** Mirrors a load balancer. */
  mirror(id: string, status?: Partial<ClassicLoadBalancerStatus>): Promise<void>;
  /** Says how old the mirror is. */
  inventory(status?: Partial<CloudInventoryStatus>): Promise<void>;
}

export async function startAdmissionCluster(): Promise<AdmissionCluster> {
  await using resources = new AsyncDisposableStack();
  const folder = mkdtempSync(join(tmpdir(), 'portcullis-admission-'));
  resources.defer(() => rmSync(folder, { recursive: true, force: true }));
  const socket = join(folder, 'egress.sock');
  const egress = join(folder, 'egress.yaml');
  writeFileSync(egress, egressConfiguration(socket));
  let ports: readonly number[] = [];
  let turn = 0;
  resources.use(
    await startEgressProxy(socket, async (target) => {
      turn += 1;
      return target === `${POD.address}:${POD.port}` ? ports[turn % ports.length] : undefined;
    }),
  );
  const plane = resources.use(
    await startControlPlane({ apiServerArguments: [`--egress-selector-config-file=${egress}`] }),
  );
  const certificate = await servingCertificate();
  const secret = resources.use(mountedSecret(certificate));
  await applyAll(plane, [
    ...shipped('manifests/namespace/*.yaml'),
    ...shipped('manifests/crds/*.yaml'),
    ...shipped('manifests/webhook/*.yaml').filter(({ kind }) => !LEFT_OUT.has(kind)),
  ]);
  await applyAll(plane, [ENDPOINT]);
  await plane.kubectl('wait', '--for=condition=Established', '--timeout=30s', 'crd', '--all');
  const kubeconfig = await plane.kubeconfigFor(SERVICE_ACCOUNT);
  const owned = resources.move();
  return {
    plane,
    certificate,
    secret,
    flags: [
      `--kubeconfig=${kubeconfig}`,
      `--tls-cert-file=${secret.certFile}`,
      `--tls-private-key-file=${secret.keyFile}`,
    ],
    route: (...now) => {
      ports = now;
    },
    register: async (change = (hook) => hook) => {
      const configurations = shipped('manifests/webhook/*-webhook-configuration.yaml');
      const caBundle = Buffer.from(certificate.authority.certificate).toString('base64');
      await applyAll(
        plane,
        configurations.map((configuration) => registered(configuration, caBundle, change)),
      );
    },
    mirror: (id, status) => withStatus(plane, 'ClassicLoadBalancer', id, aClbStatus(status)),
    inventory: (status) =>
      withStatus(plane, 'CloudInventory', 'default', {
        ...aCloudInventory(status).status,
        observedAt: new Date().toISOString(),
      }),
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}

const shipped = (pattern: string): readonly Manifest[] =>
  manifestsOf(pattern).map(({ file: _file, ...manifest }) => manifest);

interface Hook extends Record<string, unknown> {
  readonly clientConfig: object;
}

function registered(
  configuration: Manifest,
  caBundle: string,
  change: (hook: Hook) => Record<string, unknown>,
): Manifest {
  const hooks = configuration['webhooks'] as readonly Hook[];
  return {
    ...configuration,
    webhooks: hooks.map((hook) => change({ ...hook, clientConfig: { ...hook.clientConfig, caBundle } })),
  };
}

async function applyAll(plane: TestControlPlane, objects: readonly object[]): Promise<void> {
  const text = objects.map((object) => stringify(object)).join('---\n');
  const { code, stderr } = await plane.kubectlWith(text, 'apply', '--server-side', '--force-conflicts', '-f', '-');
  if (code !== 0) throw new Error(stderr);
}

async function withStatus(plane: TestControlPlane, kind: string, name: string, status: object): Promise<void> {
  const object = { apiVersion: 'portcullis.io/v1alpha1', kind, metadata: { name } };
  await applyAll(plane, [object]);
  const patch = JSON.stringify({ status });
  await plane.kubectl('patch', kind.toLowerCase(), name, '--subresource=status', '--type=merge', '-p', patch);
}

/** Asks again until the answer is good: for what the API server takes up in its own time, such as a new configuration. */
export async function eventually<Value>(
  ask: () => Promise<Value | undefined>,
  what: string,
  ms = 20_000,
): Promise<Value> {
  const end = Date.now() + ms;
  for (;;) {
    const answer = await ask();
    if (answer !== undefined) return answer;
    if (Date.now() > end) throw new Error(`${what}: not within ${ms / 1000} s`);
    await delay(100);
  }
}
