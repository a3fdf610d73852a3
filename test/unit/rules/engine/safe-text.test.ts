import assert from 'node:assert/strict';
import { plain } from '../../../../src/rules/engine/safe-text.ts';

/** Values of users appear in messages and must not forge lines or control a terminal. */
describe('plain text in a message', () => {
  it('is truncated to the requested length, even if the same text was used with another length', () => {
    for (const [limit, shown] of [
      [400, 'abcd'],
      [2, 'ab…'],
      [4, 'abcd'],
    ] as const)
      assert.equal(plain('abcd', limit), shown);
  });

  it('stays on a single line', () => assert.equal(plain('a\nb"c'), 'a\\u000ab"c'));

  it('shows an unpaired surrogate as an escape', () => assert.equal(plain('a\ud800'), 'a\\ud800'));
});
