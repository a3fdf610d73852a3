import { LOAD_BALANCER_BINDINGS, type LoadBalancerBinding } from '../../src/inventory/binding.ts';
import type { ClusterSettings } from '../../src/clb/model/settings.ts';
import { AUDIT_PERIOD_MS } from '../../src/controller/service/state/cache.ts';
import {
  keyOf,
  NODES,
  objectKey,
  SERVICES,
  ENDPOINT_SLICES,
  type EndpointSlice,
  type Service,
} from '../../src/base/objects.ts';
import type { JournalEntry, Knobs, Simulator } from '../../src/local/simulator/simulator.ts';
import { startProcess, type ControllerProcess, type ProcessOptions } from './controller-process.ts';
import { watchedHistory } from './history/watched-histories.ts';
import { KubernetesDouble } from './kubernetes-double.ts';
import { aNode } from './node.ts';
import { aSimulator } from './simulator.ts';
import { VirtualClock } from './virtual-clock.ts';
import { callerOf, type Body, type Parameters } from './simulator.ts';

/** In which all that there is of a Service is read again. */
export const AN_AUDIT_MS = AUDIT_PERIOD_MS + 60_000;

/**
 * A cloud, a cluster of Nodes `n1`, `n2`, … on instances `i-1`, `i-2`, …, and time, in one process. Whatever happens in it is held
 * to the invariants of `history/` when a controller stops, else at the end of the test.
 */
export interface Cluster {
  readonly clock: VirtualClock;
  readonly simulator: Simulator;
  readonly kubernetes: KubernetesDouble;
  start(options?: Partial<ProcessOptions>): ControllerProcess;
  /** Lets a minute pass, with all that happens in it. */
  quiet(ms?: number): Promise<void>;
  service(name?: string, namespace?: string): Service | undefined;
  /** The binding of a Service, whose UID stays known when the Service is gone. */
  binding(name?: string, namespace?: string): LoadBalancerBinding | undefined;
  /** The controllers' calls after the `since`-th, as `Action`. */
  calls(since?: number): readonly string[];
  journal(since?: number): readonly JournalEntry[];
  /** What the cloud has, in the words of its API. */
  ask(action: string, parameters?: Parameters): Promise<Body>;
}

export interface ClusterOptions {
  readonly nodes?: number;
  readonly knobs?: Partial<Knobs>;
  /** How every controller is set up, unless it is started with others. */
  readonly settings?: Partial<ClusterSettings>;
  /** Whether the test writes in the middle of reconciles. */
  readonly readingMs?: number;
}

const node = (index: number) => aNode(`n${index}`, { spec: { providerID: `cn-hangzhou.i-${index}` } });

export function aCluster(options: ClusterOptions = {}): Cluster {
  const { nodes = 3, knobs = {}, settings = {}, readingMs = 0 } = options;
  const clock = new VirtualClock();
  const { recorder, started, stopped } = watchedHistory({ readingMs });
  const simulator = aSimulator({ clock, knobs, watcher: recorder });
  recorder.of(simulator);
  const kubernetes = new KubernetesDouble(recorder);
  for (let index = 1; index <= nodes; index += 1) kubernetes.put(NODES, node(index));
  const ownJournal = (since = 0) => simulator.journal(since).filter(({ userAgent }) => userAgent === 'portcullis');
  return {
    clock,
    simulator,
    kubernetes,
    start: (said = {}) => {
      started();
      const process = startProcess({ clock, simulator, kubernetes, settings, ...said });
      return {
        ...process,
        stop: async () => {
          await process.stop();
          stopped();
        },
      };
    },
    quiet: (ms = 60_000) => clock.advance(ms),
    service: (name = 'web', namespace = 'shop') => kubernetes.get(SERVICES, objectKey(name, namespace)),
    binding: (name = 'web', namespace = 'shop') =>
      kubernetes
        .all(LOAD_BALANCER_BINDINGS)
        .find(({ spec: { service } }) => service.name === name && service.namespace === namespace),
    calls: (since) => ownJournal(since).map(({ action }) => action),
    journal: ownJournal,
    ask: (action, parameters = {}) => callerOf(simulator).ok(action, parameters),
  };
}

/** The slice of a Service's pods, one ready pod for each Node name. */
export const aSlice = (service: Service, nodeNames: readonly string[]): EndpointSlice => ({
  apiVersion: 'discovery.k8s.io/v1',
  kind: 'EndpointSlice',
  metadata: {
    name: `${service.metadata.name}-slice`,
    namespace: service.metadata.namespace,
    uid: '',
    resourceVersion: '',
    labels: { 'kubernetes.io/service-name': service.metadata.name },
  },
  addressType: 'IPv4',
  ports: (service.spec?.ports ?? []).map(({ name, port, protocol }) => ({
    ...(name === undefined ? {} : { name }),
    port,
    protocol: protocol ?? 'TCP',
  })),
  endpoints: nodeNames.map((nodeName, index) => ({
    addresses: [`10.244.0.${index + 1}`],
    nodeName,
    conditions: { ready: true },
  })),
});

export { ENDPOINT_SLICES, SERVICES, NODES, keyOf, objectKey };
