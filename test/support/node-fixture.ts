import { pino } from 'pino';
import { Registry } from 'prom-client';
import type { Clock } from '../../src/base/clock.ts';
import { nodeController } from '../../src/controller/node/controller.ts';
import { routeController } from '../../src/controller/route/controller.ts';
import type { SimulatorSettings } from '../../src/local/simulator/settings.ts';
import type { SeedInput } from '../../src/local/simulator/seed.ts';
import { NODES, objectKey, type Node } from '../../src/base/kubernetes-objects.ts';
import { runControllers } from '../../src/reconcile/manager.ts';
import { controllerMetrics, queueMetrics } from '../../src/reconcile/metrics.ts';
import { settingsOf } from './controller-settings.ts';
import { watchedHistory } from './invariants/watched-histories.ts';
import { KubernetesDouble } from './kubernetes-double.ts';
import { mortal, type Hooks } from './process-hooks.ts';
import { aNetwork, aSimulator } from './simulator.ts';
import { VirtualClock } from './virtual-clock.ts';

export const UNINITIALIZED = 'node.cloudprovider.kubernetes.io/uninitialized';

export interface NodeBenchInput {
  /** The number of instances `i-1`, `i-2`, … in the cloud. */
  readonly instances?: number;
  readonly world?: Partial<SeedInput>;
  readonly cloudSettings?: Partial<SimulatorSettings>;
  /** The flags of the controllers, as in their manifest. */
  readonly flags?: readonly string[];
  /** `Global.routeTableIDs`. Defaults to `vtb-1`. */
  readonly tableIds?: readonly string[];
  /** `Global.vpcid`. Defaults to `vpc-1`. */
  readonly vpcId?: string;
  readonly controllers?: readonly ('node' | 'route')[];
  /** A random number from 0 (inclusive) to 1 (exclusive). Defaults to 0.5. */
  readonly chance?: number;
}

/** Returns a Node as a kubelet with an external cloud provider registers it. kube-controller-manager adds `podCIDR`. */
export const registered = (
  index: number,
  over: { readonly providerID?: string; readonly podCIDR?: string } = {},
): object => ({
  apiVersion: 'v1',
  kind: 'Node',
  metadata: { name: `n${index}`, creationTimestamp: '2026-01-01T00:00:00Z', labels: {} },
  spec: {
    providerID: over.providerID ?? `cn-hangzhou.i-${index}`,
    ...(over.podCIDR === undefined ? {} : { podCIDR: over.podCIDR, podCIDRs: [over.podCIDR] }),
    taints: [{ key: UNINITIALIZED, value: 'true', effect: 'NoSchedule' }],
  },
  status: {
    addresses: [{ type: 'Hostname', address: `n${index}` }],
    conditions: [{ type: 'Ready', status: 'True', lastTransitionTime: '2026-01-01T00:00:00Z' }],
  },
});

export const podRange = (index: number): string => `172.20.${Math.floor(index / 4)}.${(index % 4) * 64}/26`;

const benchSettings = ({ controllers = ['node', 'route'], tableIds = ['vtb-1'], flags = [], vpcId }: NodeBenchInput) =>
  settingsOf({
    flags: [`--controllers=${controllers.join(',')},-inventory`, ...flags],
    global: { routeTableIDs: tableIds.join(','), ...(vpcId === undefined ? {} : { vpcid: vpcId }) },
  });

/** Creates controllers for Nodes and routes, a cloud and an API server, in virtual time. The disposal checks the history. */
export function nodeBench({ instances = 3, world = {}, cloudSettings = {}, ...input }: NodeBenchInput = {}) {
  const { nodes: settings, routes, controllers, target } = benchSettings(input);
  const clock = new VirtualClock(Date.parse('2026-01-02T03:04:05Z'));
  const { recorder, started, stopped } = watchedHistory({
    removalGraceMs: settings.removalGraceMs,
    ...(settings.routes ? {} : { clusterCidrs: [] }),
  });
  const simulator = aSimulator({
    clock,
    world: { ...aNetwork(instances), ...world },
    settings: cloudSettings,
    watcher: recorder,
  });
  recorder.of(simulator);
  const kubernetes = new KubernetesDouble(recorder);
  const log = pino({ level: 'silent' });
  let skewMs = 0;
  const ofMachine: Clock = {
    now: () => clock.now() + skewMs,
    monotonic: () => clock.monotonic(),
    sleep: (ms, signal) => clock.sleep(ms, signal),
  };
  const stop = new AbortController();
  const processes: Promise<void>[] = [];

  /** Starts a leading controller. `kill` ends it at once. */
  const start = (hooks: Hooks = {}) => {
    started();
    const registry = new Registry();
    const over = new AbortController();
    const { client, cloud, die } = mortal({ clock: ofMachine, simulator, kubernetes, registry, log, ...hooks });
    const random = (): number => input.chance ?? 0.5;
    const shared = {
      ...client,
      clock: ofMachine,
      log,
      registry,
      queueMetrics: queueMetrics(registry),
      random,
      target,
    };
    const chosen = [
      ...(controllers.has('node') ? [nodeController({ ...shared, instances: cloud.instances, settings })] : []),
      ...(controllers.has('route') && routes !== undefined
        ? [routeController({ ...shared, ...routes, ...cloud, settings: routes, vpcId: settings.vpcId })]
        : []),
    ];
    const signal = AbortSignal.any([stop.signal, over.signal]);
    const metrics = controllerMetrics(registry);
    processes.push(runControllers(chosen, { clock: ofMachine, log, random, metrics }, signal));
    return {
      registry,
      kill: () => {
        die();
        over.abort(new Error('killed'));
      },
    };
  };

  return {
    clock,
    simulator,
    kubernetes,
    start,
    /** Sets the offset of the controllers' wall clock from all other clocks, in milliseconds. */
    skew: (ms: number): void => {
      skewMs = ms;
    },
    /** Returns the actions of the calls so far, in order. */
    calls: (): string[] => simulator.journal(0).map(({ action }) => action),
    put: (object: object): Node => kubernetes.put(NODES, object),
    node: (name: string): Node | undefined => kubernetes.get(NODES, objectKey(name)),
    eventTexts: (): string[] =>
      kubernetes.events.map(({ target, reason, message }) => `${target.name} ${reason}: ${message}`),
    [Symbol.asyncDispose]: async () => {
      stop.abort();
      await clock.advance(30_000);
      // A killed process may never end, because its call never returns.
      await Promise.race([Promise.all(processes), clock.settle()]);
      stopped();
    },
  };
}

/** Returns a bench whose controllers ran for one second with these Nodes. */
export async function startedNodeBench(input: NodeBenchInput, nodes: readonly object[]) {
  const bench = nodeBench(input);
  for (const node of nodes) bench.put(node);
  bench.start();
  await bench.clock.advance(1_000);
  return bench;
}

export const conditionStatus = (node: Node | undefined, type: string): string | undefined =>
  node?.status?.conditions?.find((each) => each.type === type)?.status;

/** Returns the number of calls of each action. */
export function counted(calls: readonly string[]): Readonly<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const call of calls) counts[call] = (counts[call] ?? 0) + 1;
  return counts;
}
