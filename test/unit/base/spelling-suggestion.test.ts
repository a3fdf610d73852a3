import assert from 'node:assert/strict';
import { nearest } from '../../../src/base/spelling-suggestion.ts';

const cases = {
  'an extra letter': ['regionn', 'region'],
  'a missing letter': ['regon', 'region'],
  'a wrong letter': ['tegion', 'region'],
  'two swapped letters': ['regoin', 'region'],
  'another case': ['REGION', 'region'],
  'no word if all are too different': ['bandwidth', undefined],
  'no word for an empty word': ['', undefined],
  'the first of two equally near words': ['regionX1', 'regionX2'],
} as const;

/** A wrong suggestion for a misspelled word would mislead the user. */
describe('the nearest word', () => {
  for (const [title, [word, expected]] of Object.entries(cases)) {
    it(`is found for ${title}`, () => {
      assert.equal(nearest(word, ['vpcid', 'region', 'regionX2', 'regionX3']), expected);
    });
  }

  it('is none for two wrong letters of six if a quarter can be wrong', () => {
    assert.deepEqual([nearest('tegiox', ['region'], 4), nearest('tegiox', ['region'])], [undefined, 'region']);
  });
});
