import assert from 'node:assert/strict';
import { cut, durationText, formOf } from '../../../src/local/terminal.ts';

const write = () => true;

/** The commands adapt their output to the width of the terminal. Without a terminal, the output has no colors. */
describe('the form of an output', () => {
  const widths: Record<string, readonly [output: { isTTY?: boolean; columns?: number }, width: number]> = {
    'has the width of the terminal': [{ isTTY: true, columns: 132 }, 132],
    'has 80 columns on a terminal without a size': [{ isTTY: true, columns: 0 }, 80],
    'has 80 columns in a pipe': [{ columns: 200 }, 80],
  };
  for (const [title, [output, width]] of Object.entries(widths)) {
    it(title, () => assert.equal(formOf({ ...output, write }, {}).width, width));
  }

  it('has colors only on a terminal, and not with NO_COLOR', () => {
    const painted = (isTTY: boolean, env: NodeJS.ProcessEnv): string =>
      formOf({ isTTY, write }, env).paint('bold', 'x');
    assert.equal(painted(true, {}), '\u001b[1mx\u001b[22m');
    assert.deepEqual([painted(false, {}), painted(true, { NO_COLOR: '1' })], ['x', 'x']);
  });
});

describe('a text for a terminal', () => {
  it('is cut at the width', () =>
    assert.deepEqual([cut('abcdef', 6), cut('abcdef', 4), cut('ab', 0)], ['abcdef', 'abc…', '…']));

  it('shows a duration in seconds, or in minutes and seconds', () =>
    assert.deepEqual([400, 42_000, 59_600, 185_000].map(durationText), ['0 s', '42 s', '1 min 0 s', '3 min 5 s']));
});
