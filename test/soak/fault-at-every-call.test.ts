import { CASES, sweepCalls } from '../support/fault-scenarios/cloud-calls.ts';
import { SCENARIOS } from '../support/fault-scenarios/core.ts';
import { FURTHER_SCENARIOS } from '../support/fault-scenarios/additional.ts';

/** Runs on request, because every fault at every call takes long. The suite of faults covers a sample. */
for (const [name, scenario] of Object.entries({ ...SCENARIOS, ...FURTHER_SCENARIOS })) {
  describe(`the ${name} has the same result with every fault of every call`, function () {
    this.timeout(30 * 60_000);
    for (const faultCase of Object.values(CASES).flat()) {
      it(`if the call ${faultCase.title}`, () => sweepCalls(scenario, () => faultCase));
    }
  });
}
