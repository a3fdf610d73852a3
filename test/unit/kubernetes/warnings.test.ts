import assert from 'node:assert/strict';
import { warningsIn } from '../../../src/kubernetes/warnings.ts';

/** Commands show the warnings of the API server, such as those of the webhook. */
describe('the warnings of an answer', () => {
  for (const [title, header, expected] of [
    ['none without a header', undefined, []],
    ['one of each header', ['299 - "first"', '299 - "second"'], ['first', 'second']],
    ['several of a joined header', '299 - "first", 299 - "second"', ['first', 'second']],
    ['without escapes', String.raw`299 - "a \"quoted\" \\ text"`, [String.raw`a "quoted" \ text`]],
    ['none of another code', '110 - "stale"', []],
  ] as const)
    it(`are ${title}`, () => {
      const headers = header === undefined ? {} : { warning: header as string };
      assert.deepEqual(warningsIn(headers), expected);
    });
});
