import { CASES, sweepCalls } from '../support/fault-scenarios/cloud-answers.ts';
import { SCENARIOS } from '../support/fault-scenarios/core.ts';
import { FURTHER_SCENARIOS, inTurn } from '../support/fault-scenarios/further.ts';

// The soak tests cover every fault at every call of every scenario.
Object.entries(SCENARIOS).forEach(([name, scenario], index) => {
  describe(`the ${name} reaches the same end with a fault at any call`, function () {
    this.timeout(60_000);
    for (const [sentence, [plain, ...others]] of Object.entries(CASES)) {
      it(`if the call ${plain.sentence}`, () => sweepCalls(scenario, () => plain));
      it(`if the call ${sentence}`, () => sweepCalls(scenario, (nth) => inTurn(others, nth + index)));
    }
  });
});

Object.entries(FURTHER_SCENARIOS).forEach(([name, scenario], index) => {
  describe(`the ${name} reaches the same end`, function () {
    this.timeout(60_000);
    for (const [sentence, cases] of Object.entries(CASES)) {
      it(`if any call ${sentence}`, () => sweepCalls(scenario, (nth) => inTurn(cases, nth + index)));
    }
  });
});
