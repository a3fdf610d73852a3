import assert from 'node:assert/strict';
import { nearest } from '../../../src/base/nearest.ts';

const cases = {
  'a letter too many': ['regionn', 'region'],
  'a letter missing': ['regon', 'region'],
  'a wrong letter': ['tegion', 'region'],
  'two letters swapped': ['regoin', 'region'],
  'another case': ['REGION', 'region'],
  'nothing when all are far': ['bandwidth', undefined],
  'nothing for an empty word': ['', undefined],
  'the first of two that are as near': ['regionX1', 'regionX2'],
} as const;

describe('the nearest word', () => {
  for (const [sentence, [word, expected]] of Object.entries(cases)) {
    it(`is found for ${sentence}`, () => {
      assert.equal(nearest(word, ['vpcid', 'region', 'regionX2', 'regionX3']), expected);
    });
  }

  it('is none for two wrong letters in six when a quarter of them may be wrong', () => {
    assert.deepEqual([nearest('tegiox', ['region'], 4), nearest('tegiox', ['region'])], [undefined, 'region']);
  });
});
