import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { launchFile } from '../../../../src/local/kubelet/launch-spec.ts';
import { underProcessLock, Restarts } from '../../../../src/local/kubelet/restart.ts';
import { signalProcess, recordedProcess, startProcess, stopProcess } from '../../../../src/local/process.ts';
import { eventually } from '../../../support/eventually.ts';
import { temporaryFolder } from '../../../support/folder.ts';
import { VirtualClock } from '../../../support/virtual-clock.ts';

const LASTING = {
  name: 'controller',
  command: process.execPath,
  args: ['-e', 'setInterval(() => undefined, 1000)'],
};

/** Starts a process as the part `controller`, with a kubelet that restarts the process. */
async function aController() {
  const folder = temporaryFolder();
  const clock = new VirtualClock();
  mkdirSync(dirname(launchFile(folder.path, 'controller')), { recursive: true });
  writeFileSync(launchFile(folder.path, 'controller'), JSON.stringify(LASTING));
  await startProcess(folder.path, LASTING);
  const restarts = new Restarts(folder.path, clock);
  const running = () => recordedProcess(folder.path, 'controller');
  const pass = (): Promise<boolean> => restarts.restartIfDue('controller');
  const crash = async (): Promise<void> => {
    const found = running();
    assert.ok(found !== undefined);
    signalProcess(found, 'SIGKILL');
    await eventually(async () => assert.equal(running(), undefined), 5);
  };
  /** Returns the seconds of back-off until the next start. */
  const backOff = async (): Promise<number> => {
    for (let seconds = 0; seconds <= 60; seconds += 1) {
      if (await pass()) return seconds;
      await clock.advance(1000);
    }
    throw new Error('it was not started again within a minute');
  };
  return {
    folder: folder.path,
    ...{ clock, pass, running, crash, backOff },
    [Symbol.asyncDispose]: async () => {
      const found = running();
      if (found !== undefined) await stopProcess(folder.path, found, 0);
      folder[Symbol.dispose]();
    },
  };
}

/** A crashed part must restart as in a cluster, and a stopped part must stay stopped. */
describe('a part that exited', () => {
  it('restarts after 1 s, doubling to 30 s, and a run of 5 minutes resets the delay', async () => {
    await using controller = await aController();
    assert.equal(await controller.pass(), false, 'a running part is not started again');
    const seconds: number[] = [];
    for (let crashes = 0; crashes < 7; crashes += 1) {
      await controller.crash();
      seconds.push(await controller.backOff());
      assert.ok(controller.running() !== undefined);
    }
    assert.deepEqual(seconds, [1, 2, 4, 8, 16, 30, 30]);
    await controller.pass();
    await controller.clock.advance(300_000);
    await controller.crash();
    assert.equal(await controller.backOff(), 1);
  });

  it('does not restart if it was stopped on purpose', async () => {
    await using controller = await aController();
    const found = controller.running();
    assert.ok(found !== undefined);
    await stopProcess(controller.folder, found, 0);
    await assert.rejects(controller.backOff(), /not started again/);
  });

  it('does not restart if a user started it in the meantime', async () => {
    await using controller = await aController();
    await controller.crash();
    await controller.pass();
    await controller.clock.advance(1000);
    let passing: Promise<boolean> | undefined;
    await underProcessLock(controller.folder, 'controller', async () => {
      passing = controller.pass();
      await startProcess(controller.folder, LASTING);
    });
    const pid = controller.running()?.identity.pid;
    assert.equal(await passing, false);
    assert.equal(controller.running()?.identity.pid, pid);
  });
});
