import assert from 'node:assert/strict';
import { rewrite, type Handling, type KeyGroup, type Rewrite, type Side } from '../../../webhook/deprecated-keys.ts';

const [NEW, OLD, OTHER] = ['x/new', 'x/old', 'x/Old'] as const;
const GROUP: KeyGroup = { current: NEW, olds: [OLD, OTHER] };
const PAIR: KeyGroup = { ...GROUP, isPair: true };

const side = (values: Side['values']): Side => ({ values, declared: { applied: new Set(), updated: new Set() } });
const changed = (before: Side['values'], after: Side['values'], handling: Handling, group = GROUP): Rewrite =>
  rewrite([group], side(after), side(before), handling);

describe('of several deprecated forms', () => {
  it('the first one counts, and all of them go', () => {
    const { operations, deprecated, replaced } = changed({}, { [OTHER]: '1', [OLD]: '2' }, 'replace');
    assert.deepEqual(operations, [
      { op: 'add', path: '/metadata/annotations/x~1new', value: '2' },
      { op: 'remove', path: '/metadata/annotations/x~1old' },
      { op: 'remove', path: '/metadata/annotations/x~1Old' },
    ]);
    assert.deepEqual(
      deprecated.map(({ old, isStored }) => [old, isStored]),
      [
        [OLD, true],
        [OTHER, false],
      ],
    );
    assert.deepEqual(
      replaced.map(({ old }) => old),
      [OLD, OTHER],
    );
  });

  const contradictory: Readonly<Record<string, readonly [values: Side['values'], told: Rewrite['contradictions']]>> = {
    'one that says something else is named beside the one that counts': [
      { [OLD]: '2', [OTHER]: '1' },
      [{ old: OTHER, current: OLD }],
    ],
    'none is named that says the same': [{ [OLD]: '2', [OTHER]: '2' }, []],
    'one that says something else is named beside the current one, which counts': [
      { [OLD]: '2', [OTHER]: '1', [NEW]: '2' },
      [{ old: OTHER, current: NEW }],
    ],
    'all are named that say something else than the current one': [
      { [OLD]: '2', [OTHER]: '1', [NEW]: '3' },
      [
        { old: OLD, current: NEW },
        { old: OTHER, current: NEW },
      ],
    ],
  };
  for (const [sentence, [values, told]] of Object.entries(contradictory)) {
    it(sentence, () => {
      for (const handling of ['keep', 'replace'] as const)
        assert.deepEqual(changed({}, values, handling).contradictions, told);
    });
  }
});

describe('a pair of keys that is kept', () => {
  it('stays where others would be replaced', () => {
    const values = { [OLD]: '1', [NEW]: '1' };
    const { operations, replaced } = changed(values, values, 'replace', PAIR);
    assert.deepEqual([operations, replaced], [[], []]);
  });

  it('goes as a whole with the old key', () => {
    const { gone } = changed({ [OLD]: '1', [NEW]: '1' }, { [NEW]: '1' }, 'replace', PAIR);
    assert.deepEqual(gone, [{ old: OLD, current: NEW }]);
  });

  it('keeps the current key where whoever takes the old one out has left that in', () => {
    const left = { ...PAIR, stays: 'left-in' } as const;
    const { operations, orphans } = changed({ [OLD]: '1', [NEW]: '1' }, { [NEW]: '1' }, 'replace', left);
    assert.deepEqual([operations, orphans], [[], [{ old: OLD, current: NEW, stays: 'left-in' }]]);
  });
});
