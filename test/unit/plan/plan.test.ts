import assert from 'node:assert/strict';
import { changedFields } from '../../../src/plan/changed-fields.ts';
import { blockWhere, applyGuards } from '../../../src/plan/guard.ts';
import { renderPlan } from '../../../src/plan/render.ts';

interface Shape {
  readonly size?: number;
  readonly name?: string;
  readonly tags?: readonly string[];
}

/** A needless field in the plan for a load balancer, a Node or a route would cost a call in each sync. */
describe('the changed fields of a resource', () => {
  const cases: Record<string, { desired: Shape; observed: Shape; set: Shape }> = {
    'have another value': { desired: { size: 2, name: 'a' }, observed: { size: 1, name: 'a' }, set: { size: 2 } },
    'include a field with the value zero': { desired: { size: 0 }, observed: { size: 1 }, set: { size: 0 } },
    'exclude fields that are not desired': { desired: {}, observed: { size: 1 }, set: {} },
    'exclude lists with equal items': { desired: { tags: ['a'] }, observed: { tags: ['a'] }, set: {} },
  };
  for (const [title, { desired, observed, set }] of Object.entries(cases)) {
    it(title, () => assert.deepEqual(changedFields(desired, observed, ['size', 'name', 'tags']), set));
  }
});

describe('a plan', () => {
  const noThree = blockWhere<number>('NoThree', (action) => (action === 3 ? 'three is not allowed' : undefined));

  it('loses the actions that a guard blocks, and contains the reason', () => {
    assert.deepEqual(applyGuards({ actions: [1, 3], blocked: [] }, [noThree]), {
      actions: [1],
      blocked: [{ action: 3, rule: 'NoThree', reason: 'three is not allowed' }],
    });
  });

  it('prints a line per action, then the blocked actions', () => {
    const plan = applyGuards({ actions: [1, 3], blocked: [{ rule: 'Fixed', reason: 'it cannot be' }] }, [noThree]);
    assert.equal(
      renderPlan(plan, (action) => `do ${String(action)}`),
      'do 1\nblocked (Fixed): it cannot be\nblocked (NoThree): do 3: three is not allowed\n',
    );
  });

  it('prints "no changes" if it is empty', () => {
    assert.equal(renderPlan({ actions: [], blocked: [] }, String), 'no changes\n');
  });
});
