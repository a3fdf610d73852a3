import { createHash } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { pino } from 'pino';
import { Registry } from 'prom-client';
import type { CloudTransport } from '../../../src/alibaba/cloud-call-types.ts';
import { createCloud } from '../../../src/alibaba/cloud.ts';
import { createCloudMetrics } from '../../../src/alibaba/metrics.ts';
import { runApp } from '../../../src/process/app.ts';
import type { EventRecorder } from '../../../src/controller/kubernetes-interface.ts';
import type { SeedInput } from '../../../src/local/simulator/seed.ts';
import type { Simulator } from '../../../src/local/simulator/simulator.ts';
import { keyOf, NODES, objectKey, type Node } from '../../../src/base/kubernetes-objects.ts';
import { transportTo } from '../simulated-controller.ts';
import { Recorder } from '../invariants/recorder.ts';
import type { EmittedEvent } from '../kubernetes-double.ts';
import { aNetwork, aSimulator, REGION } from '../simulator.ts';
import { VirtualClock } from '../virtual-clock.ts';
import { appParts } from './app-parts.ts';
import { isSettled } from './condition-taints.ts';
import { forever, NodeApi } from './node-api.ts';
import type { NodeCluster } from './node-cluster.ts';
import type { Scenario } from './scenario.ts';

const never = new AbortController().signal;
/** Real milliseconds between two polls. */
const POLL_MS = 2;
/** Real milliseconds after which a wait fails. */
const PATIENCE_MS = 60_000;

/** Merges two seeds. The second overrides resources of the same name. */
function merged(first: SeedInput, second: SeedInput): SeedInput {
  const kinds = new Set([...Object.keys(first), ...Object.keys(second)]) as ReadonlySet<keyof SeedInput>;
  const both = [...kinds].map((kind) => [kind, [...(first[kind] ?? []), ...(second[kind] ?? [])]]);
  return Object.fromEntries(both) as SeedInput;
}

/** The Nodes of one scenario in a shared cluster, and its own cloud, controllers and clock. The clock waits for the API server. */
export class World implements AsyncDisposable {
  readonly clock = new VirtualClock(Date.now());
  readonly simulator: Simulator;
  readonly recorder = new Recorder();
  readonly api: NodeApi;
  readonly events: EmittedEvent[] = [];
  /** The pod ranges that Nodes of this scenario had at registration. */
  readonly assigned = new Set<string>();
  /** The suffix of the names of this scenario's Nodes. */
  readonly suffix: string;
  readonly #cluster: NodeCluster;
  readonly #scenario: Scenario;
  readonly #names = new Set<string>();
  #process: { readonly stop: () => Promise<void>; readonly kill: () => void } | undefined;

  constructor(cluster: NodeCluster, title: string, scenario: Scenario) {
    this.#cluster = cluster;
    this.#scenario = scenario;
    this.suffix = `-${createHash('sha256').update(title).digest('hex').slice(0, 6)}`;
    this.api = new NodeApi({
      nodes: cluster.controller.caches.nodes,
      isMine: (name) => this.#names.has(name),
      writer: cluster.controller.api.writer,
      watcher: this.recorder,
    });
    this.simulator = aSimulator({
      clock: this.clock,
      world: merged(aNetwork(scenario.instances ?? 3), this.spelled(scenario.cloud ?? {})),
      watcher: this.recorder,
      ...(scenario.cloudSettings === undefined ? {} : { settings: scenario.cloudSettings }),
    });
    this.recorder.of(this.simulator);
  }

  /** Current Nodes. */
  get nodes(): readonly Node[] {
    return [...this.api.nodes.values()];
  }

  node(name: string): Node | undefined {
    return this.api.nodes.get(objectKey(this.fullName(name)));
  }

  /** Returns the name of a Node in the cluster. A name with dots is kept, because its parts have a meaning. */
  fullName(name: string): string {
    const full = name.includes('.') ? name : `${name}${this.suffix}`;
    this.#names.add(full);
    return full;
  }

  /** Replaces `{n1}` by the full name of Node `n1`, and `{n1/0}` by its first pod range, in all texts. */
  spelled<Value extends object>(value: Value): Value {
    const text = JSON.stringify(value).replace(/\{(n\w+)(?:\/(\d))?\}/g, (_, name: string, range?: string) =>
      range === undefined ? this.fullName(name) : (this.node(name)?.spec?.podCIDRs?.[Number(range)] ?? ''),
    );
    return JSON.parse(text) as Value;
  }

  /** Advances the clock, and runs everything that is due. */
  async pass(ms: number): Promise<void> {
    const end = this.clock.monotonic() + ms;
    for (;;) {
      await this.#quiet();
      const left = end - this.clock.monotonic();
      const next = this.clock.nextWake() ?? Infinity;
      await this.clock.advance(Math.min(next, left));
      if (next > left) break;
    }
    await this.settled();
  }

  /** Resolves when all other components have processed the current Nodes. */
  async settled(): Promise<void> {
    await until('kube-controller-manager has done its part', () => this.nodes.every(isSettled));
    await this.#quiet();
  }

  /** Resolves when the Node satisfies the predicate. The clock does not advance. */
  async sees(name: string, what: string, isSo: (node: Node | undefined) => boolean): Promise<void> {
    await until(`${name} ${what}`, () => isSo(this.node(name)));
  }

  /** Starts a process, which leads at once. */
  start(): void {
    this.recorder.started();
    const stop = new AbortController();
    const life = { isOver: false };
    const isDead = (): boolean => life.isOver;
    const base = { clock: this.clock, registry: new Registry(), log: pino({ level: 'silent' }) };
    const transport = this.#transport(isDead);
    const cloud = createCloud({
      ...base,
      regionId: REGION,
      transport,
      inventoryTransport: transport,
      guard: () => !life.isOver,
      metrics: createCloudMetrics(base.registry),
    });
    const side = { nodes: this.api.anew(), writer: this.api.writer(isDead), events: this.#events(isDead) };
    const running = runApp(appParts({ ...base, cloud }, side, this.#scenario.controller ?? {}), stop.signal);
    this.#process = {
      stop: async () => {
        stop.abort(new Error('stopped'));
        void running.finally(() => (life.isOver = true));
        while (!isDead()) await this.pass(1_000);
      },
      kill: () => {
        life.isOver = true;
        stop.abort(new Error('killed'));
      },
    };
  }

  /** Stops the process gracefully. */
  async stop(): Promise<void> {
    await this.#process?.stop();
    this.#process = undefined;
  }

  /** Kills the process. */
  kill(): void {
    this.#process?.kill();
    this.#process = undefined;
  }

  /** Releases the pod ranges of the Nodes. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.kill();
    const { user } = this.#cluster;
    await Promise.all(this.nodes.map((node) => user.delete(NODES, keyOf(node), {}, never).catch(() => undefined)));
  }

  #transport(isDead: () => boolean): CloudTransport {
    const direct = transportTo(this.simulator, 'portcullis');
    return async (...call) => {
      if (isDead()) await forever();
      return direct(...call).finally(() => (isDead() ? forever() : undefined));
    };
  }

  #events(isDead: () => boolean): EventRecorder {
    return {
      record: (target, type, reason, message) => {
        if (isDead()) return;
        this.recorder.onEvent({ target, type, reason, message });
        this.events.push({ target, type, reason, message });
      },
    };
  }

  /** Resolves when only sleeps are in progress. */
  async #quiet(): Promise<void> {
    do {
      await until('the API server has answered', () => this.api.isQuiet);
      await this.clock.settle();
    } while (!this.api.isQuiet);
  }
}

async function until(what: string, isSo: () => boolean): Promise<void> {
  const end = performance.now() + PATIENCE_MS;
  while (!isSo()) {
    if (performance.now() > end) throw new Error(`not within ${PATIENCE_MS / 1000} s: ${what}`);
    await delay(POLL_MS);
  }
}
