import { PortcullisError } from '../../src/base/errors.ts';
import type { WriteHook } from '../support/kubernetes-double.ts';
import { SCENARIOS } from '../support/fault-scenarios/core.ts';
import { FURTHER_SCENARIOS, cyclic } from '../support/fault-scenarios/additional.ts';
import { reference, settlesAs, stage, type Scenario } from '../support/fault-scenarios/stage.ts';

/** The faults of a write to the API server, before the write or on its response. */
const FAULTS = {
  'is rejected because of a conflict': {
    when: 'before',
    error: () => new PortcullisError('Conflict', 'it has been changed'),
  },
  'is lost before it takes effect': { when: 'before', error: () => new PortcullisError('OutcomeUnknown', 'no answer') },
  'takes effect without a response': { when: 'after', error: () => new PortcullisError('OutcomeUnknown', 'no answer') },
  'gets an internal error': { when: 'before', error: () => new PortcullisError('Unavailable', 'unwell') },
} as const;

type Fault = (typeof FAULTS)[keyof typeof FAULTS];

async function hitAt(scenario: Scenario, nth: number, { when, error }: Fault) {
  let writes = 0;
  const onWrite: WriteHook = async (_write, moment) => {
    if (moment !== when) return;
    writes += 1;
    if (writes === nth) throw error();
  };
  const staged = await stage(scenario, { onWrite });
  scenario.act(staged.cluster);
  return staged;
}

/** Runs the scenario once for each write, with the fault that `faultAt` selects for the write. */
async function sweep(scenario: Scenario, faultAt: (nth: number) => keyof typeof FAULTS): Promise<void> {
  const expected = await reference(scenario);
  for (let nth = 1; nth <= expected.writes; nth += 1) {
    const title = faultAt(nth);
    try {
      await settlesAs(await hitAt(scenario, nth, FAULTS[title]), expected);
    } catch (error) {
      throw new Error(`write ${nth} of ${expected.writes}, when it ${title}`, { cause: error });
    }
  }
}

const SENTENCES = Object.keys(FAULTS) as readonly (keyof typeof FAULTS)[];

/** Any write to the API server can fail or lose its response. The controller must reach the same result as without the fault. */
for (const [name, scenario] of Object.entries(SCENARIOS)) {
  describe(`the ${name} reaches the same result with a fault at any write to the API server`, () => {
    for (const title of SENTENCES) it(`if the write ${title}`, () => sweep(scenario, () => title));
  });
}

describe('a scenario with alternating faults at any write to the API server', () => {
  Object.entries(FURTHER_SCENARIOS).forEach(([name, scenario], index) => {
    it(`reaches the same result: ${name}`, () => sweep(scenario, (nth) => cyclic(SENTENCES, nth + index)));
  });
});
