import assert from 'node:assert/strict';
import { durationText, someOf, type StatusLine } from '../../../src/status/line.ts';
import { statusJson } from '../../../src/status/report.ts';
import { statusText } from '../../../src/status/text.ts';

const LINES: readonly StatusLine[] = [
  { name: 'leader', level: 'ok', text: 'a leads' },
  { name: 'services', level: 'wrong', text: '0 of 1', details: ['NotOwned (1): shop/web'], remedy: 'name another' },
];

/** The status must fit on a screen and be safe for a terminal. */
describe('the screen of the status', () => {
  it('has a row for each line, with details and the remedy below', () => {
    assert.equal(
      statusText({ at: 0, lines: LINES }, false),
      [
        'ok       leader    a leads',
        'wrong    services  0 of 1',
        '                   NotOwned (1): shop/web',
        '                   → name another',
        '',
      ].join('\n'),
    );
  });

  it('has colors only on a terminal', () => {
    assert.match(statusText({ at: 0, lines: LINES }, true), /\u001B\[32mok/);
    assert.doesNotMatch(statusText({ at: 0, lines: LINES }, false), /\u001B/);
  });

  it('escapes what controls a terminal', () => {
    const lines = [{ name: 'events', level: 'ok', text: 'a\u001B[2Jb\nc' }] as const;
    assert.equal(statusText({ at: 0, lines }, false), 'ok       events  a\\u001b[2Jb\\u000ac\n');
  });

  it('has the same lines in the JSON output', () => {
    assert.deepEqual(statusJson({ at: 0, lines: LINES }), {
      at: '1970-01-01T00:00:00.000Z',
      isWrong: true,
      isComplete: true,
      lines: LINES,
    });
  });
});

describe('the texts of the status', () => {
  for (const [ms, text] of [
    [-5, '0s'],
    [119_000, '119s'],
    [120_000, '2m'],
    [7_199_000, '119m'],
    [7_200_000, '2h'],
    [172_800_000, '2d'],
  ] as const)
    it(`show ${ms} ms as ${text}`, () => assert.equal(durationText(ms), text));

  it('name five objects, and count further objects', () => {
    assert.equal(someOf(['a', 'b']), 'a, b');
    assert.equal(someOf(['a', 'b', 'c', 'd', 'e', 'f', 'g']), 'a, b, c, d, e and 2 more');
  });
});
