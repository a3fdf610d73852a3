import { ENDPOINT_SLICES, SERVICES } from '../../src/base/kubernetes-objects.ts';
import { aCluster, aSlice } from './simulated-cluster.ts';
import { conditionStatus, nodeBench, podRange, registered, UNINITIALIZED } from './node-fixture.ts';
import { aService } from './service.ts';

/** The results of the creation of many Services at once, for the benchmark `latency` and a test. */
export interface Creations {
  /** Seconds until the last Service is synced. */
  readonly seconds: number;
  /** Achieved part of the maximum call rate of the cloud, from 0 to 1. */
  readonly efficiency: number;
  /** Part of the calls that the cloud throttled, from 0 to 1. */
  readonly rejected: number;
  /** The number of calls of a new process that starts after the last sync. */
  readonly afterRestart: number;
}

const LIMIT_MS = 2 * 3_600_000;
const WINDOW_SECONDS = 60;
/** Calls of one API per window, from the published rates. */
const RATE = { loadBalancers: 60, groups: 90 };

/** Returns the minimum number of seconds: the windows that the calls need without the last window, whose calls start at its beginning. */
const leastSeconds = (services: number, ports: number): number =>
  WINDOW_SECONDS *
  (Math.max(Math.ceil(services / RATE.loadBalancers), Math.ceil((services * ports) / RATE.groups)) - 1);

/** Creates Services with `ports` ports each at one moment, in virtual time. Every call takes `callMs` milliseconds. */
export async function createServices(services: number, ports: number, callMs: number): Promise<Creations> {
  const cloudSettings = { loadBalancers: services, readLatencyMs: callMs, writeLatencyMs: callMs };
  const cluster = aCluster({ cloudSettings });
  const process = cluster.start();
  for (let index = 0; index < services; index += 1) {
    const input = { name: `s${index}`, uid: `uid-${index}`, ports: Array.from({ length: ports }, (_, at) => 80 + at) };
    cluster.kubernetes.put(SERVICES, aService(input));
  }
  const { events } = cluster.kubernetes;
  const ensured = (): number => events.filter(({ reason }) => reason === 'EnsuredLoadBalancer').length;
  await cluster.clock.run(() => events.length >= services && ensured() >= services, LIMIT_MS);
  const seconds = cluster.clock.monotonic() / 1000;
  const calls = cluster.journal();
  const rejected = calls.filter(({ outcome }) => outcome?.startsWith('Throttling') === true).length / calls.length;
  await process.stop();
  const next = cluster.start();
  await cluster.quiet();
  await next.stop();
  const afterRestart = cluster.journal().length - calls.length;
  return { seconds, efficiency: leastSeconds(services, ports) / seconds, rejected, afterRestart };
}

/** Returns the delay in milliseconds of a backend change, while `services` other Services that are earlier in the queue are created. */
export async function changeBackendsMeanwhile(services: number): Promise<number> {
  const cluster = aCluster({ cloudSettings: { loadBalancers: 2 * services } });
  const { kubernetes, clock } = cluster;
  const process = cluster.start();
  const service = aService({ name: 'served', uid: 'uid-served' });
  kubernetes.put(ENDPOINT_SLICES, aSlice(service, ['n1', 'n2']));
  kubernetes.put(SERVICES, { ...service, spec: { ...service.spec, externalTrafficPolicy: 'Local' } });
  await cluster.quiet();
  for (let index = 0; index < services; index += 1)
    kubernetes.put(SERVICES, aService({ name: `s${index}`, uid: `uid-${index}` }));
  await cluster.quiet(10_000);
  const from = clock.monotonic();
  kubernetes.put(ENDPOINT_SLICES, aSlice(service, ['n1']));
  await clock.run(() => cluster.calls().includes('RemoveVServerGroupBackendServers'), LIMIT_MS);
  const waitedMs = clock.monotonic() - from;
  await process.stop();
  return waitedMs;
}

/** Delays of new Nodes that register at one moment, in milliseconds of virtual time. */
export interface Arrivals {
  /** Milliseconds until the last Node has its route and the condition for it. */
  readonly routedMs: number;
  /** Milliseconds until the last Node accepts pods. */
  readonly schedulableMs: number;
}

/** Registers `count` Nodes with idle controllers. The route table has capacity for all of them. */
export async function registerNodes(count: number): Promise<Arrivals> {
  const instances = Array.from({ length: count }, (_, index) => ({
    id: `i-${index + 1}`,
    vSwitchId: 'vsw-1',
    privateAddresses: [`10.1.${Math.floor(index / 250) + 1}.${(index % 250) + 1}`],
  }));
  await using sandbox = nodeBench({ world: { instances }, cloudSettings: { routesPerTable: 2 * count } });
  sandbox.start();
  await sandbox.clock.advance(WINDOW_SECONDS * 1000);
  const from = sandbox.clock.monotonic();
  for (let index = 1; index <= count; index += 1) sandbox.put(registered(index, { podCIDR: podRange(index) }));
  const until = async (isSo: (name: string) => boolean): Promise<number> => {
    const left = Array.from({ length: count }, (_, index) => `n${index + 1}`);
    const isDone = (): boolean => {
      while (left.length > 0 && isSo(left.at(-1) ?? '')) left.pop();
      return left.length === 0;
    };
    await sandbox.clock.run(isDone, LIMIT_MS);
    return sandbox.clock.monotonic() - from;
  };
  const isRouted = (name: string): boolean => conditionStatus(sandbox.node(name), 'NetworkUnavailable') === 'False';
  const isTainted = (name: string): boolean =>
    (sandbox.node(name)?.spec?.taints ?? []).some(({ key }) => key === UNINITIALIZED);
  const routedMs = await until(isRouted);
  return { routedMs, schedulableMs: await until((name) => isRouted(name) && !isTainted(name)) };
}
