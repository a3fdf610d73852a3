import assert from 'node:assert/strict';
import { EventEmitter } from 'node:events';
import { PortcullisError } from '../../../src/base/errors.ts';
import type { StatusReport } from '../../../src/status/report.ts';
import { INTERVAL_MS, watchStatus } from '../../../src/status/watch.ts';
import { stopSignal } from '../../../src/status/stop-signal.ts';
import { VirtualClock } from '../../support/virtual-clock.ts';

const reportAt = (at: number): StatusReport => ({ at, lines: [] });

/** Starts a watch whose reads return these results, one after the other. */
function watching(results: readonly (StatusReport | Error)[]) {
  const clock = new VirtualClock();
  const stop = new AbortController();
  const [shown, failures]: [number[], string[]] = [[], []];
  const left = [...results];
  const ended = watchStatus({
    read: async () => {
      const next = left.shift() ?? reportAt(-1);
      if (next instanceof Error) throw next;
      return next;
    },
    show: ({ at }) => void shown.push(at),
    showFailure: ({ message }) => void failures.push(message),
    clock,
    signal: stop.signal,
  });
  return { clock, stop, shown, failures, ended };
}

/** Users watch the status during an installation, when reads fail at first. */
describe('the watch of the status', () => {
  it('reads again after an interval, and ends with the last report', async () => {
    const { clock, stop, shown, ended } = watching([reportAt(1), reportAt(2)]);
    await clock.advance(INTERVAL_MS);
    stop.abort();
    assert.equal((await ended).at, 2);
    assert.deepEqual(shown, [1, 2]);
  });

  it('shows a failure and continues', async () => {
    const failure = new PortcullisError('Unavailable', 'no answer');
    const { clock, stop, shown, failures, ended } = watching([reportAt(1), failure, reportAt(3)]);
    await clock.advance(2 * INTERVAL_MS);
    stop.abort();
    await ended;
    assert.deepEqual([shown, failures], [[1, 3], ['no answer']]);
  });

  it('fails if the first read fails', async () => {
    const failure = new PortcullisError('Unavailable', 'no answer');
    await assert.rejects(watching([failure]).ended, failure);
  });

  it('fails if a later read fails because of a defect of the program', async () => {
    const { clock, ended } = watching([reportAt(1), new TypeError('a defect')]);
    const rejected = assert.rejects(ended, TypeError);
    await clock.advance(INTERVAL_MS);
    await rejected;
  });
});

describe('the end of the watch', () => {
  for (const [title, emit] of [
    ['Ctrl-C', (process: EventEmitter) => process.emit('SIGINT')],
    ['a stop signal', (process: EventEmitter) => process.emit('SIGTERM')],
    ['a closed pipe', (_: EventEmitter, output: EventEmitter) => output.emit('error', new Error('EPIPE'))],
  ] as const)
    it(`comes with ${title}`, () => {
      const [process, output] = [new EventEmitter(), new EventEmitter()];
      const signal = stopSignal(process, output);
      assert.equal(signal.aborted, false);
      emit(process, output);
      assert.equal(signal.aborted, true);
    });
});
