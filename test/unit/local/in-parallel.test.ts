import assert from 'node:assert/strict';
import { inParallel } from '../../../src/local/in-parallel.ts';

const never = new AbortController().signal;
const untilAborted = (signal: AbortSignal): Promise<void> =>
  new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason as Error)));

/** A task that still runs during the cleanup would start a process that no command stops. */
describe('parallel tasks', () => {
  it('are all complete when the promise resolves', async () => {
    const done: number[] = [];
    await inParallel(never, [async () => void done.push(1), async () => void done.push(2)]);
    assert.deepEqual(done.sort(), [1, 2]);
  });

  it('are aborted by the first failure, and all ended when its error is thrown', async () => {
    let ended = false;
    const slow = async (signal: AbortSignal): Promise<void> => {
      await untilAborted(signal).catch(() => undefined);
      await new Promise((resolve) => setImmediate(resolve));
      ended = true;
    };
    const failing = async (): Promise<void> => {
      throw new Error('first');
    };
    await assert.rejects(inParallel(never, [slow, failing]), /first/);
    assert.equal(ended, true);
  });

  it('are aborted by an outer signal', async () => {
    const outer = new AbortController();
    const running = inParallel(outer.signal, [untilAborted, untilAborted]);
    outer.abort(new Error('interrupted'));
    await assert.rejects(running, /interrupted/);
  });
});
