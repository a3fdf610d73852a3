import assert from 'node:assert/strict';
import { rewrite, type KeyGroup, type Rewrite, type Side } from '../../../../webhook/mutate/deprecated-keys.ts';
import type { KeyHandling } from '../../../../webhook/mutate/current-key-decisions.ts';

const [NEW, OLD, OTHER] = ['x/new', 'x/old', 'x/Old'] as const;
const GROUP: KeyGroup = { current: NEW, deprecatedForms: [OLD, OTHER] };

const side = (values: Side['values']): Side => ({
  values,
  ownership: { applied: new Set(), updated: new Set(), isComplete: true },
});
const changed = (before: Side['values'], after: Side['values'], handling: KeyHandling): Rewrite =>
  rewrite([GROUP], { after: side(after), before: side(before), isApply: false }, () => handling);

/** A key with several deprecated forms must keep the value that had an effect. */
describe('several deprecated forms of a key', () => {
  it('are all removed, and the first has effect', () => {
    const { operations, deprecated } = changed({}, { [OTHER]: '1', [OLD]: '2' }, 'replace');
    assert.deepEqual(operations, [
      { op: 'add', path: '/metadata/annotations/x~1new', value: '2' },
      { op: 'remove', path: '/metadata/annotations/x~1old' },
      { op: 'remove', path: '/metadata/annotations/x~1Old' },
    ]);
    assert.deepEqual(deprecated, [
      { old: OLD, current: NEW, isReplaced: true, takesEffect: true },
      { old: OTHER, current: NEW, isReplaced: true, takesEffect: false },
    ]);
  });

  const contradictory: Readonly<
    Record<string, readonly [values: Side['values'], expected: Rewrite['contradictions']]>
  > = {
    'cause a warning that names a form with another value and the form in effect': [
      { [OLD]: '2', [OTHER]: '1' },
      [{ old: OTHER, current: OLD }],
    ],
    'cause no warning for a form with the same value': [{ [OLD]: '2', [OTHER]: '2' }, []],
    'cause a warning that names a form with another value and the current key in effect': [
      { [OLD]: '2', [OTHER]: '1', [NEW]: '2' },
      [{ old: OTHER, current: NEW }],
    ],
    'cause a warning that names all forms with other values than the current key': [
      { [OLD]: '2', [OTHER]: '1', [NEW]: '3' },
      [
        { old: OLD, current: NEW },
        { old: OTHER, current: NEW },
      ],
    ],
  };
  for (const [title, [values, expected]] of Object.entries(contradictory)) {
    it(title, () => {
      for (const handling of ['keep', 'replace'] as const)
        assert.deepEqual(changed({}, values, handling).contradictions, expected);
    });
  }
});
