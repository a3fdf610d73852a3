import assert from 'node:assert/strict';
import { plain } from '../../../../src/rules/engine/text.ts';

describe('plain text in a message', () => {
  it('is cut as short as is asked for, however often', () => {
    for (const [limit, shown] of [
      [400, 'abcd'],
      [2, 'ab…'],
      [4, 'abcd'],
    ] as const)
      assert.equal(plain('abcd', limit), shown);
  });

  it('stays on one line', () => assert.equal(plain('a\nb"c'), 'a\\u000ab"c'));

  it('shows half a character as an escape', () => assert.equal(plain('a\ud800'), 'a\\ud800'));
});
