import type { ClusterSettings } from '../../../src/clb/model/cluster-settings.ts';
import { gatesOf } from '../../../src/controller/kubernetes-interface.ts';
import { LOAD_BALANCER_BINDINGS } from '../../../src/inventory/binding.ts';
import { CLASSIC_LOAD_BALANCERS } from '../../../src/inventory/custom-resources.ts';
import type { JournalEntry, Simulator } from '../../../src/local/simulator/simulator.ts';
import {
  ENDPOINTS,
  ENDPOINT_SLICES,
  NODES,
  PODS,
  SERVICES,
  type KubernetesObject,
  type ObjectKey,
  type Pod,
  type Service,
} from '../../../src/base/kubernetes-objects.ts';
import type { PlanDeps } from '../../../src/plan-command/service-plan.ts';
import { SETTINGS } from '../simulated-controller.ts';
import { Recorder } from '../invariants/recorder.ts';
import type { EmittedEvent } from '../kubernetes-double.ts';
import { aSimulator } from '../simulator.ts';
import { idsIn, standardCloud } from './cloud.ts';
import { startController, type ScenarioController } from './controller.ts';
import type { Names } from './stable-values.ts';
import { ObjectStore } from './object-store.ts';
import type { Stage } from './stage.ts';
import { PatientClock, Traffic } from './pending-work.ts';
import { SHARED_NODES, viewOf } from './scenario-requests.ts';
import type { Written } from './scenario-schema.ts';

interface Cache {
  get(key: ObjectKey): KubernetesObject | undefined;
}

/** The cloud, objects, clock and controller of a scenario, which exist anew in each scenario. */
export class ScenarioWorld {
  readonly traffic = new Traffic();
  readonly clock = new PatientClock(this.traffic);
  readonly recorder = new Recorder();
  readonly objects = new ObjectStore();
  /** Events of the controller, in order. */
  readonly events: EmittedEvent[] = [];
  readonly simulator: Simulator;
  readonly protectedIds: ReadonlySet<string>;
  readonly #stage: Stage;
  readonly #names: Names;
  readonly #written: Written;
  readonly #planted = new Set<string>();
  #controller: ScenarioController | undefined;

  constructor(written: Written, names: Names, stage: Stage, seed: number) {
    this.#written = written;
    this.#names = names;
    this.#stage = stage;
    this.protectedIds = new Set(names.written(written.protected));
    this.simulator = aSimulator({
      clock: this.clock,
      randomSeed: seed,
      world: standardCloud(written.instances),
      watcher: { arrived: (entry) => this.recorder.arrived(entry), ended: (entry) => this.#ended(entry) },
    });
    this.recorder.of(this.simulator);
    this.plant(names.written(written.cloud));
  }

  #ended(entry: JournalEntry): void {
    this.recorder.ended(entry);
    this.observe();
  }

  /** Creates or removes cloud resources by hand. */
  plant(seed: object): void {
    this.simulator.seed(seed);
    for (const id of idsIn(seed)) this.#planted.add(id);
    this.observe();
  }

  /** Records the current ids of the cloud. */
  observe(): void {
    this.#names.cloud(this.simulator.world, this.#planted);
  }

  /** Records the API server's answer to a write. Undefined for a deleted object. */
  note(by: 'controller' | 'others', plural: string, key: ObjectKey, answered: KubernetesObject | undefined): void {
    const change = this.objects.take(plural, key, answered);
    if (change === undefined) return;
    const { before, after } = change;
    this.recorder.stored({ by, plural, key, ...change });
    const uid = before?.metadata.uid ?? '';
    const seen = this.#cacheOf(plural);
    // Only Pods with a readiness gate of a load balancer are followed.
    const isFollowed = plural !== PODS.plural || gatesOf((after ?? before) as Pod).length > 0;
    if (seen !== undefined && isFollowed) this.traffic.expect(`${plural} ${key}`, after, uid, () => seen.get(key));
    const webhookCache = this.#webhooksCacheOf(plural);
    const isShown = plural !== SERVICES.plural || (after as Service | undefined)?.spec?.type === 'LoadBalancer';
    const shown = isShown ? after : undefined;
    if (webhookCache !== undefined)
      this.traffic.expect(`webhook ${plural} ${key}`, shown, uid, () => webhookCache.get(key));
  }

  #cacheOf(plural: string): Cache | undefined {
    const caches = this.#controller?.caches;
    if (caches === undefined) return undefined;
    const all: Readonly<Record<string, Cache>> = {
      [SERVICES.plural]: caches.services,
      [ENDPOINT_SLICES.plural]: caches.endpointSlices,
      [ENDPOINTS.plural]: caches.endpointSlices,
      [NODES.plural]: caches.nodes,
      [PODS.plural]: caches.pods,
      [CLASSIC_LOAD_BALANCERS.plural]: caches.classicLoadBalancers,
      [LOAD_BALANCER_BINDINGS.plural]: caches.bindings,
    };
    return all[plural];
  }

  #webhooksCacheOf(plural: string): Cache | undefined {
    const { services, classicLoadBalancers } = this.#stage.admission.caches;
    if (plural === SERVICES.plural) return services;
    return plural === CLASSIC_LOAD_BALANCERS.plural ? classicLoadBalancers : undefined;
  }

  /** Undefined while no controller runs. */
  get planDeps(): PlanDeps | undefined {
    return this.#controller?.planDeps;
  }

  /** Starts a controller, and waits for its initial work. */
  async begin(): Promise<void> {
    const { traffic, clock, simulator, protectedIds } = this;
    const { nodes, settings, endpoints } = this.#written;
    const shown = nodes === undefined ? [this.#names.mark, SHARED_NODES] : [this.#names.mark];
    this.recorder.started();
    this.#controller = await startController({
      clock,
      traffic,
      simulator,
      protectedIds,
      requests: viewOf(this.#stage.transport, traffic, shown),
      settings: { ...SETTINGS, ...(settings as Partial<ClusterSettings>) },
      readsEndpoints: endpoints === true,
      listener: {
        wrote: (plural, key, answered) => this.note('controller', plural, key, answered),
        onEvent: (event) => {
          this.recorder.onEvent(event);
          this.events.push(event);
        },
      },
    });
    await clock.settle();
  }

  /** Stops the controller as on SIGTERM. */
  async end(): Promise<void> {
    this.traffic.release();
    await this.#controller?.end();
    this.#controller = undefined;
    this.traffic.forget();
  }
}
