import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { PortcullisError } from '../../../src/base/errors.ts';
import { CLOUD, MACHINES } from '../../../src/local/seed.ts';
import type { Sandbox } from '../../../src/local/sandbox-handle.ts';
import { binFolder } from '../../../src/local/sandbox-files.ts';
import type { EndpointSlice, Service } from '../../../src/base/kubernetes-objects.ts';
import { kubectlOf, type Kubectl } from '../kubectl.ts';
import { interfacesOf } from '../pods.ts';
import { ExistingController, marksOf, serviceOf, sliceOf } from './existing-controller.ts';
import { preparedFile, type Prepared } from './recorded-writes.ts';
import { sandboxCloud, type SandboxCloud } from './sandbox-cloud.ts';
import { NAMESPACE, SANDBOX_KINDS, type SandboxKind } from './sandbox-kinds.ts';

/** An account that admission does not check: the synced Services existed before the webhook. */
const UNCHECKED = ['--as=system:serviceaccount:portcullis-system:portcullis-controller', '--as-group=system:masters'];
const TITLE = 'example.com/kind';
const ROUTED = {
  status: {
    conditions: [
      {
        ...{ type: 'NetworkUnavailable', status: 'False', reason: 'RouteCreated' },
        message: 'RouteController created a route',
      },
    ],
  },
};
const ZONE = 'failure-domain.beta.kubernetes.io/zone';
/** The labels that the Alibaba Cloud Controller Manager (the existing controller) adds to Nodes. */
const NODE_LABELS = [
  `failure-domain.beta.kubernetes.io/region=${CLOUD.regionId}`,
  'beta.kubernetes.io/instance-type=ecs.g7.xlarge',
  'node.alibabacloud.com/instance-charge-type=PostPaid',
  'node.alibabacloud.com/spot-strategy=NoSpot',
];
/** The number of Services whose load balancers are created in parallel. */
const SIDE_BY_SIDE = 8;
/** Simulator settings without delays and throttling, for the preparation. */
const NO_DELAYS = { listenerTransitionMs: 0, eipTransitionMs: 0, routeTransitionMs: 0, rateFactor: 1_000 };
/** Quotas for all kinds, above the initial quotas of an account. */
const LARGE_QUOTAS = { loadBalancers: 1_000, certificates: 1_000 };

const StoredList = z.object({ items: z.array(z.custom<Service>()) });

type Run = (objects: readonly object[], ...words: readonly string[]) => Promise<void>;

/** Returns a function that runs a kubectl command on many objects. */
const runner =
  ({ kubectlWith }: Kubectl): Run =>
  async (objects, ...words) => {
    const list = JSON.stringify({ apiVersion: 'v1', kind: 'List', items: objects });
    const { code, stderr } = await kubectlWith(list, ...words, '-f', '-', ...UNCHECKED);
    assert.equal(code, 0, stderr);
  };

/** Returns the manifest as a user writes it, without node ports and UID, because the API server assigns them. */
function manifestOf({ title, name, left }: SandboxKind): object {
  const { apiVersion, kind, metadata, spec } = serviceOf(left, { name, namespace: NAMESPACE });
  const { annotations } = metadata;
  return {
    ...{ apiVersion, kind },
    metadata: { name, namespace: NAMESPACE, annotations: { ...annotations, [TITLE]: title } },
    spec: {
      ...spec,
      selector: { app: name },
      ports: spec?.ports?.map(({ nodePort: _nodePort, ...port }) => port),
    },
  };
}

/** Removes the target references, because they name pods of the test bed, and sets the names of the sandbox. */
const withoutTargets = ({ endpoints, ...slice }: EndpointSlice, service: Service): object => ({
  ...slice,
  metadata: {
    name: `${service.metadata.name}-pods`,
    namespace: NAMESPACE,
    labels: { 'kubernetes.io/service-name': service.metadata.name },
  },
  endpoints: (endpoints ?? []).map(({ targetRef: _targetRef, ...endpoint }) => endpoint),
});

/** Creates the cloud resources of one Service as the existing controller does. Returns the Service with the fields that this controller writes. */
async function serve({ left, through }: SandboxKind, service: Service, cloud: SandboxCloud): Promise<Service> {
  if (left.world !== undefined) cloud.simulator.seed(left.world);
  await cloud.planted();
  const { name, namespace, uid } = service.metadata;
  const identity = { name, namespace, uid, clusterId: CLOUD.clusterId };
  const console = through(cloud);
  const id = await new ExistingController(left, identity, console.ask).serve(service.spec?.ports ?? []);
  await left.since?.(console, id);
  await cloud.planted();
  const { Address: ip } = await cloud.ask('DescribeLoadBalancerAttribute', { LoadBalancerId: id });
  return { ...service, ...marksOf(left, service, id, String(ip)) };
}

/** Creates the routes of the Nodes, and network interfaces for pod backends. */
async function prepareNetwork(cloud: SandboxCloud, { kubectl }: Kubectl): Promise<void> {
  const { routeTables } = (await cloud.state()) as { readonly routeTables: readonly { readonly id: string }[] };
  const entries = MACHINES.map(({ podCidr, instanceId }) => ({ destination: podCidr, nextHopId: instanceId }));
  const interfaces = interfacesOf(9).map((each, index) => ({
    ...each,
    vSwitchId: CLOUD.vSwitches[0].id,
    instanceId: MACHINES[index % MACHINES.length]?.instanceId ?? '',
    privateAddresses: [`10.0.0.23${index + 1}`],
  }));
  cloud.simulator.seed({
    networkInterfaces: interfaces,
    routeTables: routeTables.slice(0, 1).map(({ id }) => ({ id, vpcId: CLOUD.vpcId, entries })),
  });
  await cloud.planted();
  const nodes = MACHINES.map(({ nodeName }) => nodeName);
  await kubectl('patch', 'node', ...nodes, '--subresource=status', '-p', JSON.stringify(ROUTED));
  await Promise.all(
    MACHINES.map(({ nodeName, zoneId }) => kubectl('label', 'node', nodeName, `${ZONE}=${zoneId}`, ...NODE_LABELS)),
  );
}

/**
 * Prepares a sandbox without a controller as the existing controller leaves it. Creates Services of every kind, slices, metadata, cloud resources and
 * Node routes.
 */
export async function prepareSandbox(sandbox: Sandbox): Promise<void> {
  const kubectl = kubectlOf(join(binFolder(sandbox.folder), 'kubectl'), sandbox.record.environment['KUBECONFIG'] ?? '');
  const cloud = sandboxCloud(sandbox);
  const run = runner(kubectl);
  if ((await kubectl.kubectlWith('', 'get', 'namespace', NAMESPACE)).code === 0)
    throw new PortcullisError(
      'InvalidConfiguration',
      `sandbox ${sandbox.name} has the namespace ${NAMESPACE} already: start again with "make down" and "WITHOUT=controller make up"`,
    );
  const cloudSettings = await cloud.cloudSettings();
  await cloud.applySettings({ ...NO_DELAYS, ...LARGE_QUOTAS });
  await kubectl.kubectl('create', 'namespace', NAMESPACE);
  await run(SANDBOX_KINDS.map(manifestOf), 'create');
  const list = await kubectl.kubectl('get', 'services', '-n', NAMESPACE, '-o', 'json');
  const stored = new Map(StoredList.parse(JSON.parse(list)).items.map((service) => [service.metadata.name, service]));
  await prepareNetwork(cloud, kubectl);
  const made = SANDBOX_KINDS.map((kind) => {
    const service = stored.get(kind.name);
    assert.ok(service, `${kind.name} was not created`);
    return { kind, service };
  });
  await run(
    made.map(({ kind, service }) => withoutTargets(sliceOf(kind.left, service), service)),
    'create',
  );
  const served: Service[] = [];
  const waiting = made.values();
  const lane = async (): Promise<void> => {
    for (const { kind, service } of waiting) served.push(await serve(kind, service, cloud));
  };
  await Promise.all(Array.from({ length: SIDE_BY_SIDE }, lane));
  await run(served, 'replace');
  const unversioned = served.map(({ metadata: { resourceVersion: _version, ...metadata }, ...rest }) => ({
    ...rest,
    metadata,
  }));
  await run(unversioned, 'replace', '--subresource=status');
  const { listenerTransitionMs, eipTransitionMs, routeTransitionMs, rateFactor } = cloudSettings;
  await cloud.applySettings({ listenerTransitionMs, eipTransitionMs, routeTransitionMs, rateFactor });
  const journal = (await cloud.journal(0)).at(-1)?.n ?? 0;
  const prepared: Prepared = { journal, atMs: Date.now() };
  writeFileSync(preparedFile(sandbox), JSON.stringify(prepared));
}
