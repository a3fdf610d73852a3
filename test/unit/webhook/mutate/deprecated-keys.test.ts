import assert from 'node:assert/strict';
import fc from 'fast-check';
import { rewrite } from '../../../../webhook/mutate/deprecated-keys.ts';
import { KEY_DECISIONS, type KeyHandling } from '../../../../webhook/mutate/current-key-decisions.ts';
import { NEW, OLD, rewritten, side, stored, type SideInput } from '../../../support/deprecated-key-cases.ts';

/** Wrong operations would lose an annotation or repeat forever. */
describe('deprecated keys', () => {
  it('have decision tables with a different request in each row', () => {
    for (const rows of Object.values(KEY_DECISIONS)) {
      assert.equal(new Set(rows.map(({ request }) => request)).size, rows.length);
    }
  });

  it('are escaped in the paths of operations', () => {
    const group = { current: 'a~b/new', deprecatedForms: ['a~b/old'] };
    const after = { ...side(), values: { 'a~b/old': '1' } };
    const request = { after, before: side(), isApply: false };
    assert.deepEqual(rewrite([group], request, () => 'replace').operations, [
      { op: 'add', path: '/metadata/annotations/a~0b~1new', value: '1' },
      { op: 'remove', path: '/metadata/annotations/a~0b~1old' },
    ]);
  });

  it('change nothing on reinvocation, for any request that an API server can send', () => {
    const value = fc.option(fc.constantFrom('1', '2'), { nil: undefined });
    const keys = fc.subarray([OLD, NEW]);
    const anySide = fc.record(
      { old: value, new: value, manifest: keys, applied: keys, owned: keys, isUnreadable: fc.constant(true) },
      { requiredKeys: ['old', 'new', 'applied', 'owned'] },
    );
    const anyHandling = fc.constantFrom<KeyHandling>('keep', 'replace');
    fc.assert(
      fc.property(anySide, anySide, fc.boolean(), anyHandling, (now, then, isApply, handling) => {
        const before = side(then as SideInput);
        const after = side(asOwned(now as SideInput, then as SideInput, isApply));
        const values = stored(handling, { after, before, isApply });
        assert.deepEqual(rewritten(handling, { after: { ...after, values }, before, isApply }).operations, []);
      }),
      { numRuns: 20_000, seed: 1 },
    );
  });
});

/** Returns the new side with the ownership that an API server adds: the writer of the old key owns the key. */
function asOwned(after: SideInput, before: SideInput, isApply: boolean): SideInput {
  const { applied = [], owned = [], manifest } = after;
  if (after.old === undefined) return after;
  if (isApply) return { ...after, applied: [...applied, OLD] };
  const declaring = manifest !== undefined && before.manifest?.includes(OLD) === true && before.owned?.includes(OLD);
  return { ...after, owned: [...owned, OLD], ...(declaring === true ? { manifest: [...manifest, OLD] } : {}) };
}
