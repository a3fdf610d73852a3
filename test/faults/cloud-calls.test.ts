import { CASES, sweepCalls } from '../support/fault-scenarios/cloud-calls.ts';
import { SCENARIOS } from '../support/fault-scenarios/core.ts';
import { FURTHER_SCENARIOS, cyclic } from '../support/fault-scenarios/additional.ts';

/**
 * Each call fails in turn: lost, throttled, busy or with an unexpected response. `cyclic` alternates the faults to save time; the soak tests cover
 * all combinations.
 */
Object.entries(SCENARIOS).forEach(([name, scenario], index) => {
  describe(`the ${name} reaches the same result with a fault at any call`, function () {
    this.timeout(60_000);
    for (const [title, [plain, ...others]] of Object.entries(CASES)) {
      it(`if the call ${plain.title}`, () => sweepCalls(scenario, () => plain));
      it(`if the call ${title}`, () => sweepCalls(scenario, (nth) => cyclic(others, nth + index)));
    }
  });
});

Object.entries(FURTHER_SCENARIOS).forEach(([name, scenario], index) => {
  describe(`the ${name} reaches the same result`, function () {
    this.timeout(60_000);
    for (const [title, cases] of Object.entries(CASES)) {
      it(`if any call ${title}`, () => sweepCalls(scenario, (nth) => cyclic(cases, nth + index)));
    }
  });
});
