import assert from 'node:assert/strict';
import { matchBy } from '../../../src/plan/match.ts';

const cases = {
  'creates items that only the desired side has': { desired: [1], observed: [], create: [1], remove: [] },
  'removes items that only the observed side has': { desired: [], observed: [2], create: [], remove: [2] },
  'changes nothing if both sides are equal': { desired: [3], observed: [3], create: [], remove: [] },
  'keeps the order of both sides': { desired: [5, 4], observed: [9, 8], create: [5, 4], remove: [9, 8] },
};

/** All diffs pair desired and observed items by key, so a wrong pair would needlessly delete and create a resource. */
describe('the match of desired and observed items', () => {
  for (const [title, { desired, observed, create, remove }] of Object.entries(cases)) {
    it(title, () => {
      const match = matchBy<number, number>(desired, observed, { desired: String, observed: String });
      assert.deepEqual(match.create, create);
      assert.deepEqual(match.remove, remove);
    });
  }

  it('pairs the first of several observed items with the same key and removes the rest', () => {
    const items = [{ id: 'first' }, { id: 'second' }];
    const match = matchBy(['key'], items, { desired: (item) => item, observed: () => 'key' });
    assert.deepEqual(match.keep, [{ desired: 'key', observed: items[0] }]);
    assert.deepEqual(match.remove, [items[1]]);
  });
});
