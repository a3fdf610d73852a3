import { pino } from 'pino';
import { Registry } from 'prom-client';
import { runApp } from '../../../src/process/app.ts';
import { leaseTarget } from '../../../src/controller/node-and-route-settings.ts';
import type { ClusterSettings } from '../../../src/clb/model/cluster-settings.ts';
import { systemClock } from '../../../src/base/clock.ts';
import { vpcRanges } from '../../../src/controller/service/backends/eni-lookup.ts';
import { createPolicyEvaluator } from '../../../src/controller/service/evaluation/evaluator.ts';
import { QuotaLedger } from '../../../src/controller/service/evaluation/quota-ledger.ts';
import { bindingsIn } from '../../../src/controller/service/state/binding-store.ts';
import { nodeSelector } from '../../../src/controller/service/backends/cached-node-selection.ts';
import type { KubernetesWriter } from '../../../src/controller/kubernetes-interface.ts';
import { createFacts } from '../../../src/inventory/facts-from-caches.ts';
import { controllerCaches, type ControllerCaches } from '../../../src/kubernetes/caches.ts';
import { Events } from '../../../src/kubernetes/events.ts';
import { eventsCounter, reflectorMetrics } from '../../../src/kubernetes/metrics.ts';
import type { Requests } from '../../../src/kubernetes/transport.ts';
import { Writer } from '../../../src/kubernetes/writer.ts';
import type { Simulator } from '../../../src/local/simulator/simulator.ts';
import { keyOf, type KubernetesObject, type ObjectKey } from '../../../src/base/kubernetes-objects.ts';
import type { PlanDeps } from '../../../src/plan-command/service-plan.ts';
import type { EmittedEvent } from '../kubernetes-double.ts';
import { controllersCloud, readOnlyCloud, REGION } from './cloud.ts';
import type { PatientClock, Traffic } from './pending-work.ts';

/** Receives a controller's writes and events in the cluster. */
export interface Listener {
  readonly wrote: (plural: string, key: ObjectKey, answered: KubernetesObject | undefined) => void;
  readonly onEvent: (event: EmittedEvent) => void;
}

export interface ControllerParts {
  readonly clock: PatientClock;
  readonly traffic: Traffic;
  readonly simulator: Simulator;
  readonly requests: Requests;
  readonly settings: ClusterSettings;
  readonly protectedIds: ReadonlySet<string>;
  /** True if the controller reads Endpoints in place of EndpointSlices. */
  readonly readsEndpoints: boolean;
  readonly listener: Listener;
}

/** A leading controller of a scenario, with the dependencies of `portcullis plan`. */
export interface ScenarioController {
  readonly caches: ControllerCaches;
  readonly planDeps: PlanDeps;
  /** Stops the controller as on SIGTERM. */
  readonly end: () => Promise<void>;
}

/** Required settings of Node controllers, which do not run here. */
const NODES = {
  regionId: REGION,
  routes: false,
  ipv6: false,
  sourceDestCheck: 'disable',
  providerIdForm: 'region.instance',
  removalGraceMs: 60_000,
} as const;

/** Starts a controller with the real Kubernetes adapters. Its clock is virtual, and its watches use real time. */
export async function startController(parts: ControllerParts): Promise<ScenarioController> {
  const { clock, simulator, requests, settings, traffic, listener } = parts;
  const log = pino({ level: 'silent' });
  const registry = new Registry();
  const following = new AbortController();
  const stop = new AbortController();
  const shared = { transport: requests, clock: systemClock, log, metrics: reflectorMetrics(registry) };
  const caches = controllerCaches(shared, parts.readsEndpoints ? 'endpoints' : 'slices');
  const events = new Events({ requests, clock, log, written: eventsCounter(registry), instance: 'scenarios' });
  const background = [caches.run(following.signal), events.run(following.signal)];
  await caches.synced(following.signal);
  const recorder = events.recorder('service-controller');
  const app = runApp(
    {
      clock,
      log,
      registry,
      kubernetes: {
        ...caches,
        writer: heard(new Writer(requests), listener),
        recorder: (component) => events.recorder(component),
        events: {
          record: (target, type, reason, message) => {
            listener.onEvent({ target, type, reason, message });
            recorder.record(target, type, reason, message);
          },
        },
      },
      cloud: controllersCloud(simulator, clock, () => traffic.pass()),
      settings,
      clusterCidrs: ['10.244.0.0/16'],
      regionId: REGION,
      protectedIds: parts.protectedIds,
      warnOnly: false,
      controllers: new Set(['service']),
      serviceWorkers: 3,
      nodes: { ...NODES, vpcId: settings.vpcId },
      target: leaseTarget({}),
      random: () => 0.5,
    },
    stop.signal,
  );
  return {
    caches,
    planDeps: planDepsOf(caches, parts),
    end: async () => {
      stop.abort(new Error('stopped'));
      await clock.complete(app);
      await clock.settle();
      following.abort(new Error('stopped'));
      await clock.complete(Promise.all(background));
    },
  };
}

function planDepsOf(caches: ControllerCaches, { clock, simulator, settings, protectedIds }: ControllerParts): PlanDeps {
  const { clb, network } = readOnlyCloud(simulator, clock);
  return {
    caches,
    selectNodes: nodeSelector(caches.nodes),
    evaluator: createPolicyEvaluator({
      services: caches.services,
      facts: createFacts({ ...caches, clock }),
      warnOnly: false,
      ledger: new QuotaLedger(caches.services, bindingsIn(caches.bindings)),
    }),
    settings,
    protectedIds,
    clb,
    network,
    isNear: vpcRanges(settings.vpcId, network, clock),
    clock,
  };
}

/** Returns a writer that reports every write to the listener. */
const heard = (writer: Writer, { wrote }: Listener): KubernetesWriter => ({
  get: (...call) => writer.get(...call),
  create: async <Kind extends KubernetesObject>(...call: Parameters<Writer['create']>) => {
    const made = await writer.create(...call);
    wrote(call[0].plural, keyOf(made), made);
    return made as Kind;
  },
  mergePatch: async (...call) => {
    const made = await writer.mergePatch(...call);
    wrote(call[0].plural, call[1], made);
    return made;
  },
  delete: async (...call) => {
    await writer.delete(...call);
    wrote(call[0].plural, call[1], undefined);
  },
});
