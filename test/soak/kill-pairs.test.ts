import type { ProcessOptions } from '../support/simulated-controller.ts';
import { SCENARIOS } from '../support/fault-scenarios/core.ts';
import { reference, settlesAs, stage, type Scenario } from '../support/fault-scenarios/stage.ts';

/** Milliseconds until the next controller starts and reaches the step of its kill. */
const LIFE_MS = 20_000;

/** Returns hooks that call `kill` at the `index`-th step of a process. */
function atStep(index: number, kill: () => void): Pick<ProcessOptions, 'onCall' | 'onWrite'> {
  let step = 0;
  const hook = async () => {
    step += 1;
    if (step === index) kill();
  };
  return { onCall: hook, onWrite: hook };
}

/** Kills a controller at a step of the scenario and its successor at another step. A third controller finishes. */
async function killedTwice(scenario: Scenario, first: number, second: number) {
  const { cluster, process } = await stage(
    scenario,
    atStep(first, () => process.kill()),
  );
  scenario.act(cluster);
  await cluster.quiet(LIFE_MS);
  process.kill();
  const next = cluster.start(atStep(second, () => next.kill()));
  await cluster.quiet(LIFE_MS);
  next.kill();
  return { cluster, process: cluster.start() };
}

/** Runs on request. A second kill can hit the recovery from the first one. */
describe('two controllers killed one after the other', () => {
  for (const [name, scenario] of Object.entries(SCENARIOS)) {
    it(`at every pair of steps of the ${name} leave one load balancer and the same result`, async function () {
      this.timeout(30 * 60_000);
      const expected = await reference(scenario);
      for (let first = 1; first <= expected.steps; first += 1) {
        for (let second = 1; second <= expected.steps; second += 1) {
          try {
            await settlesAs(await killedTwice(scenario, first, second), expected);
          } catch (error) {
            throw new Error(`killed at step ${first}, and again at step ${second}`, { cause: error });
          }
        }
      }
    });
  }
});
