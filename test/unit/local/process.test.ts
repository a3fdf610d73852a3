import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { systemClock } from '../../../src/base/clock.ts';
import { identify, isRunning } from '../../../src/local/process-identity.ts';
import {
  lastLines,
  logFile,
  recordedProcess,
  recordedProcesses,
  signalProcess,
  startProcess,
  stopProcess,
  untilReady,
  type ManagedProcess,
} from '../../../src/local/process.ts';
import { temporaryFolder } from '../../support/folder.ts';

const node = (name: string, script: string) => ({ name, command: process.execPath, args: ['-e', script] });
const HOUR_MS = 3_600_000;
const POLITE = 'console.log("up"); setInterval(() => undefined, 1000)';
const STUBBORN = `process.on('SIGTERM', () => console.log('no')); ${POLITE}`;

const hasPrinted = (target: ManagedProcess, text: string): boolean => readFileSync(target.log, 'utf8').includes(text);

const printed = (target: ManagedProcess, text: string): Promise<true> =>
  untilReady<true>(target, () => (hasPrinted(target, text) ? true : undefined), { timeoutMs: Infinity });

/** A command of the sandbox can be interrupted, so the next command must find and stop all processes of the interrupted command. */
describe('a supervised process', () => {
  it('has its log and record in the folder, and loses the record when it is stopped', async () => {
    using folder = temporaryFolder();
    const started = await startProcess(folder.path, node('one', POLITE));
    await printed(started, 'up');
    assert.equal(started.log, logFile(folder.path, 'one'));
    assert.deepEqual(recordedProcess(folder.path, 'one'), started);
    assert.deepEqual(recordedProcesses(folder.path), [started]);
    await stopProcess(folder.path, started, 5000);
    assert.equal(isRunning(started.identity), false);
    assert.deepEqual(recordedProcesses(folder.path), []);
  });

  it('keeps its record if a previous process of the same name is stopped again', async () => {
    using folder = temporaryFolder();
    const first = await startProcess(folder.path, node('one', POLITE));
    await stopProcess(folder.path, first, 0);
    const second = await startProcess(folder.path, node('one', POLITE));
    await stopProcess(folder.path, first, 0);
    assert.deepEqual(recordedProcesses(folder.path), [second]);
    await stopProcess(folder.path, second, 0);
    assert.deepEqual(recordedProcesses(folder.path), []);
  });

  it('is killed after its grace period', async () => {
    using folder = temporaryFolder();
    const started = await startProcess(folder.path, node('stubborn', STUBBORN));
    await printed(started, 'up');
    let readings = 0;
    const hasPassed = (): boolean => readings++ > 0 && hasPrinted(started, 'no');
    // The clock jumps by an hour after the first reading, once the process has ignored its signal.
    const clock = { ...systemClock, monotonic: () => systemClock.monotonic() + (hasPassed() ? HOUR_MS : 0) };
    await stopProcess(folder.path, started, HOUR_MS, clock);
    assert.equal(isRunning(started.identity), false);
  });

  it('is killed together with its children', async () => {
    using folder = temporaryFolder();
    const script = `const c = require('node:child_process').spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)']);
      console.log('child ' + c.pid + ' up'); setInterval(() => undefined, 1000)`;
    const started = await startProcess(folder.path, node('parent', script));
    await printed(started, 'up');
    const child = Number(/child (\d+)/.exec(readFileSync(started.log, 'utf8'))?.[1]);
    await stopProcess(folder.path, started, 0);
    while (identify(child) !== undefined) await systemClock.sleep(10);
  });

  it('is killed even if it is frozen', async () => {
    using folder = temporaryFolder();
    const started = await startProcess(folder.path, node('frozen', POLITE));
    signalProcess(started, 'SIGSTOP');
    await stopProcess(folder.path, started, 100);
    assert.equal(isRunning(started.identity), false);
  });

  it('inherits no variables that change its behavior', async () => {
    using folder = temporaryFolder();
    process.env['ETCD_NAME'] = 'leaked';
    try {
      const script = `console.log(JSON.stringify([process.env.ETCD_NAME, process.env.MINE, !!process.env.PATH]), 'up')`;
      const started = await startProcess(folder.path, { ...node('clean', script), env: { MINE: 'yes' } });
      await printed(started, 'up').catch(() => undefined);
      assert.match(readFileSync(started.log, 'utf8'), /\[null,"yes",true\]/);
    } finally {
      delete process.env['ETCD_NAME'];
    }
  });

  it('that ends before it is ready causes an error with the end of its log', async () => {
    using folder = temporaryFolder();
    const started = await startProcess(
      folder.path,
      node('broken', 'console.error("the port is taken"); process.exit(3)'),
    );
    const waiting = untilReady(started, () => undefined, { timeoutMs: Infinity });
    await assert.rejects(waiting, /broken stopped before it was ready.*\n {2}the port is taken/s);
  });

  it('that does not become ready in time causes an error', async () => {
    using folder = temporaryFolder();
    const started = await startProcess(folder.path, node('slow', POLITE));
    await assert.rejects(
      untilReady(started, () => undefined, { timeoutMs: 100 }),
      /slow is not ready after 0 s/,
    );
    await stopProcess(folder.path, started, 0);
  });

  it('is no longer awaited after an abort', async () => {
    using folder = temporaryFolder();
    const started = await startProcess(folder.path, node('aborted', POLITE));
    const aborted = AbortSignal.abort(new Error('enough'));
    await assert.rejects(
      untilReady(started, () => undefined, { timeoutMs: Infinity, signal: aborted }),
      /enough/,
    );
    await stopProcess(folder.path, started, 0);
  });

  it('whose program does not exist is rejected with a message, and leaves no record', async () => {
    using folder = temporaryFolder();
    const spec = { name: 'ghost', command: join(folder.path, 'no-such-program'), args: [] };
    await assert.rejects(startProcess(folder.path, spec), {
      reason: 'InvalidConfiguration',
      message: /failed to start ghost: .*ENOENT/,
    });
    assert.deepEqual(recordedProcesses(folder.path), []);
  });

  it('with a truncated or foreign record is absent', () => {
    using folder = temporaryFolder();
    mkdirSync(join(folder.path, 'processes'));
    writeFileSync(join(folder.path, 'processes', 'cut.json'), '{"pid":');
    writeFileSync(
      join(folder.path, 'processes', 'other.json'),
      JSON.stringify({ pid: process.pid, started: 'long ago' }),
    );
    assert.deepEqual(recordedProcesses(folder.path), []);
    assert.equal(existsSync(join(folder.path, 'logs')), false);
  });
});

describe('the end of a log', () => {
  it('is its last lines, indented', () => {
    using folder = temporaryFolder();
    const path = join(folder.path, 'x.log');
    writeFileSync(path, Array.from({ length: 40 }, (_, index) => `line ${index}`).join('\n') + '\n');
    const lines = lastLines(path).split('\n');
    assert.equal(lines.length, 12);
    assert.equal(lines.at(-1), '  line 39');
  });

  it('is reported as empty for an empty log', () => {
    assert.equal(lastLines('/no/such/file'), '  (empty)');
  });
});
