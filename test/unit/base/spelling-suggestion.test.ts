import assert from 'node:assert/strict';
import { nearest } from '../../../src/base/spelling-suggestion.ts';

const cases = {
  'found for an extra letter': ['regionn', 'region'],
  'found for a missing letter': ['regon', 'region'],
  'found for a wrong letter': ['tegion', 'region'],
  'found for two swapped letters': ['regoin', 'region'],
  'found in another case': ['REGION', 'region'],
  'none if all words are too different': ['bandwidth', undefined],
  'none for an empty word': ['', undefined],
  'the first of two equally near words': ['regionX1', 'regionX2'],
} as const;

/** A wrong suggestion for a misspelled word would mislead the user. */
describe('the nearest word', () => {
  for (const [title, [word, expected]] of Object.entries(cases)) {
    it(`is ${title}`, () => {
      assert.equal(nearest(word, ['vpcid', 'region', 'regionX2', 'regionX3']), expected);
    });
  }

  it('is none if a third of the letters is wrong and the limit is a quarter', () => {
    assert.deepEqual([nearest('tegiox', ['region'], 4), nearest('tegiox', ['region'])], [undefined, 'region']);
  });
});
