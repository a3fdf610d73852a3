import { LOAD_BALANCER_BINDINGS, type LoadBalancerBinding } from '../../src/inventory/binding.ts';
import type { ClusterSettings } from '../../src/clb/model/cluster-settings.ts';
import { AUDIT_PERIOD_MS } from '../../src/controller/service/state/service-state.ts';
import {
  keyOf,
  NODES,
  objectKey,
  SERVICES,
  ENDPOINT_SLICES,
  type EndpointSlice,
  type Service,
} from '../../src/base/kubernetes-objects.ts';
import type { JournalEntry, SimulatorSettings, Simulator } from '../../src/local/simulator/simulator.ts';
import { startProcess, type ControllerProcess, type ProcessOptions } from './simulated-controller.ts';
import { watchedHistory } from './invariants/watched-histories.ts';
import { KubernetesDouble } from './kubernetes-double.ts';
import { aNode } from './node.ts';
import { aSimulator } from './simulator.ts';
import { VirtualClock } from './virtual-clock.ts';
import { callerOf, type Body, type Parameters } from './simulator.ts';

/** Milliseconds within which all parts of a Service are read from the cloud again. */
export const AN_AUDIT_MS = AUDIT_PERIOD_MS + 60_000;

/** A simulated cloud, Nodes `n1`, `n2`, … on instances `i-1`, `i-2`, …, and virtual time. A test starts controllers in this process. */
export interface Cluster {
  readonly clock: VirtualClock;
  readonly simulator: Simulator;
  readonly kubernetes: KubernetesDouble;
  /** Starts a controller. Its stop, or the end of the test, checks the invariants. */
  start(options?: Partial<ProcessOptions>): ControllerProcess;
  /** Advances time, by one minute unless `ms` is given, and runs everything that is due. */
  quiet(ms?: number): Promise<void>;
  service(name?: string, namespace?: string): Service | undefined;
  /** Returns the binding of a Service. The UID stays known after the Service is deleted. */
  binding(name?: string, namespace?: string): LoadBalancerBinding | undefined;
  /** Returns the controllers' calls after the first `since` calls, as `Action`. */
  calls(since?: number): readonly string[];
  journal(since?: number): readonly JournalEntry[];
  /** Calls the API of the cloud. */
  ask(action: string, parameters?: Parameters): Promise<Body>;
}

export interface ClusterOptions {
  readonly nodes?: number;
  readonly cloudSettings?: Partial<SimulatorSettings>;
  /** The settings of every controller that is started without its own. */
  readonly settings?: Partial<ClusterSettings>;
  /** Maximum milliseconds between a read of a Service and the first call or write of its reconcile. Set if the test writes during reconciles. */
  readonly readingMs?: number;
}

const node = (index: number) => aNode(`n${index}`, { spec: { providerID: `cn-hangzhou.i-${index}` } });

export function aCluster(options: ClusterOptions = {}): Cluster {
  const { nodes = 3, cloudSettings = {}, settings = {}, readingMs = 0 } = options;
  const clock = new VirtualClock();
  const { recorder, started, stopped } = watchedHistory({ readingMs });
  const simulator = aSimulator({ clock, settings: cloudSettings, watcher: recorder });
  recorder.of(simulator);
  const kubernetes = new KubernetesDouble(recorder);
  for (let index = 1; index <= nodes; index += 1) kubernetes.put(NODES, node(index));
  const ownJournal = (since = 0) => simulator.journal(since).filter(({ userAgent }) => userAgent === 'portcullis');
  return {
    clock,
    simulator,
    kubernetes,
    start: (input = {}) => {
      started();
      const process = startProcess({ clock, simulator, kubernetes, settings, ...input });
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

/** Returns the EndpointSlice of a Service, with one ready pod for each Node name. */
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
