import { PortcullisError } from '../../src/errors.ts';
import type { WriteHook } from '../support/kubernetes-double.ts';
import { reference, SCENARIOS, settlesAs, stage, type Scenario } from '../support/scenario.ts';

/** What happens to a write, and when: before it is made, or to its answer. */
const FAULTS = {
  'is refused because the object has changed': {
    when: 'before',
    error: () => new PortcullisError('Conflict', 'it has been changed'),
  },
  'is lost on its way': { when: 'before', error: () => new PortcullisError('OutcomeUnknown', 'no answer') },
  'is made, but its answer is lost': { when: 'after', error: () => new PortcullisError('OutcomeUnknown', 'no answer') },
  'meets an API server that is unwell': { when: 'before', error: () => new PortcullisError('Unavailable', 'unwell') },
} as const;

type Fault = (typeof FAULTS)[keyof typeof FAULTS];

async function hitAt(scenario: Scenario, nth: number, { when, error }: Fault) {
  let writes = 0;
  const aroundWrite: WriteHook = async (_write, moment) => {
    if (moment !== when) return;
    writes += 1;
    if (writes === nth) throw error();
  };
  const staged = await stage(scenario, { aroundWrite });
  scenario.act(staged.cluster);
  return staged;
}

for (const [name, scenario] of Object.entries(SCENARIOS)) {
  describe(`a ${name} reaches the same end whichever write to the API server is hit`, () => {
    for (const [sentence, fault] of Object.entries(FAULTS)) {
      it(`when it ${sentence}`, async () => {
        const expected = await reference(scenario);
        for (let nth = 1; nth <= expected.writes; nth += 1) {
          try {
            await settlesAs(await hitAt(scenario, nth, fault), expected);
          } catch (error) {
            throw new Error(`write ${nth} of ${expected.writes}`, { cause: error });
          }
        }
      });
    }
  });
}
