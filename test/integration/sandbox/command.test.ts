import assert from 'node:assert/strict';
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { recordedProcess, recordedProcesses, signalProcess } from '../../../src/local/process.ts';
import { repositoryRoot } from '../../../src/local/repository.ts';
import { sandboxFolder } from '../../../src/local/sandbox-record.ts';
import { stopProcesses } from '../../../src/local/sandbox-shutdown.ts';
import { atExit } from '../../support/exit-hook.ts';
import { eventually } from '../../support/eventually.ts';

const ROOT = repositoryRoot();

interface Run {
  readonly child: ChildProcess;
  readonly ended: Promise<{ readonly code: number | null; readonly stdout: string; readonly stderr: string }>;
}

/** Runs the sandbox's command line as `make` does. */
function local(command: string | readonly string[], env: Readonly<Record<string, string>>): Run {
  const child = spawn(process.execPath, [join(ROOT, 'dist', 'src', 'local', 'main.js'), ...[command].flat()], {
    cwd: ROOT,
    env: { ...process.env, WITHOUT: 'webhook,controller', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const ended = Promise.all([once(child, 'close'), text(child.stdout), text(child.stderr)]).then(
    ([[code], stdout, stderr]) => ({ code: code as number | null, stdout, stderr }),
  );
  return { child, ended };
}

/** Contributors run these commands. A failed start must leave no process, and a misuse must have a clear message. */
describe('the command line of the sandbox', function () {
  this.timeout(180_000);

  const names: string[] = [];
  const forget = atExit(() => {
    for (const name of names) {
      for (const left of recordedProcesses(sandboxFolder(ROOT, name))) signalProcess(left, 'SIGKILL');
    }
  });
  const aName = (): string => {
    const name = `test-${process.pid}-c${names.length}`;
    names.push(name);
    return name;
  };
  after(async () => {
    for (const folder of names.map((name) => sandboxFolder(ROOT, name))) {
      await stopProcesses(folder);
      rmSync(folder, { recursive: true, force: true });
      rmSync(`${folder}.lock`, { force: true });
    }
    forget();
  });

  const nothingLeft = (name: string): void => {
    const folder = sandboxFolder(ROOT, name);
    assert.deepEqual(recordedProcesses(folder), []);
    assert.deepEqual(existsSync(folder) ? readdirSync(folder) : [], existsSync(folder) ? ['logs'] : []);
    assert.equal(existsSync(`${folder}.lock`), false);
  };

  const moments = {
    'before the first process starts': () => true,
    'while etcd starts': (folder: string) => recordedProcess(folder, 'etcd') !== undefined,
    'while kube-apiserver starts': (folder: string) => recordedProcess(folder, 'kube-apiserver') !== undefined,
    'during the installation': (folder: string) => recordedProcess(folder, 'cert-manager') !== undefined,
  };
  for (const [moment, hasCome] of Object.entries(moments)) {
    it(`leaves nothing behind after Ctrl-C ${moment}`, async () => {
      const name = aName();
      const { child, ended } = local('up', { SANDBOX: name });
      await once(child.stdout!, 'data');
      await eventually(async () => assert.ok(hasCome(sandboxFolder(ROOT, name))), 5);
      child.kill('SIGINT');
      const { code, stdout } = await ended;
      assert.equal(code, 130, stdout);
      assert.match(stdout, /\ninterrupted: stopping …\n(.*\n)*stopped; no process is left\n$/);
      nothingLeft(name);
    });
  }

  it('cleans up after a killed start, starts again, and stops', async () => {
    const name = aName();
    const folder = sandboxFolder(ROOT, name);
    const killed = local('up', { SANDBOX: name });
    await eventually(async () => assert.ok(recordedProcess(folder, 'kube-apiserver') !== undefined), 5);
    killed.child.kill('SIGKILL');
    await killed.ended;
    assert.ok(recordedProcesses(folder).length >= 2, 'what was started goes on running');

    const again = await local('up', { SANDBOX: name }).ended;
    assert.equal(again.code, 0, again.stderr);
    assert.match(again.stdout, /stopping processes of an earlier run of sandbox .*: .*etcd/);
    assert.match(again.stdout, /ready after [\d.]+ s/);
    assert.match(again.stdout, new RegExp(`SANDBOX=${name} make down`));

    const other = aName();
    const starts = await Promise.all([local('up', { SANDBOX: other }).ended, local('up', { SANDBOX: other }).ended]);
    assert.deepEqual(
      starts.map(({ code }) => code),
      [0, 0],
      starts.map(({ stderr }) => stderr).join(''),
    );
    const second = starts.filter(({ stdout }) => stdout.includes(`sandbox ${other} already runs`));
    assert.equal(second.length, 1, 'the second of two concurrent runs waits, and finds the sandbox running');
    assert.equal(recordedProcesses(folder).length, recordedProcesses(sandboxFolder(ROOT, other)).length);

    const added = await local('controller', { SANDBOX: name }).ended;
    assert.match(added.stdout, new RegExp(`✓ controller .*\\ncontroller runs in sandbox ${name}\\n$`), added.stderr);
    const twice = await local('controller', { SANDBOX: name }).ended;
    assert.equal(twice.stdout, `controller already runs in sandbox ${name}\n`);
    const kept = await local('up', { SANDBOX: name, WITHOUT: 'webhook' }).ended;
    assert.match(kept.stdout, /already runs\n/, kept.stderr);
    assert.match(kept.stdout, new RegExp(`SANDBOX=${name} make webhook`));
    assert.doesNotMatch(kept.stdout, /make controller/);

    const kwok = recordedProcess(folder, 'kwok');
    assert.ok(kwok !== undefined);
    signalProcess(kwok, 'SIGKILL');
    await eventually(async () => assert.equal(recordedProcess(folder, 'kwok'), undefined), 5);
    const left = recordedProcesses(folder);
    const incomplete = await local('up', { SANDBOX: name }).ended;
    assert.equal(incomplete.code, 1);
    assert.match(incomplete.stderr, /^sandbox \S+ runs, but kwok ended: .*kwok\.log.*make down" and .*make up"\n$/);
    assert.deepEqual(recordedProcesses(folder), left, 'what still runs is left as it is');
    const refused = await local('webhook', { SANDBOX: name }).ended;
    assert.equal(refused.code, 1);
    assert.match(refused.stderr, /^sandbox \S+ runs, but kwok ended: /);

    for (const each of [name, other]) {
      const stopped = await local('down', { SANDBOX: each }).ended;
      assert.match(stopped.stdout, new RegExp(`sandbox ${each} is stopped`));
      nothingLeft(each);
    }
    assert.match((await local('down', { SANDBOX: name }).ended).stdout, /does not run/);
  });

  const misused: Record<
    string,
    { readonly command: string | readonly string[]; readonly env?: Record<string, string>; readonly stderr: RegExp }
  > = {
    'an unknown command, with the nearest command': {
      command: 'dwon',
      stderr: /^unknown command "dwon": did you mean "down"\?\n$/,
    },
    'an argument after the command': {
      command: ['up', '--foo', 'bar'],
      stderr: /^unexpected "--foo bar" after "up": .* variables SANDBOX, WITHOUT and KUBERNETES.*\n$/,
    },
    'a part that cannot be omitted': {
      command: 'up',
      env: { WITHOUT: 'etcd' },
      stderr: /^WITHOUT=etcd contains "etcd".*\n$/,
    },
    'a part for a sandbox that does not run': {
      command: 'controller',
      env: { SANDBOX: 'never-started' },
      stderr: /^sandbox never-started does not run: start it with "SANDBOX=never-started make up"\n$/,
    },
    'an invalid name': {
      command: 'down',
      env: { SANDBOX: '../x' },
      stderr: /^SANDBOX=\.\.\/x is not a valid name.*\n$/,
    },
    'a Kubernetes version that is not available': {
      command: 'tools',
      env: { KUBERNETES: '1.1' },
      stderr: /^KUBERNETES=1\.1 is not a version that the sandbox can build: choose one of .*\n$/,
    },
  };
  for (const [title, { command, env = {}, stderr }] of Object.entries(misused)) {
    it(`rejects ${title}, in one line`, async () => {
      const result = await local(command, { SANDBOX: 'default', PORTCULLIS_TOOLS: '', KUBEBUILDER_ASSETS: '', ...env })
        .ended;
      assert.equal(result.code, 2);
      assert.match(result.stderr, stderr);
    });
  }
});
