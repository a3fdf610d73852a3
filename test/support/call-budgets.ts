import { aCluster, aSlice, ENDPOINT_SLICES, keyOf, NODES, SERVICES, type Cluster } from './simulated-cluster.ts';
import type { ControllerProcess } from './simulated-controller.ts';
import { aNode } from './node.ts';
import { annotated } from './running-controller.ts';
import { aService } from './service.ts';

/** The number of cloud calls of a change, for the benchmark `calls` and a test. */
export interface CallBudget {
  readonly id: string;
  /** The description. Unless stated otherwise, the Service has two ports with three backends each. */
  readonly scenario: string;
  /** The calls of the Alibaba Cloud Controller Manager, counted in kubernetes/cloud-provider-alibaba-cloud of April 2026. */
  readonly existing: number;
  /** True if `existing` is measured in a run of the Alibaba Cloud Controller Manager against the simulator instead. */
  readonly isMeasured?: true;
  /** The exact number of calls of this controller without failures. */
  readonly ours: number;
  /** The maximum number of calls. */
  readonly limit: number;
  /** Runs the change in virtual time, and returns the number of calls. */
  readonly count: () => Promise<number>;
}

const SERVICE = aService({ ports: [80, 443] });
const KEY = keyOf(SERVICE);
const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;
const node = (index: number) => aNode(`n${index}`, { spec: { providerID: `cn-hangzhou.i-${index}` } });

/** Counts the calls of a change to a synced Service. */
async function costOf(
  change: (cluster: Cluster, process: ControllerProcess) => void | Promise<void>,
  service = SERVICE,
  nodes = 3,
): Promise<number> {
  const cluster = aCluster({ nodes });
  const process = cluster.start();
  cluster.kubernetes.put(ENDPOINT_SLICES, aSlice(service, ['n1', 'n2']));
  cluster.kubernetes.put(SERVICES, service);
  await cluster.quiet();
  const since = cluster.simulator.journal().length;
  await change(cluster, process);
  await cluster.quiet();
  await process.stop();
  return cluster.calls(since).length;
}

const patching =
  (patch: object) =>
  ({ kubernetes }: Cluster): void =>
    void kubernetes.patch(SERVICES, KEY, patch);

async function creation(): Promise<number> {
  const cluster = aCluster();
  const process = cluster.start();
  cluster.kubernetes.put(SERVICES, SERVICE);
  await cluster.quiet();
  await process.stop();
  return cluster.calls().length;
}

const LOCAL = { ...SERVICE, spec: { ...SERVICE.spec, externalTrafficPolicy: 'Local' } };

/** Counts the calls of a change after `services` Services are synced. */
async function costOfMany(
  services: number,
  change: (cluster: Cluster, process: ControllerProcess) => void | Promise<void>,
): Promise<number> {
  const cluster = aCluster({ cloudSettings: { loadBalancers: services } });
  const instances = [1, 2, 3, 4].map((at) => ({
    ...{ id: `i-${at}`, vSwitchId: 'vsw-1', privateAddresses: [`10.1.0.${10 + at}`] },
  }));
  cluster.simulator.seed({ instances });
  const process = cluster.start();
  for (let index = 0; index < services; index += 1)
    cluster.kubernetes.put(SERVICES, aService({ name: `s${index}`, uid: `uid-${index}`, ports: [80, 443] }));
  await cluster.quiet(services * SECOND_MS + MINUTE_MS);
  const since = cluster.simulator.journal().length;
  await change(cluster, process);
  await cluster.quiet(5 * MINUTE_MS);
  await process.stop();
  return cluster.calls(since).length;
}

/** Replaces the process with a new one. */
async function restart(cluster: Cluster, process: ControllerProcess): Promise<void> {
  await process.stop();
  const next = cluster.start();
  await cluster.quiet();
  await next.stop();
}

/** The published numbers of calls, in the order of their ids. */
export const CALL_BUDGETS: readonly CallBudget[] = [
  { id: 'B01', scenario: 'a Service is created', existing: 17, isMeasured: true, ours: 8, limit: 8, count: creation },
  {
    ...{ id: 'B02', scenario: 'a restart', existing: 10, isMeasured: true, ours: 0, limit: 0 },
    count: () => costOf(restart),
  },
  {
    ...{ id: 'B03', scenario: 'an edit without effect in the cloud', existing: 6, ours: 0, limit: 0 },
    count: () => costOf(patching({ metadata: { annotations: { note: 'hello' } } })),
  },
  {
    ...{
      id: 'B04',
      scenario: 'one attribute of a listener, of a Service with one port',
      existing: 6,
      ours: 1,
      limit: 1,
    },
    count: () => costOf(patching({ metadata: { annotations: annotated({ scheduler: 'wrr' }) } }), aService()),
  },
  {
    ...{ id: 'B05', scenario: 'a port is added', existing: 16, isMeasured: true, ours: 3, limit: 3 },
    count: () => costOf(patching({ spec: { ports: aService({ ports: [80, 443, 8080] }).spec?.ports } })),
  },
  {
    ...{ id: 'B06', scenario: 'a backend is added', existing: 7, ours: 2, limit: 2 },
    count: () => costOf(({ kubernetes }) => void kubernetes.put(NODES, node(3)), SERVICE, 2),
  },
  {
    ...{ id: 'B07', scenario: 'a backend is replaced', existing: 9, ours: 4, limit: 4 },
    count: () => costOf(({ kubernetes }) => void kubernetes.put(ENDPOINT_SLICES, aSlice(LOCAL, ['n1', 'n3'])), LOCAL),
  },
  {
    ...{ id: 'B09', scenario: 'a restart, 100 Services', existing: 650, isMeasured: true, ours: 0, limit: 0 },
    count: () => costOfMany(100, restart),
  },
  {
    ...{ id: 'B10', scenario: 'a Service is deleted', existing: 8, ours: 3, limit: 3 },
    count: () => costOf(({ kubernetes }) => kubernetes.delete(SERVICES, KEY)),
  },
  {
    ...{ id: 'B11', scenario: 'a Node joins, 30 Services', existing: 572, isMeasured: true, ours: 60, limit: 66 },
    count: () => costOfMany(30, ({ kubernetes }) => void kubernetes.put(NODES, node(4))),
  },
  {
    ...{ id: 'B13', scenario: 'a Node leaves, 20 Services', existing: 140, ours: 40, limit: 44 },
    count: () => costOfMany(20, ({ kubernetes }) => kubernetes.delete(NODES, keyOf(node(3)))),
  },
];
