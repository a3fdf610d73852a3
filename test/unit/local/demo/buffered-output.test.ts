import assert from 'node:assert/strict';
import { createBufferedOutput } from '../../../../src/local/demo/buffered-output.ts';

/** The demo runs its first step while the sandbox starts, but the progress of the start must not appear between the lines of the step. */
describe('a buffered output', () => {
  it('keeps texts in their order until it is opened', () => {
    const written: string[] = [];
    const buffered = createBufferedOutput({ isTTY: true, columns: 90, write: (text) => written.push(text) });
    buffered.write('one');
    buffered.write('two');
    assert.deepEqual(written, []);
    buffered.open();
    buffered.write('three');
    assert.deepEqual(written, ['one', 'two', 'three']);
  });

  it('has the width of the output, and is a terminal if the output is a terminal', () => {
    const write = () => true;
    assert.deepEqual(
      [createBufferedOutput({ isTTY: true, columns: 90, write }).columns, createBufferedOutput({ write }).isTTY],
      [90, false],
    );
  });
});
