import assert from 'node:assert/strict';
import { createGate } from '../../../../src/local/demo/buffered-output.ts';

/** The demo runs its first step while the sandbox starts. The gate holds back the progress of the start until the step has printed. */
describe('a gate before an output', () => {
  it('keeps texts in their order until it is opened', () => {
    const written: string[] = [];
    const gate = createGate({ isTTY: true, columns: 90, write: (text) => written.push(text) });
    gate.write('one');
    gate.write('two');
    assert.deepEqual(written, []);
    gate.open();
    gate.write('three');
    assert.deepEqual(written, ['one', 'two', 'three']);
  });

  it('has the width of the output, and is a terminal if the output is a terminal', () => {
    const write = () => true;
    assert.deepEqual(
      [createGate({ isTTY: true, columns: 90, write }).columns, createGate({ write }).isTTY],
      [90, false],
    );
  });
});
