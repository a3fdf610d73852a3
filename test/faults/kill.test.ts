import assert from 'node:assert/strict';
import type { SimulatorSettings } from '../../src/local/simulator/simulator.ts';
import { loadBalancersCreated } from '../support/cloud-picture.ts';
import type { Cluster } from '../support/simulated-cluster.ts';
import type { ControllerProcess } from '../support/simulated-controller.ts';
import { SCENARIOS } from '../support/fault-scenarios/core.ts';
import { FURTHER_SCENARIOS, cyclic } from '../support/fault-scenarios/additional.ts';
import { reference, settlesAs, stage, type Scenario } from '../support/fault-scenarios/stage.ts';

/** Milliseconds until another controller starts. */
const RESTART_MS = 2_000;

/** Runs the scenario, kills the controller at its `index`-th step, and starts another. */
async function killedAt(scenario: Scenario, index: number, cloudSettings: Partial<SimulatorSettings>) {
  let step = 0;
  const reached = Promise.withResolvers<undefined>();
  const atStep = async () => {
    step += 1;
    if (step !== index) return;
    process.kill();
    reached.resolve(undefined);
  };
  const { cluster, process } = await stage(scenario, { onCall: atStep, onWrite: atStep }, cloudSettings);
  scenario.act(cluster);
  await cluster.clock.complete(reached.promise, 60_000);
  await cluster.quiet(RESTART_MS);
  return { cluster, process: cluster.start() };
}

const CLOUDS: Readonly<Record<string, Partial<SimulatorSettings>>> = {
  '': {},
  ', with lists and tags that lag half a minute': { listLagMs: 30_000 },
  ', with a new load balancer that is hidden for two seconds': { readLagMs: 2_000, listLagMs: 2_000 },
};
const [PLAIN = '', ...BEHIND] = Object.keys(CLOUDS);

/** Kills a controller at each step of the scenario. `cloudAt` selects one of the `CLOUDS`. */
async function sweep(scenario: Scenario, cloudAt: (index: number) => string): Promise<void> {
  const expected = await reference(scenario);
  for (let index = 1; index <= expected.steps; index += 1) {
    const where = cloudAt(index);
    try {
      await settlesAs(await killedAt(scenario, index, CLOUDS[where] ?? {}), expected);
    } catch (error) {
      throw new Error(`killed at step ${index} of ${expected.steps}${where}`, { cause: error });
    }
  }
}

/** A process can be killed at any moment. The next process must complete the work, without a second load balancer. */
describe('a controller that is killed', () => {
  for (const [name, scenario] of Object.entries(SCENARIOS)) {
    it(`before or after any call or write of the ${name} leaves the same result and no duplicate`, async function () {
      this.timeout(60_000);
      await sweep(scenario, () => PLAIN);
    });

    it(`before or after any call or write of the ${name} leaves the same result in a lagging cloud`, async function () {
      this.timeout(60_000);
      await sweep(scenario, (index) => cyclic(BEHIND, index));
    });
  }

  Object.entries(FURTHER_SCENARIOS).forEach(([name, scenario], offset) => {
    it(`before or after any call or write of the ${name} leaves the same result, with or without lag`, async function () {
      this.timeout(60_000);
      await sweep(scenario, (index) => cyclic(Object.keys(CLOUDS), index + offset));
    });
  });

  /** Kills every process right after its `survives`-th changing call. Returns the number of processes. */
  async function inShortLives(cluster: Cluster, survives: number, limit: number): Promise<number> {
    for (let lives = 1; lives <= limit; lives += 1) {
      let changed = 0;
      const process: ControllerProcess = cluster.start({
        onCall: async (action, when) => {
          if (when === 'after' && !action.startsWith('Describe')) changed += 1;
          if (changed >= survives) process.kill();
        },
      });
      await cluster.quiet(10_000);
      if (changed < survives) {
        await process.stop();
        return lives;
      }
    }
    throw new Error(`not done after ${limit} lives`);
  }

  for (const survives of [1, 2, 3]) {
    it(`after every ${survives} changing calls needs at most two processes more than the minimum`, async () => {
      const expected = await reference(SCENARIOS.creation);
      const { cluster, process } = await stage(SCENARIOS.creation);
      await process.stop();
      SCENARIOS.creation.act(cluster);
      const writes = expected.calls.filter((action) => !action.startsWith('Describe')).length;
      const lives = await inShortLives(cluster, survives, Math.ceil(writes / survives) + 2);
      assert.equal(loadBalancersCreated(cluster.simulator), 1);
      assert.ok(lives <= Math.ceil(writes / survives) + 2);
      await settlesAs({ cluster, process: cluster.start() }, expected);
    });
  }

  it('during a creation costs the next process at most three reads and one per group', async () => {
    const expected = await reference(SCENARIOS.creation);
    for (let index = 1; index <= expected.steps; index += 1) {
      const { cluster, process } = await killedAt(SCENARIOS.creation, index, {});
      const before = cluster.journal().length;
      await cluster.quiet();
      const reads = cluster.journal(before).filter(({ kind }) => kind === 'read').length;
      const writes = cluster.journal().filter(({ kind, outcome }) => kind === 'write' && outcome === 'OK').length;
      assert.ok(reads <= 5, `killed at step ${index}: ${reads} reads`);
      assert.equal(writes, 7, `killed at step ${index}`);
      await process.stop();
    }
  });
});

describe('the deletion of a Service that preserves a renamed load balancer', () => {
  it('only empties the load balancer and releases it', async () => {
    const { calls } = await reference(SCENARIOS['deletion of a preserved, renamed load balancer']);
    assert.deepEqual(calls, [
      'DescribeLoadBalancerAttribute',
      'DescribeVServerGroups',
      'DescribeVServerGroupAttribute',
      'RemoveVServerGroupBackendServers',
      'SetLoadBalancerDeleteProtection',
      'SetLoadBalancerModificationProtection',
      'UntagResources',
    ]);
  });
});
