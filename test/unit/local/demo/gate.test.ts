import assert from 'node:assert/strict';
import { createGate } from '../../../../src/local/demo/gate.ts';

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

  it('has the form of the output', () => {
    const write = () => true;
    assert.deepEqual(
      [createGate({ isTTY: true, columns: 90, write }).columns, createGate({ write }).isTTY],
      [90, false],
    );
  });
});
