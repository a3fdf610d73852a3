import assert from 'node:assert/strict';
import { boundedList, boundedLists } from '../../../src/base/bounded-list-text.ts';
import { bytesIn, cutToBytes, cutToCharacters } from '../../../src/base/cut-text.ts';

const items = (count: number, length: number): string[] =>
  Array.from({ length: count }, (_, n) => String(n).padEnd(length, '.'));

/** Events, conditions and responses have size limits, so long lists are truncated between items, and end with the number of omitted items. */
describe('a bounded list', () => {
  const cases: Record<string, { of: readonly string[]; bytes: number; text: string }> = {
    'is empty without an item': { of: [], bytes: 10, text: '' },
    'contains all items if they fit exactly': { of: ['ab', 'cd', 'ef'], bytes: 10, text: 'ab; cd; ef' },
    'contains whole items only, and the number of further items': {
      of: ['abcd', 'efgh', 'ijkl', 'mnop'],
      bytes: 20,
      text: 'abcd; and 3 more',
    },
    'counts bytes, not characters': { of: ['中中', '中中', '中中'], bytes: 21, text: '中中; and 2 more' },
    'truncates an item that does not fit together with the count': {
      of: ['abcdefghijklmnop', 'k'],
      bytes: 17,
      text: 'ab…; and 1 more',
    },
    'truncates an item that does not fit alone': { of: ['abcdefghij'], bytes: 8, text: 'abcde…' },
    'never cuts inside a surrogate pair': { of: ['a😀😀'], bytes: 8, text: 'a😀…' },
  };
  for (const [title, { of, bytes, text }] of Object.entries(cases)) {
    it(title, () => {
      assert.equal(boundedList(of, { bytes }).text, text);
      assert.ok(bytesIn(text) <= bytes);
    });
  }

  it('returns the number of items in the text, and counts items that the caller did not pass', () => {
    const more = (count: number): string => `and ${count} more, listed elsewhere`;
    assert.deepEqual(boundedList(['a', 'b'], { bytes: 99, total: 9, separator: ', ', more }), {
      text: 'a, b, and 7 more, listed elsewhere',
      named: 2,
    });
  });

  it('stays within its bytes for any number and length of items', () => {
    for (const count of [1, 2, 9, 10, 11, 99, 1_500])
      for (const length of [1, 5, 60, 300])
        for (const bytes of [30, 100, 1_024]) {
          const { text, named } = boundedList(items(count, length), { bytes });
          assert.ok(bytesIn(text) <= bytes, `${count} items of ${length} in ${bytes}`);
          assert.equal(named < count, text.endsWith(`; and ${count - named} more`));
        }
  });
});

describe('bounded lists', () => {
  it('are as few as possible, with every item whole', () => {
    assert.deepEqual(boundedLists(['abcd', 'efgh', 'ijkl'], { bytes: 12 }, 5), ['abcd; efgh', 'ijkl']);
    assert.deepEqual(boundedLists([], { bytes: 12 }, 5), []);
  });

  it('are at most the allowed number, and the last has the number of further items', () => {
    assert.deepEqual(boundedLists(items(9, 8), { bytes: 22 }, 2), ['0.......; 1.......', '2.......; and 6 more']);
    assert.deepEqual(boundedLists(items(2, 8), { bytes: 22 }, 1), ['0.......; 1.......']);
  });

  it('truncate an item that exceeds any list, and continue with the next', () => {
    assert.deepEqual(boundedLists(['x'.repeat(30), 'abc'], { bytes: 13 }, 2), [`${'x'.repeat(10)}…`, 'abc']);
  });
});

describe('a truncated text', () => {
  it('in bytes has whole characters and ends with an ellipsis', () => {
    assert.deepEqual(
      [3, 6, 7, 8, 11, 12].map((limit) => cutToBytes('😀😀中', limit)),
      ['…', '…', '😀…', '😀…', '😀😀中', '😀😀中'],
    );
  });

  it('in characters counts a surrogate pair once', () => {
    assert.deepEqual([cutToCharacters('😀😀😀', 2), cutToCharacters('😀b', 2)], ['😀😀…', '😀b']);
  });
});
