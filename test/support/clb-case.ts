import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pino } from 'pino';
import { Registry } from 'prom-client';
import { parse, parseAllDocuments } from 'yaml';
import { createCloud, type CloudApis } from '../../src/alibaba/cloud.ts';
import { createCloudMetrics } from '../../src/alibaba/metrics.ts';
import { parseAnnotations } from '../../src/annotation/parse.ts';
import type { ClusterSettings } from '../../src/clb/model/cluster-settings.ts';
import { describeAction, type Action } from '../../src/clb/model/action.ts';
import { resettableOptions, NO_OPTIONS, type ResettableOptions } from '../../src/clb/desired/resettable-options.ts';
import { apply } from '../../src/clb/apply/apply.ts';
import { backendNodes } from '../../src/clb/desired/backend-nodes.ts';
import { buildDesired, buildAbsent, nodeSelection, ownerOf, useOf } from '../../src/clb/desired/build.ts';
import { NO_POLICY_BLOCKS } from '../../src/clb/guards/policy-blocks.ts';
import { EMPTY_CACHE, observe } from '../../src/clb/observe/observe.ts';
import { resolve } from '../../src/clb/desired/pod-interfaces.ts';
import type { Desired, Observed } from '../../src/clb/model/desired-and-observed-state.ts';
import { locate, vpcRanges } from '../../src/controller/service/backends/eni-lookup.ts';
import { podsWithGate } from '../../src/controller/service/backends/readiness-gates.ts';
import { POD_INDEX } from '../../src/controller/kubernetes-interface.ts';
import { planFor } from '../../src/controller/service/sync/plan.ts';
import { publishedAddresses } from '../../src/controller/service/status/ingress.ts';
import type { EndpointSlice, Node, Pod, Service } from '../../src/base/kubernetes-objects.ts';
import type { Plan } from '../../src/plan/plan.ts';
import { renderPlan } from '../../src/plan/render.ts';
import { SETTINGS, transportTo } from './simulated-controller.ts';
import { aNode } from './node.ts';
import { aNetwork, aSimulator } from './simulator.ts';
import { VirtualClock } from './virtual-clock.ts';
import { watchedDouble } from './watched-cache.ts';

/** A Service as a user writes it, with the objects that determine its backends. */
interface Written {
  readonly service: Service;
  readonly slices: readonly EndpointSlice[];
  readonly nodes: readonly Node[];
  readonly pods: readonly Pod[];
}

const DEFAULT_NODES = [1, 2, 3].map((index) => aNode(`n${index}`, { spec: { providerID: `cn-hangzhou.i-${index}` } }));
const INSTANCES = 50;

function read(path: string): Written {
  const documents = parseAllDocuments(readFileSync(path, 'utf8')).map(
    (document) => document.toJS() as { kind: string },
  );
  const ofKind = <Kind>(kind: string) => documents.filter((document) => document.kind === kind) as unknown as Kind[];
  const [service] = ofKind<Service>('Service');
  if (service === undefined) throw new Error(`${path} contains no Service`);
  const nodes = ofKind<Node>('Node');
  return {
    service,
    slices: ofKind<EndpointSlice>('EndpointSlice'),
    nodes: nodes.length === 0 ? DEFAULT_NODES : nodes,
    pods: ofKind<Pod>('Pod'),
  };
}

/** The feature gates for IPv6 backends are on, so that cases can request IPv6. */
const CASE_SETTINGS: ClusterSettings = { ...SETTINGS, disabledIpv6Gates: [] };

const optionsOf = ({ service }: Written) => parseAnnotations(service.metadata.annotations ?? {}).options;

/** A simulated cloud in which the plans of Services are applied in sequence. */
class Stage {
  readonly #clock = new VirtualClock();
  readonly #cloud: CloudApis;
  readonly #signal = new AbortController().signal;

  constructor(seed: object) {
    const simulator = aSimulator({ clock: this.#clock, world: { ...aNetwork(INSTANCES), ...seed } });
    const transport = transportTo(simulator, 'portcullis');
    this.#cloud = createCloud({
      regionId: 'cn-hangzhou',
      transport,
      inventoryTransport: transport,
      guard: () => true,
      clock: this.#clock,
      log: pino({ level: 'silent' }),
      metrics: createCloudMetrics(new Registry()),
    });
  }

  async #desiredBy(written: Written, applied = NO_OPTIONS): Promise<Desired> {
    const { service, slices, nodes, pods } = written;
    const options = optionsOf(written);
    if (service.metadata.deletionTimestamp !== undefined) return buildAbsent(ownerOf(service, CASE_SETTINGS), options);
    const wanted = buildDesired({
      service,
      options,
      slices,
      nodes: backendNodes(nodes, nodeSelection(options)),
      awaiting: podsWithGate(service, slices, watchedDouble(pods, POD_INDEX)),
      settings: CASE_SETTINGS,
      applied,
    });
    const { network } = this.#cloud;
    const { vpcId } = CASE_SETTINGS;
    const isNear = vpcRanges(vpcId, network, this.#clock);
    const context = { signal: this.#signal, lane: 'audit', namespace: 'default' } as const;
    return resolve(wanted, await locate(wanted, new Map(), { vpcId, network, isNear, clock: this.#clock, context }));
  }

  async plan(
    written: Written,
    applied?: ResettableOptions,
  ): Promise<{ readonly plan: Plan<Action>; readonly observed: Observed }> {
    const desired = await this.#clock.complete(this.#desiredBy(written, applied));
    const reading = {
      hints: { published: publishedAddresses(written.service) },
      api: this.#cloud.clb,
      context: { signal: this.#signal, lane: 'audit', namespace: 'default' },
      onObserved: () => undefined,
    } as const;
    const { observed } = await this.#clock.complete(observe(desired, EMPTY_CACHE, reading));
    const { service, slices } = written;
    const evaluation = { syncsOnlyBackends: false, policyBlocks: NO_POLICY_BLOCKS };
    const planned = { service, slices, evidence: reading.hints, desired, observed, ...evaluation };
    const deps = {
      clb: this.#cloud.clb,
      settings: CASE_SETTINGS,
      protectedIds: new Set<string>(),
      clock: this.#clock,
      caches: { services: watchedDouble<Service>([]) },
    };
    const { plan } = await this.#clock.complete(planFor(planned, deps, reading.context));
    return { plan, observed };
  }

  async applyActions(actions: readonly Action[], observed: Observed): Promise<void> {
    const context = { signal: this.#signal, lane: 'change', namespace: 'default', clientToken: 'golden' } as const;
    const progress = { done: () => undefined, failed: () => undefined };
    await this.#clock.complete(apply({ actions, observed }, this.#cloud.clb, context, progress));
    await this.#clock.advance(1_000);
  }
}

export interface ClbCase {
  /** The plan as readable text. */
  readonly text: string;
  /** Actions that are still planned after the plan was applied. */
  readonly left: readonly string[];
}

/**
 * Plans the Service `service.yaml` of a folder against the cloud `cloud.yaml` (format of the simulator's seed). First applies the Service
 * `before.yaml`, if the folder has one.
 */
export async function playClbCase(folder: string): Promise<ClbCase> {
  const cloud = join(folder, 'cloud.yaml');
  const stage = new Stage(existsSync(cloud) ? (parse(readFileSync(cloud, 'utf8')) as object) : {});
  const path = join(folder, 'before.yaml');
  const before = existsSync(path) ? read(path) : undefined;
  if (before !== undefined) {
    const { plan, observed } = await stage.plan(before);
    await stage.applyActions(plan.actions, observed);
  }
  const applied = before === undefined ? NO_OPTIONS : resettableOptions(optionsOf(before), useOf(optionsOf(before)));
  const written = read(join(folder, 'service.yaml'));
  const { plan, observed } = await stage.plan(written, applied);
  await stage.applyActions(plan.actions, observed);
  const { plan: again } = await stage.plan(written, applied);
  return { text: renderPlan(plan, describeAction), left: again.actions.map(describeAction) };
}
