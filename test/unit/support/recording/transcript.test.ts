import assert from 'node:assert/strict';
import { fromAsciicast, toAsciicast } from '../../../support/recording/transcript.ts';

const TRANSCRIPT = {
  width: 100,
  height: 28,
  events: [
    { seconds: 0.25, text: '$ make demo\r\n' },
    { seconds: 1.5, text: '\u001b[1m✓\u001b[0m' },
  ],
};

/** `make recording` stores the output of the demo as a transcript, which can be rendered again without another run. */
describe('a transcript', () => {
  it('is an asciicast, and is read as it was written', () => {
    const text = toAsciicast(TRANSCRIPT);
    assert.match(text, /^\{"version":2,"width":100,"height":28\}\n\[0\.25,"o","\$ make demo\\r\\n"\]\n/);
    assert.deepEqual(fromAsciicast(text), TRANSCRIPT);
  });

  it('does not include input', () => {
    const { events } = fromAsciicast('{"version":2,"width":80,"height":24}\n[1,"i","x"]\n[2,"o","y"]\n');
    assert.deepEqual(events, [{ seconds: 2, text: 'y' }]);
  });

  it('is rejected in another format', () =>
    assert.throws(() => fromAsciicast('{"version":3}\n'), /asciicast of version 2/));
});
