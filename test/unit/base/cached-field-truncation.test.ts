import assert from 'node:assert/strict';
import { isBeyond, justBeyond, mapJustBeyond, sizeOf } from '../../../src/base/cached-field-truncation.ts';

const LIMITS = { entries: 3, bytes: 20 };
const all = (): boolean => true;

/** The caches shorten long lists. A shortened list keeps one item above the limit, so that rules still find the violation. */
describe('a list that a cache cuts', () => {
  for (const [length, kept] of [
    [0, 0],
    [3, 3],
    [4, 4],
    [9, 4],
  ] as const) {
    it(`keeps ${kept} of ${length} items with a limit of 3`, () => {
      const items = Array.from({ length }, (_, at) => at);
      assert.deepEqual(justBeyond(items, 3), items.slice(0, kept));
    });
  }
});

describe('a map that a cache cuts', () => {
  const ROWS: Readonly<Record<string, readonly [whole: Readonly<Record<string, string>>, kept: number]>> = {
    'keeps all entries within the limits': [{ a: '1', b: '2', c: '3' }, 3],
    'keeps a single entry above the limit on the number of entries': [{ a: '1', b: '2', c: '3', d: '4', e: '5' }, 4],
    'keeps its first entries, up to the entry that exceeds the limit in bytes': [
      { a: '1'.repeat(15), b: '2'.repeat(15), c: '3' },
      2,
    ],
  };
  for (const [title, [whole, kept]] of Object.entries(ROWS)) {
    it(title, () => {
      const cut = mapJustBeyond(whole, LIMITS);
      assert.deepEqual(cut, Object.fromEntries(Object.entries(whole).slice(0, kept)));
      assert.equal(isBeyond(sizeOf(cut, all), LIMITS), isBeyond(sizeOf(whole, all), LIMITS));
      assert.deepEqual(mapJustBeyond(cut, LIMITS), cut);
    });
  }

  it('keeps all entries that are exempt from the limits', () => {
    const own = { z1: 'x'.repeat(99), z2: '', z3: '' };
    const whole = { a: '1', b: '2', c: '3', d: '4', e: '5', ...own };
    const kept = mapJustBeyond(whole, LIMITS, (key) => !(key in own));
    assert.deepEqual(kept, { a: '1', b: '2', c: '3', d: '4', ...own });
  });
});
