import assert from 'node:assert/strict';
import { isBeyond, justBeyond, mapJustBeyond, sizeOf } from '../../../src/base/truncation.ts';

const LIMITS = { entries: 3, bytes: 20 };
const all = (): boolean => true;

/** Caches cut long lists. They keep one more item than the limit, so that rules still notice the violation. */
describe('the kept part of a list', () => {
  for (const [length, kept] of [
    [0, 0],
    [3, 3],
    [4, 4],
    [9, 4],
  ] as const) {
    it(`has ${kept} of ${length} items with a limit of 3`, () => {
      const items = Array.from({ length }, (_, at) => at);
      assert.deepEqual(justBeyond(items, 3), items.slice(0, kept));
    });
  }
});

describe('the kept part of a map', () => {
  const ROWS: Readonly<Record<string, readonly [whole: Readonly<Record<string, string>>, kept: number]>> = {
    'is the map within the limits': [{ a: '1', b: '2', c: '3' }, 3],
    'has a single entry above the limit': [{ a: '1', b: '2', c: '3', d: '4', e: '5' }, 4],
    'has the first entries that exceed the limit together': [{ a: '1'.repeat(15), b: '2'.repeat(15), c: '3' }, 2],
  };
  for (const [title, [whole, kept]] of Object.entries(ROWS)) {
    it(title, () => {
      const cut = mapJustBeyond(whole, LIMITS);
      assert.deepEqual(cut, Object.fromEntries(Object.entries(whole).slice(0, kept)));
      assert.equal(isBeyond(sizeOf(cut, all), LIMITS), isBeyond(sizeOf(whole, all), LIMITS));
      assert.deepEqual(mapJustBeyond(cut, LIMITS), cut);
    });
  }

  it('has every exempt entry', () => {
    const own = { z1: 'x'.repeat(99), z2: '', z3: '' };
    const whole = { a: '1', b: '2', c: '3', d: '4', e: '5', ...own };
    const kept = mapJustBeyond(whole, LIMITS, (key) => !(key in own));
    assert.deepEqual(kept, { a: '1', b: '2', c: '3', d: '4', ...own });
  });
});
