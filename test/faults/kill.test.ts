import { reference, SCENARIOS, settlesAs, stage, type Scenario } from '../support/scenario.ts';

/** Runs the scenario, kills the controller at its `index`-th step, and starts another. */
async function killedAt(scenario: Scenario, index: number) {
  let step = 0;
  const reached = Promise.withResolvers<undefined>();
  const atStep = async () => {
    step += 1;
    if (step === index) {
      process.kill();
      reached.resolve(undefined);
    }
  };
  const { cluster, process } = await stage(scenario, { aroundCall: atStep, aroundWrite: atStep });
  scenario.act(cluster);
  await cluster.clock.complete(reached.promise, 60_000);
  await cluster.quiet(2_000);
  return { cluster, process: cluster.start() };
}

describe('a controller that is killed', () => {
  for (const [name, scenario] of Object.entries(SCENARIOS)) {
    it(`before or after any call or write of a ${name} leaves one load balancer and the same end`, async function () {
      this.timeout(60_000);
      const expected = await reference(scenario);
      for (let index = 1; index <= expected.steps; index += 1) {
        try {
          await settlesAs(await killedAt(scenario, index), expected);
        } catch (error) {
          throw new Error(`killed at step ${index} of ${expected.steps}`, { cause: error });
        }
      }
    });
  }
});
