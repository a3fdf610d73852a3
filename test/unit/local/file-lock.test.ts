import assert from 'node:assert/strict';
import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { systemClock } from '../../../src/base/clock.ts';
import { withLock } from '../../../src/local/file-lock.ts';
import { temporaryFolder } from '../../support/folder.ts';

/** The number of processes, enough for some to arrive while another takes the lock. */
const COMERS = 40;
const clock = { ...systemClock, sleep: () => nextTurn() };

/** Tests and users build tools in one cache, so two builds of a tool must not disturb each other. */
describe('a lock file', () => {
  it('has a single owner at a time, and is removed after the last', async () => {
    using folder = temporaryFolder();
    const path = join(folder.path, 'up.lock');
    let [inside, most] = [0, 0];
    const work = async (): Promise<void> => {
      inside += 1;
      most = Math.max(most, inside);
      for (let step = 0; step < 5; step += 1) await nextTurn();
      inside -= 1;
    };
    const all = Array.from({ length: COMERS }, () => withLock(path, { clock, waiting: () => undefined }, work));
    await Promise.all(all);
    assert.deepEqual([most, readdirSync(folder.path)], [1, []]);
  });

  for (const [what, text] of Object.entries({
    'with a dead owner': JSON.stringify({ pid: 2 ** 30, started: '1' }),
    'without content': '',
  }))
    it(`${what} is replaced`, async () => {
      using folder = temporaryFolder();
      const path = join(folder.path, 'up.lock');
      writeFileSync(path, text);
      assert.equal(
        await withLock(path, { clock, waiting: () => undefined }, async () => readdirSync(folder.path).length),
        1,
      );
      assert.deepEqual(readdirSync(folder.path), []);
    });
});
