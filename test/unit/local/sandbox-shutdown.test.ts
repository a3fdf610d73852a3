import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { recordedProcesses, startProcess, untilReady } from '../../../src/local/process.ts';
import { writeRecord } from '../../../src/local/sandbox-record.ts';
import { removeFiles, stopProcesses } from '../../../src/local/sandbox-shutdown.ts';
import { temporaryFolder } from '../../support/folder.ts';

/** Returns a process that records its end in a shared file. */
const noting = (folder: string, name: string) => ({
  name,
  command: process.execPath,
  args: [
    '-e',
    `process.on('SIGTERM', () => { require('node:fs').appendFileSync('${join(folder, 'ends')}', '${name} '); process.exit(); });
     console.log('up'); setInterval(() => undefined, 1000)`,
  ],
});

/** A wrong order of the shutdown would leave processes, or make them log errors. */
describe('the shutdown of a sandbox', () => {
  it('stops our processes, then clients of the API server, kills the rest, and counts all', async () => {
    using folder = temporaryFolder();
    for (const name of ['etcd', 'kwok', 'controller', 'unheard-of']) {
      const started = await startProcess(folder.path, noting(folder.path, name));
      await untilReady<true>(started, () => (readFileSync(started.log, 'utf8').includes('up') ? true : undefined), {
        timeoutMs: Infinity,
      });
    }
    assert.equal(await stopProcesses(folder.path), 4);
    assert.deepEqual(recordedProcesses(folder.path), []);
    assert.equal(readFileSync(join(folder.path, 'ends'), 'utf8'), 'controller kwok ');
    assert.equal(await stopProcesses(folder.path), 0);
  });

  it('keeps the logs, and removes everything else, including its socket elsewhere', () => {
    using folder = temporaryFolder();
    using elsewhere = temporaryFolder();
    const socketFolder = join(elsewhere.path, 'portcullis-x');
    mkdirSync(socketFolder);
    mkdirSync(join(folder.path, 'logs'));
    mkdirSync(join(folder.path, 'pki'));
    writeFileSync(join(folder.path, 'logs', 'etcd.log'), 'x');
    writeRecord({
      name: 'default',
      folder: folder.path,
      state: 'ready',
      without: [],
      address: { server: '', certificateAuthority: '' },
      ports: { webhook: {}, controller: {} },
      egressSocket: join(socketFolder, 'egress.sock'),
      environment: {},
    });
    removeFiles(folder.path);
    assert.deepEqual(readdirSync(folder.path), ['logs']);
    assert.equal(existsSync(join(folder.path, 'logs', 'etcd.log')), true);
    assert.equal(existsSync(socketFolder), false);
  });

  it('does nothing without a sandbox', async () => {
    using folder = temporaryFolder();
    const none = join(folder.path, 'none');
    assert.equal(await stopProcesses(none), 0);
    removeFiles(none);
    assert.equal(existsSync(none), false);
  });
});
