import assert from 'node:assert/strict';
import { pino } from 'pino';
import { Registry } from 'prom-client';
import { createCloud } from '../../src/alibaba/cloud.ts';
import { createCloudMetrics } from '../../src/alibaba/metrics.ts';
import { createInventoryController } from '../../src/controller/inventory/controller.ts';
import type { KubernetesWriter } from '../../src/controller/kubernetes-interface.ts';
import { createRegionContents } from '../../src/inventory/missing-load-balancers.ts';
import { INVENTORY_KEY } from '../../src/inventory/facts-from-caches.ts';
import type { LoadBalancerBinding } from '../../src/inventory/binding.ts';
import {
  CLOUD_INVENTORIES,
  type ClassicLoadBalancer,
  type CloudInventoryStatus,
} from '../../src/inventory/custom-resources.ts';
import type { Clock } from '../../src/base/clock.ts';
import type { Simulator } from '../../src/local/simulator/simulator.ts';
import type { SeedInput } from '../../src/local/simulator/seed.ts';
import { objectKey } from '../../src/base/kubernetes-objects.ts';
import { VirtualClock } from './virtual-clock.ts';
import { transportTo } from './simulated-controller.ts';
import { KubernetesDouble } from './kubernetes-double.ts';
import { aNetwork, aSimulator } from './simulator.ts';
import type { WatchedDouble } from './watched-cache.ts';

export type LoadBalancerSeed = NonNullable<SeedInput['loadBalancers']>[number];
export const MINUTE = 60_000;
export const PROTECTED = objectKey('portcullis-protected', 'portcullis-system');
/** The tags of a load balancer that serves an API server. */
export const API_SERVER = { 'ack.aliyun.com': 'c1' };
/** The tags of a load balancer of another cluster. */
export const OTHERS = { 'kubernetes.do.not.delete': 'axyz', 'ack.aliyun.com': 'c2' };

/** Returns user-managed load balancers with a listener each. */
export const reusable = (count: number): LoadBalancerSeed[] =>
  Array.from({ length: count }, (_, n) => ({ id: `lb-r${n}`, listeners: [{ port: 80, protocol: 'tcp' }] }));
export const owned = (count: number): LoadBalancerSeed[] =>
  Array.from({ length: count }, (_, n) => ({ id: `lb-o${n}`, tags: OTHERS }));

interface InventoryBench {
  readonly clock: VirtualClock;
  readonly simulator: Simulator;
  readonly kubernetes: KubernetesDouble;
}

export interface InventoryBenchInput {
  readonly loadBalancers?: LoadBalancerSeed[];
  readonly protectedIds?: string[];
  readonly clusterId?: string;
  /** Lease data that each pass records. */
  readonly recorded?: Pick<CloudInventoryStatus, 'leaseTransitions'>;
  /** An existing bench, whose cloud and API server the new process shares. */
  readonly on?: InventoryBench;
  /** Replacements of methods of the writer. */
  readonly writer?: (real: KubernetesWriter) => Partial<KubernetesWriter>;
}

/** Creates the access of the inventory controller to a simulator, with a log that writes into `lines`. */
export function inventoryCloud(simulator: Simulator, clock: Clock, registry: Registry, lines: string[]) {
  const log = pino({ level: 'info', base: null }, { write: (line: string) => void lines.push(line) });
  const { region, throttledApis } = createCloud({
    regionId: 'cn-hangzhou',
    transport: async () => Promise.reject(new Error('the inventory has a transport of its own')),
    inventoryTransport: transportTo(simulator, 'portcullis-inventory'),
    guard: () => false,
    clock,
    log,
    metrics: createCloudMetrics(registry),
  });
  return { region, throttledApis, log };
}

function aBench(loadBalancers: LoadBalancerSeed[]): InventoryBench {
  const clock = new VirtualClock(Date.parse('2026-01-02T03:04:05Z'));
  const simulator = aSimulator({ clock, world: { ...aNetwork(), loadBalancers } });
  return { clock, simulator, kubernetes: new KubernetesDouble() };
}

/** Creates an inventory controller, a cloud and an API server in one process, in virtual time. Declare it with `await using`. */
export const inventoryBench = ({
  loadBalancers = [],
  protectedIds = [],
  clusterId = 'c1',
  recorded = {},
  on = aBench(loadBalancers),
  writer = () => ({}),
}: InventoryBenchInput = {}) => {
  const { clock, simulator, kubernetes } = on;
  const client = kubernetes.connect();
  const registry = new Registry();
  const lines: string[] = [];
  const { region, throttledApis, log } = inventoryCloud(simulator, clock, registry, lines);
  const contents = createRegionContents(clock);
  const controller = createInventoryController({
    region,
    throttledApis,
    writer: { ...client.writer, ...writer(client.writer) },
    classicLoadBalancers: client.classicLoadBalancers,
    services: client.services,
    bindings: client.bindings,
    regionComparison: contents,
    leadership: { toRecord: () => recorded, toRecordAtStart: () => ({}) },
    cluster: {
      regionId: 'cn-hangzhou',
      vpcId: 'vpc-1',
      clusterId,
      clusterCidrs: ['10.244.0.0/16'],
      backendType: 'ecs',
      disablePublicSLB: false,
    },
    protectedIds: new Set(protectedIds),
    clock,
    log,
    registry,
    random: () => 0.5,
  });
  const stop = new AbortController();
  const running = controller.run(stop.signal).catch((reason: unknown) => reason);
  return {
    ...{ clock, simulator, kubernetes, controller, registry, lines, contents },
    cache: client.classicLoadBalancers as WatchedDouble<ClassicLoadBalancer>,
    bindings: client.bindings as WatchedDouble<LoadBalancerBinding>,
    calls: (since = 0) => simulator.journal(since).map(({ action }) => action),
    publish: () =>
      [...client.classicLoadBalancers.values()].map(({ metadata, status }) => [metadata.name, status?.owner]),
    observedAt: () => kubernetes.get(CLOUD_INVENTORIES, INVENTORY_KEY)?.status?.observedAt,
    [Symbol.asyncDispose]: async () => {
      stop.abort(new Error('the test is over'));
      assert.match(String(await running), /the test is over/);
      assert.equal(clock.sleeping, 0);
    },
  };
};
