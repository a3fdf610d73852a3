import assert from 'node:assert/strict';
import { cloudPicture, loadBalancersCreated } from '../cloud-picture.ts';
import { aCluster, type Cluster } from '../simulated-cluster.ts';
import type { ControllerProcess, ProcessOptions } from '../simulated-controller.ts';
import type { ClusterSettings } from '../../../src/clb/model/cluster-settings.ts';
import type { SimulatorSettings } from '../../../src/local/simulator/simulator.ts';

/** A user's change of a Service, and the state before the change. A fault must not change the final state. */
export interface Scenario {
  /** The settings of the controller that differ from the defaults. */
  readonly settings?: Partial<ClusterSettings>;
  /** The number of calls that are repeated together with a failed call. Defaults to none. */
  readonly repeatedCalls?: number;
  readonly prepare: (cluster: Cluster) => void;
  readonly act: (cluster: Cluster) => void;
}

/** Milliseconds for a back-off, a throttling window, and a creation with unknown outcome. */
const QUIET_MS = 15 * 60_000;

export interface Stage {
  readonly cluster: Cluster;
  readonly process: ControllerProcess;
  /** The number of calls before the scenario began. */
  readonly since: number;
}

/** Creates the state before the scenario, with a controller whose faults are in `options`. */
export async function stage(
  scenario: Scenario,
  options: Partial<ProcessOptions> = {},
  cloudSettings: Partial<SimulatorSettings> = {},
): Promise<Stage> {
  const { settings = {} } = scenario;
  const cluster = aCluster({ cloudSettings, settings });
  const before = cluster.start();
  scenario.prepare(cluster);
  await cluster.quiet();
  await before.stop();
  const since = cluster.simulator.journal().length;
  const process = cluster.start(options);
  await cluster.quiet();
  return { cluster, process, since };
}

/** Returns the final state without values that differ in each run. */
function endOf(cluster: Cluster): object {
  const { simulator } = cluster;
  const { metadata, status } = cluster.service() ?? {};
  const addresses = new Map(simulator.world.loadBalancers.rows().map(({ address, name }) => [address, name]));
  return {
    cloud: cloudPicture(simulator),
    finalizers: metadata?.finalizers ?? (metadata === undefined ? 'the Service is gone' : []),
    reachedAt: (status?.loadBalancer?.ingress ?? []).map(
      ({ ip = '', hostname }) => hostname ?? addresses.get(ip) ?? ip,
    ),
  };
}

function assertClean(cluster: Cluster): void {
  assert.equal(cluster.binding()?.spec.operation, undefined, 'the binding still records an operation');
}

/** The result of a scenario without faults. */
export interface Reference {
  /** Final state that every other run must reach. */
  readonly end: object;
  /** The number of moments before and after calls and writes. */
  readonly steps: number;
  readonly calls: readonly string[];
  readonly writes: number;
}

async function play(scenario: Scenario): Promise<Reference> {
  let steps = 0;
  const count = async () => {
    steps += 1;
  };
  const { cluster, process, since } = await stage(scenario, { onCall: count, onWrite: count });
  const writesBefore = cluster.kubernetes.writes.length;
  scenario.act(cluster);
  await cluster.quiet();
  const calls = cluster.calls(since);
  const writes = cluster.kubernetes.writes.length - writesBefore;
  await cluster.quiet(QUIET_MS);
  await process.stop();
  assertClean(cluster);
  return { end: endOf(cluster), steps, calls, writes };
}

const references = new Map<Scenario, Promise<Reference>>();

/** Returns the result of the scenario without faults. The scenario runs once. */
export function reference(scenario: Scenario): Promise<Reference> {
  const played = references.get(scenario) ?? play(scenario);
  references.set(scenario, played);
  return played;
}

/** Runs until the cluster is idle, and compares the final state with the reference. */
export async function settlesAs(
  { cluster, process }: Pick<Stage, 'cluster' | 'process'>,
  expected: Reference,
): Promise<void> {
  await cluster.quiet(QUIET_MS);
  // Reading the state applies late calls, whose effects need a moment.
  cluster.simulator.state();
  await cluster.quiet(1_000);
  assert.deepEqual(endOf(cluster), expected.end, 'the final state differs from the state without the fault');
  assert.ok(loadBalancersCreated(cluster.simulator) <= 1, 'more than one load balancer was created');
  assertClean(cluster);
  const changes = () => cluster.journal().filter(({ kind }) => kind === 'write').length;
  const before = changes();
  const writes = cluster.kubernetes.writes.length;
  await cluster.quiet(QUIET_MS);
  assert.equal(changes(), before, 'changing calls continue in the final state');
  assert.equal(cluster.kubernetes.writes.length, writes, 'writes continue in the final state');
  await process.stop();
}
