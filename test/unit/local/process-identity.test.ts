import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { identify, isRunning } from '../../../src/local/process-identity.ts';

/** Process ids are reused, but the sandbox must never stop a process of the user. */
describe('the process identity', () => {
  it('recognizes a running process, and distinguishes a reused process id', () => {
    const own = identify(process.pid);
    assert.ok(own !== undefined);
    assert.equal(isRunning(own), true);
    assert.equal(isRunning({ ...own, started: 'at another time' }), false);
  });

  it('reports an ended process as not running', async () => {
    const child = spawn(process.execPath, ['-e', 'setInterval(() => undefined, 1000)']);
    await once(child, 'spawn');
    const identity = identify(child.pid ?? 0);
    assert.ok(identity !== undefined && isRunning(identity));
    child.kill('SIGKILL');
    await once(child, 'exit');
    assert.equal(isRunning(identity), false);
    assert.equal(identify(child.pid ?? 0), undefined);
  });
});
