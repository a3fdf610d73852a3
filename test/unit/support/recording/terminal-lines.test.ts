import assert from 'node:assert/strict';
import { linesOf, textOf } from '../../../support/recording/terminal-lines.ts';

const ESCAPE = '\u001b';
/** Returns the lines of a single output. */
const lines = (text: string) => linesOf([{ seconds: 1, text }]);
const texts = (text: string): readonly string[] => lines(text).map(textOf);

/** The recorder converts the output of the demo into lines for the picture, and rejects an unknown sequence, which would garble the picture. */
describe('the output of a terminal', () => {
  const cases: Record<string, readonly [output: string, texts: readonly string[]]> = {
    'has a line for each line end': ['one\r\ntwo\r\n', ['one', 'two']],
    'keeps empty lines': ['one\n\ntwo\n', ['one', '', 'two']],
    'has a last line without a line end': ['one\ntwo', ['one', 'two']],
    'replaces text after a return': ['counter\rC\n', ['Counter']],
    'drops an erased line': [`  … waiting, 3 s\r${ESCAPE}[2K✓ done\n`, ['✓ done']],
    'has no spaces at the end of a line': ['one   \n', ['one']],
    'has characters outside of the basic plane as one character': ['a😀b\rA\n', ['A😀b']],
  };
  for (const [title, [output, expected]] of Object.entries(cases)) {
    it(title, () => assert.deepEqual(texts(output), expected));
  }

  it('has parts with the styles of their sequences', () => {
    const [line] = lines(
      `${ESCAPE}[36m$${ESCAPE}[39m ${ESCAPE}[1mget ${ESCAPE}[2mx${ESCAPE}[22m y${ESCAPE}[1;32mz${ESCAPE}[0m\n`,
    );
    assert.deepEqual(line?.parts, [
      { text: '$', styles: ['cyan'] },
      { text: ' ', styles: [] },
      { text: 'get ', styles: ['bold'] },
      { text: 'x', styles: ['bold', 'dim'] },
      { text: ' y', styles: [] },
      { text: 'z', styles: ['bold', 'green'] },
    ]);
  });

  it('has the time at which each line is complete', () => {
    const found = linesOf([
      { seconds: 1, text: 'one\ntw' },
      { seconds: 2.5, text: 'o\nthree' },
    ]);
    assert.deepEqual(
      found.map((line) => [textOf(line), line.seconds]),
      [
        ['one', 1],
        ['two', 2.5],
        ['three', 2.5],
      ],
    );
  });

  it('can have an escape sequence that is split over several reads', () => {
    const found = linesOf([
      { seconds: 1, text: `a${ESCAPE}` },
      { seconds: 2, text: '[3' },
      { seconds: 3, text: '2mb\n' },
    ]);
    assert.deepEqual(found[0]?.parts, [
      { text: 'a', styles: [] },
      { text: 'b', styles: ['green'] },
    ]);
  });

  for (const [what, text] of Object.entries({
    'a cursor movement': `${ESCAPE}[3A`,
    'an unknown color': `${ESCAPE}[95m`,
    'another escape sequence': `${ESCAPE}]0;title`,
    'a bell': '\u0007',
  })) {
    it(`is rejected with ${what}`, () => assert.throws(() => lines(text), /^Error: the terminal does not support /));
  }
});
