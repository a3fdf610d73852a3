import assert from 'node:assert/strict';
import type { Fault } from '../../src/local/simulator/fault.ts';
import { podRange } from '../support/node-fixture.ts';
import { answeredWrongly, WRONG_ANSWERS } from '../support/wrong-responses.ts';
import {
  NODE_SCENARIOS,
  settlesAs,
  stageNodes,
  type End,
  type NodeScenario,
} from '../support/fault-scenarios/nodes.ts';

const EFFECTS: Readonly<Record<string, Partial<Fault>>> = {
  'is lost before it takes effect': { effect: 'cut-before-commit' },
  'takes effect without a response': { effect: 'cut-after-commit' },
  'takes effect and never ends': { effect: 'timeout-after-commit' },
  'takes effect long after its timeout': { effect: 'late-commit', ms: 40_000 },
  'is throttled': { effect: 'throttle', wholeWindow: true },
  'meets a busy resource': { effect: 'busy', ms: 10_000 },
  'gets a malformed response': { effect: 'malformed-body' },
  'lacks the permission for some time': { effect: 'reject', code: 'Forbidden.RAM', count: 3 },
};

interface Reference {
  readonly end: End;
  readonly steps: number;
  readonly calls: number;
  readonly reads: number;
}

async function reference(scenario: NodeScenario): Promise<Reference> {
  let steps = 0;
  const count = async (): Promise<void> => {
    steps += 1;
  };
  const staged = await stageNodes(scenario, () => ({ onCall: count, onWrite: count }));
  const { broken, end } = await staged.settle();
  const actions = staged.calls();
  await staged.bench[Symbol.asyncDispose]();
  assert.deepEqual(broken, []);
  const reads = actions.filter((action) => action.startsWith('Describe')).length;
  return { end, steps, calls: actions.length, reads };
}

/** Kills the controller at its `index`-th step. */
function killedAt(scenario: NodeScenario, index: number) {
  let step = 0;
  return stageNodes(scenario, (crash) => {
    const atStep = async (): Promise<void> => {
      step += 1;
      if (step === index) crash();
    };
    return { onCall: atStep, onWrite: atStep };
  });
}

/** Faults and kills must not delete a Node or a route that is in use. */
describe('Nodes and routes', function () {
  this.timeout(120_000);
  for (const [name, scenario] of Object.entries(NODE_SCENARIOS)) {
    it(`reach the expected result if ${name}`, async () => {
      const { end } = await reference(scenario);
      assert.equal(
        end.routes.filter((route) => route.startsWith('172.20.') && !route.startsWith('172.20.0.0/16')).length,
        end.nodes.length,
      );
      assert.ok(end.nodes.every((node) => node.split(' ')[1] === 'False'));
      assert.equal(end.routes.length, end.nodes.length + 3);
      assert.ok(end.routes.some((route) => route.startsWith(podRange(2))));
    });

    it(`reach the same result if the controller is killed before or after any step while ${name}`, async () => {
      const expected = await reference(scenario);
      for (let index = 1; index <= expected.steps; index += 1) {
        try {
          await settlesAs(await killedAt(scenario, index), expected.end);
        } catch (error) {
          throw new Error(`killed at step ${index} of ${expected.steps}`, { cause: error });
        }
      }
    });

    for (const [what, wrong] of Object.entries(WRONG_ANSWERS)) {
      it(`reach the same result if any response ${what} while ${name}`, async () => {
        const expected = await reference(scenario);
        for (let nth = 1; nth <= expected.reads; nth += 1) {
          try {
            const answered = await stageNodes(scenario, (_, isActing) => ({
              answered: answeredWrongly(nth, wrong, isActing),
            }));
            await settlesAs(answered, expected.end);
          } catch (error) {
            throw new Error(`at read ${nth} of ${expected.reads}`, { cause: error });
          }
        }
      });
    }

    for (const [what, fault] of Object.entries(EFFECTS)) {
      it(`reach the same result if any call ${what} while ${name}`, async () => {
        const expected = await reference(scenario);
        for (let nth = 1; nth <= expected.calls; nth += 1) {
          try {
            await settlesAs(await stageNodes(scenario, undefined, [{ ...fault, nth }]), expected.end);
          } catch (error) {
            throw new Error(`at call ${nth} of ${expected.calls}`, { cause: error });
          }
        }
      });
    }
  }
});
