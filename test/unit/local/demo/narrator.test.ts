import assert from 'node:assert/strict';
import { createNarrator, type Narrator } from '../../../../src/local/demo/narrator.ts';
import { formOf } from '../../../../src/local/terminal.ts';
import { VirtualClock } from '../../../support/virtual-clock.ts';

const CLEAR = '\r\u001b[2K';

/** Returns a narrator, and a function that returns its output. Without `columns`, the output is a pipe. */
function narrating(columns?: number) {
  let text = '';
  const clock = new VirtualClock();
  const output = { isTTY: columns !== undefined, ...(columns === undefined ? {} : { columns }), write: () => true };
  const narrator = createNarrator({ write: (more) => (text += more), form: formOf(output, {}), clock });
  return { narrator, clock, text: () => text };
}

/** Returns the output of the narrator. */
function output(narrate: (narrator: Narrator) => void, columns?: number): string {
  const { narrator, text } = narrating(columns);
  narrate(narrator);
  return text();
}

/** Removes colors. */
const plain = (text: string): string => text.replaceAll(/\u001b\[\d+m/g, '');

const DENIAL = 'The Service "web" is invalid: spec.ports[0].port: Required value: needs a port [ports]\n';

/** The demo prints to terminals and to log files. */
describe('the narrator of the demo', () => {
  it('pads headings to the width of the terminal, for any number and title', () => {
    for (const [number, title] of [
      [1, 'Short'],
      [9, 'A title that is longer'],
      [12, 'Summary'],
    ] as const) {
      const [, line = ''] = plain(output((narrator) => narrator.heading(number, 12, title), 132)).split('\n');
      assert.match(line, new RegExp(`^── ${number}/12 {2}${title} ─+$`));
      assert.equal(line.length, 132);
    }
  });

  it('pads headings to 80 columns without a terminal', () => {
    const [, line = ''] = output((narrator) => narrator.heading(1, 2, 'Short')).split('\n');
    assert.equal(line.length, 80);
  });

  for (const columns of [undefined, 40, 200]) {
    it(`wraps text at ${columns ?? 'the default of 80'} columns, between words`, () => {
      const words = Array.from({ length: 60 }, (_, index) => `word${index}`).join(' ');
      const text = output((narrator) => narrator.say(words), columns);
      assert.equal(text.trim().replaceAll('\n', ' '), words);
      const longest = Math.max(...text.split('\n').map((line) => line.length));
      assert.ok(longest <= (columns ?? 80) && longest > (columns ?? 80) - 10, `${longest}`);
    });
  }

  it('prints two denials unchanged, and each further denial on one line', () => {
    const text = output((narrator) => {
      for (let count = 0; count < 4; count += 1) narrator.denial(DENIAL);
    });
    const folded = '  denied: spec.ports[0].port: Required value: needs a port [ports]\n';
    assert.equal(text, DENIAL.repeat(2) + folded.repeat(2));
  });

  it('counts successful checks', () => {
    const { narrator } = narrating();
    narrator.confirm('one');
    narrator.confirm('another');
    assert.equal(narrator.checks(), 2);
  });

  it('reports the expected and the actual value of a failed check', () => {
    const text = output((narrator) => narrator.failure('two listeners', 'one'));
    assert.equal(text, '✗ expected: two listeners\n  found:    one\n');
  });

  it('writes escape sequences only on a terminal', () => {
    const narrate = (narrator: Narrator): void => narrator.command('kubectl get clb');
    assert.equal(output(narrate), '\n$ kubectl get clb\n');
    assert.ok(output(narrate, 80).includes('\u001b[1mkubectl get clb\u001b[22m'));
  });

  it('counts the seconds of a wait on a terminal, and removes the counter at the end', async () => {
    const { narrator, clock, text } = narrating(80);
    assert.equal(await narrator.during('the Node is deleted', () => clock.advance(2500).then(() => 'done')), 'done');
    const counters = plain(text()).split(CLEAR);
    assert.deepEqual(counters, ['', '  … the Node is deleted, 1 s', '  … the Node is deleted, 2 s', '']);
  });

  it('shows no counter for a short wait, in a pipe, or after a failure', async () => {
    const short = narrating(80);
    await short.narrator.during('a moment', async () => undefined);
    const pipe = narrating();
    await pipe.narrator.during('a wait', () => pipe.clock.advance(60_000));
    const failed = narrating(80);
    const failing = failed.narrator.during('a wait', () => Promise.reject(new Error('no address')));
    await assert.rejects(failing, /no address/);
    await failed.clock.advance(10_000);
    assert.deepEqual([short.text(), pipe.text(), failed.text()], ['', '', '']);
  });

  it('cuts the counter to the width of the terminal', async () => {
    const { narrator, clock, text } = narrating(20);
    await narrator.during('everything that the controller created is deleted', () => clock.advance(1000));
    const longest = Math.max(
      ...plain(text())
        .split(CLEAR)
        .map((line) => line.length),
    );
    assert.equal(longest, 19);
  });
});
