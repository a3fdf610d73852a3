import assert from 'node:assert/strict';
import { createNarrator, type Narrator } from '../../../../src/local/demo/narrator.ts';

/** Returns the output of the narrator. */
function output(narrate: (narrator: Narrator) => void, coloured = false): string {
  let text = '';
  narrate(createNarrator((more) => (text += more), coloured));
  return text;
}

/** The demo prints to terminals and to log files. */
describe('the narrator of the demo', () => {
  it('pads headings to the same width, for any number and title', () => {
    for (const [number, title] of [
      [1, 'Short'],
      [9, 'A title that is longer'],
      [12, 'Summary'],
    ] as const) {
      const [, line = ''] = output((narrator) => narrator.heading(number, 12, title)).split('\n');
      assert.match(line, new RegExp(`^── ${number}/12 {2}${title} ─+$`));
      assert.equal(line.length, 100);
    }
  });

  it('wraps text at 100 columns, between words', () => {
    const words = Array.from({ length: 60 }, (_, index) => `word${index}`).join(' ');
    const text = output((narrator) => narrator.say(words));
    assert.equal(text.trim().replaceAll('\n', ' '), words);
    for (const line of text.split('\n')) assert.ok(line.length <= 100, line);
  });

  it('reports the expected and the actual value of a failed check', () => {
    const text = output((narrator) => narrator.failure('two listeners', 'one'));
    assert.equal(text, '✗ expected: two listeners\n  found:    one\n');
  });

  it('writes escape sequences only with colors enabled', () => {
    const narrate = (narrator: Narrator): void => narrator.command('kubectl get clb');
    assert.equal(output(narrate), '\n$ kubectl get clb\n');
    assert.ok(output(narrate, true).includes('\u001b[1mkubectl get clb\u001b[0m'));
  });
});
