import assert from 'node:assert/strict';
import type { Fault } from '../../../src/local/simulator/fault.ts';
import { stateAt } from '../../../src/local/simulator/transition.ts';
import { NODES, objectKey, type Node } from '../../../src/base/kubernetes-objects.ts';
import type { Hooks } from '../process-hooks.ts';
import { conditionStatus, nodeBench, podRange, registered, UNINITIALIZED } from '../node-fixture.ts';
import { aCall, type Parameters } from '../simulator.ts';

type Bench = ReturnType<typeof nodeBench>;

/** A change of Nodes, instances or route tables, which the suite faults repeats with each fault. */
export interface NodeScenario {
  /** Nodes that exist before the change, with their routes. */
  readonly before: readonly number[];
  /** True if the change occurs while no controller runs. */
  readonly isUnattended?: boolean;
  readonly act: (bench: Bench) => Promise<void>;
  /** The only Nodes that may be deleted. */
  readonly deleted: readonly string[];
}

const NETWORK_UNAVAILABLE = 'node.kubernetes.io/network-unavailable';
const MINUTE = 60_000;
/** Milliseconds until all faults have ended and all failed calls are retried. */
const SETTLED_MS = 20 * MINUTE;
/** Routes of users: the default route, a route outside the pod range, and the pod range itself. */
const USER_ROUTES = ['0.0.0.0/0', '192.168.0.0/24', '172.20.0.0/16'];

const withRange = (index: number): object => registered(index, { podCIDR: podRange(index) });
const byHand = (bench: Bench, action: string, parameters: Parameters): Promise<unknown> =>
  bench.simulator.execute(aCall(action, parameters, 'Vpc'), new AbortController().signal);
/** Returns the current routes. Computes their states, because the simulator applies due changes only when it is called. */
const entriesOf = (bench: Bench) =>
  [...(bench.simulator.world.routeTables.get('vtb-1')?.entries.values() ?? [])]
    .map(({ id, destination, nextHopId, status }) => ({
      id,
      destination,
      nextHopId,
      state: stateAt(status, bench.clock.now()),
    }))
    .filter(({ state }) => state !== 'gone');

async function change(bench: Bench): Promise<void> {
  const entry = (index: number): string =>
    entriesOf(bench).find(({ destination }) => destination === podRange(index))?.id ?? '';
  await byHand(bench, 'DeleteRouteEntry', { RouteEntryId: entry(1) });
  await bench.clock.advance(5_000);
  await byHand(bench, 'ModifyRouteEntry', {
    RouteEntryId: entry(2),
    NewNextHopId: 'i-4',
    NewNextHopType: 'Instance',
  });
  await bench.clock.advance(5_000);
  bench.kubernetes.delete(NODES, objectKey('n3'));
}

/** The scenarios, by a sentence that describes each. */
export const NODE_SCENARIOS: Readonly<Record<string, NodeScenario>> = {
  'three Nodes join': {
    before: [4],
    deleted: [],
    act: async (bench) => {
      for (const index of [1, 2, 3]) bench.put(withRange(index));
    },
  },
  'an instance is released': {
    before: [1, 2, 3],
    deleted: ['n1'],
    act: async (bench) => {
      bench.simulator.world.instances.remove('i-1', bench.clock.now());
      const lastTransitionTime = new Date(bench.clock.now()).toISOString();
      const others = (bench.node('n1')?.status?.conditions ?? []).filter(({ type }) => type !== 'Ready');
      bench.kubernetes.patch(NODES, objectKey('n1'), {
        status: { conditions: [...others, { type: 'Ready', status: 'Unknown', lastTransitionTime }] },
      });
    },
  },
  'a table changes and a Node is deleted without a running controller': {
    before: [1, 2, 3],
    isUnattended: true,
    deleted: ['n3'],
    act: change,
  },
};

/** The state at the end. */
export interface End {
  readonly routes: readonly string[];
  readonly nodes: readonly string[];
}

const endOf = (bench: Bench): End => ({
  routes: entriesOf(bench)
    .map(({ destination, nextHopId, state }) => `${destination} ${nextHopId} ${state}`)
    .sort(),
  nodes: [1, 2, 3, 4].flatMap((index) => {
    const node = bench.node(`n${index}`);
    // kube-controller-manager removes this taint when the network is available.
    const taints = (node?.spec?.taints ?? []).map(({ key }) => key).filter((key) => key !== NETWORK_UNAVAILABLE);
    const addresses = (node?.status?.addresses ?? []).map(({ address }) => address);
    return node === undefined
      ? []
      : [[node.metadata.name, conditionStatus(node, 'NetworkUnavailable'), ...taints, ...addresses].join(' ')];
  }),
});

/** Watches conditions that must hold at every moment, despite any failure. */
function watch(bench: Bench, { deleted }: NodeScenario): readonly string[] {
  const broken: string[] = [];
  const check = (node: Node): void => {
    const { name } = node.metadata;
    const keys = (node.spec?.taints ?? []).map(({ key }) => key);
    const status = conditionStatus(node, 'NetworkUnavailable');
    if (!keys.includes(UNINITIALIZED) && status === undefined)
      broken.push(`NodeTaints: ${name} is initialized before it reports the missing route`);
    const isRouted = entriesOf(bench).some(
      ({ destination, nextHopId, state }) =>
        destination === node.spec?.podCIDR &&
        `cn-hangzhou.${nextHopId}` === node.spec.providerID &&
        state === 'Available',
    );
    if (status === 'False' && !isRouted && !wasAvailable.has(name))
      broken.push(`NodeTaints: ${name} is reported as reachable and has no route`);
    if (status === 'False') wasAvailable.add(name);
  };
  const wasAvailable = new Set<string>();
  bench.kubernetes.connect().nodes.onChange(({ before, after }) => {
    if (after !== undefined) check(after);
    else if (before !== undefined && !deleted.includes(before.metadata.name))
      broken.push(`NodeDeleteProof: ${before.metadata.name} was deleted`);
  });
  return broken;
}

export interface Staged {
  readonly bench: Bench;
  /** Returns the cloud calls since the scenario began. */
  readonly calls: () => readonly string[];
  /** Runs until everything is done. Returns the violations on the way and the final state. */
  readonly settle: () => Promise<{ readonly broken: readonly string[]; readonly end: End }>;
}

/** Milliseconds until another controller starts. */
const RESTART_MS = 2_000;

/** Prepares the scenario and starts its change. `crash` ends the running process, and starts another process later. */
export async function stageNodes(
  scenario: NodeScenario,
  hooksOf: (crash: () => void, isActing: () => boolean) => Hooks = () => ({}),
  faults: readonly Partial<Fault>[] = [],
): Promise<Staged> {
  const userRoutes = USER_ROUTES.map((destination) => ({ destination, nextHopId: 'i-4' }));
  const bench = nodeBench({
    instances: 4,
    world: { routeTables: [{ id: 'vtb-1', vpcId: 'vpc-1', entries: userRoutes }] },
  });
  for (const index of scenario.before) bench.put(withRange(index));
  let isActing = false;
  const hooks = hooksOf(
    () => {
      process.kill();
      void bench.clock.sleep(RESTART_MS).then(() => bench.start());
    },
    () => isActing,
  );
  // Hooks around calls and writes start with the change. `answered` observes all answers, because a stale answer repeats an earlier answer.
  const activeHooks: Hooks = {
    onCall: async (action, when) => (isActing ? hooks.onCall?.(action, when) : undefined),
    onWrite: async (write, when) => (isActing ? hooks.onWrite?.(write, when) : undefined),
    ...(hooks.answered === undefined ? {} : { answered: hooks.answered }),
  };
  let process = bench.start(activeHooks);
  await bench.clock.advance(MINUTE);
  const broken = watch(bench, scenario);
  if (scenario.isUnattended === true) {
    process.kill();
    await scenario.act(bench);
  }
  const since = bench.calls().length;
  bench.simulator.faults(faults);
  isActing = true;
  if (scenario.isUnattended === true) process = bench.start(activeHooks);
  else await scenario.act(bench);
  return {
    bench,
    calls: () => bench.calls().slice(since),
    settle: async () => {
      await bench.clock.advance(SETTLED_MS);
      return { broken, end: endOf(bench) };
    },
  };
}

/** Checks the final state, and disposes of the bench. */
export async function settlesAs(staged: Staged, expected: End): Promise<void> {
  const { broken, end } = await staged.settle();
  await staged.bench[Symbol.asyncDispose]();
  assert.deepEqual(broken, []);
  assert.deepEqual(end, expected);
}
