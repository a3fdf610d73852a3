import assert from 'node:assert/strict';
import { warningsIn } from '../../../src/kubernetes/warnings.ts';

/** Commands show the warnings of the API server, such as those of the webhook. */
describe('the warnings of a response', () => {
  for (const [title, header, expected] of [
    ['are none without a header', undefined, []],
    ['are the texts of all headers', ['299 - "first"', '299 - "second"'], ['first', 'second']],
    ['are all texts of a header with several', '299 - "first", 299 - "second"', ['first', 'second']],
    ['are unescaped', String.raw`299 - "a \"quoted\" \\ text"`, [String.raw`a "quoted" \ text`]],
    ['exclude headers with another code', '110 - "stale"', []],
  ] as const)
    it(title, () => {
      const headers = header === undefined ? {} : { warning: header as string };
      assert.deepEqual(warningsIn(headers), expected);
    });
});
