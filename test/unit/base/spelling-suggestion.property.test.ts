import assert from 'node:assert/strict';
import fc from 'fast-check';
import { nearest } from '../../../src/base/spelling-suggestion.ts';

/** Returns the edit distance by its definition: insertions, deletions, replacements, and swaps of adjacent characters. */
function distance(left: string, right: string): number {
  const memory = new Map<string, number>();
  const between = (row: number, column: number): number => {
    if (row === 0 || column === 0) return row + column;
    const key = `${row},${column}`;
    const known = memory.get(key);
    if (known !== undefined) return known;
    const same = left[row - 1] === right[column - 1] ? 0 : 1;
    const swapped = left[row - 1] === right[column - 2] && left[row - 2] === right[column - 1];
    const cost = Math.min(
      between(row - 1, column) + 1,
      between(row, column - 1) + 1,
      between(row - 1, column - 1) + same,
      row > 1 && column > 1 && swapped ? between(row - 2, column - 2) + 1 : Infinity,
    );
    memory.set(key, cost);
    return cost;
  };
  return between(left.length, right.length);
}

const word = fc.string({ unit: fc.constantFrom('a', 'b', 'c', 'd', '-'), maxLength: 14 });

/** A wrong suggestion for a misspelled key would mislead the user. */
describe('the nearest word', () => {
  it('is the first candidate with the least distance, at most about a third of its length', () => {
    fc.assert(
      fc.property(word, fc.array(word, { maxLength: 6 }), (query, candidates) => {
        const near = candidates
          .map((candidate) => ({ candidate, steps: distance(query, candidate) }))
          .filter(({ candidate, steps }) => steps <= Math.min(4, Math.max(1, Math.floor(candidate.length / 3))))
          .sort((left, right) => left.steps - right.steps);
        assert.equal(nearest(query, candidates), near[0]?.candidate);
      }),
      { numRuns: 2000 },
    );
  });

  it('is undefined for a word over 64 characters, and is never such a word', () => {
    assert.equal(nearest('a'.repeat(65), ['a'.repeat(64)]), undefined);
    assert.equal(nearest('a'.repeat(64), ['a'.repeat(65), 'a'.repeat(64)]), 'a'.repeat(64));
  });
});
