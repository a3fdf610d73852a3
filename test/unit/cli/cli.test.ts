import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { closeSync, openSync, readFileSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { VERSION } from '../../../src/version.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { aTerminal } from '../../support/terminal.ts';

const ROOT = join(import.meta.dirname, '..', '..', '..');
const MAIN = join(ROOT, 'src', 'main.ts');
/** The file that packages install. */
const LAUNCHER = join(ROOT, 'src', 'launcher.js');

const COMMANDS = [
  'webhook',
  'controller',
  'status',
  'plan',
  'graph',
  'lint',
  'policy',
  'explain',
  'rules',
  'completion',
  'version',
];

const misuse = {
  'an unknown command': [['explian'], "error: unknown command 'explian' (did you mean explain?)"],
  'an unknown command without a similar command': [['zzz'], "error: unknown command 'zzz' (--help lists the commands)"],
  'an unknown command with a help flag': [
    ['webhok', '--help'],
    "error: unknown command 'webhok' (did you mean webhook?)",
  ],
  'help for an unknown command': [['help', 'explane'], "error: unknown command 'explane' (did you mean explain?)"],
  'an unknown option': [['explain', '--ouput', 'json'], "error: unknown option '--ouput' (did you mean --output?)"],
  'an unknown option of the program': [['--verson'], "error: unknown option '--verson' (did you mean --version?)"],
  'an unknown option in addition to a missing required option': [
    ['plan', '--cloud-confg', 'cloud.conf'],
    "error: unknown option '--cloud-confg' (did you mean --cloud-config?)",
  ],
  'a missing required option': [
    ['plan'],
    'error: --cloud-config is missing (the cloud-config file, JSON or YAML, in the format of the Alibaba Cloud Controller Manager)',
  ],
  'an unknown short option': [['version', '-x'], "error: unknown option '-x' (--help lists the options)"],
  'an invalid choice': [
    ['explain', '-o', 'jsn'],
    "error: option '-o, --output <format>' argument 'jsn' is invalid. Allowed choices are text, json, markdown. (did you mean json?)",
  ],
  'an option without its value': [['explain', '-o'], "error: option '-o, --output <format>' argument missing"],
  'an extra argument': [
    ['version', 'now'],
    "error: too many arguments for 'version'. Expected 0 arguments but got 1: now.",
  ],
  'an unknown name': [['explain', 'bandwith'], 'error: unknown name "bandwith": did you mean bandwidth?'],
} as const;

/** Scripts use exit codes and single lines, and users read the help. */
describe('the command line', () => {
  for (const [title, [args, line]] of Object.entries(misuse)) {
    it(`answers ${title} with a single line and exit code 2`, async () => {
      const terminal = aTerminal();
      assert.equal(await terminal.run(...args), 2);
      assert.equal(terminal.err(), `${line}\n`);
      assert.equal(terminal.out(), '');
    });
  }

  it('prints its help, with each command, and exits with 0', async () => {
    for (const args of [['--help'], ['-h'], ['help']]) {
      const terminal = aTerminal();
      assert.equal(await terminal.run(...args), 0);
      for (const command of COMMANDS) {
        assert.match(terminal.out(), new RegExp(`^  ${command} +\\S`, 'm'));
      }
      assert.equal(terminal.err(), '');
    }
  });

  it('prints its help as an error without a command', async () => {
    const terminal = aTerminal();
    assert.equal(await terminal.run(), 2);
    assert.match(terminal.err(), /^Usage: portcullis/);
  });

  for (const command of COMMANDS) {
    it(`prints the help of ${command}, with both forms of the request`, async () => {
      const flag = aTerminal();
      const word = aTerminal();
      assert.equal(await flag.run(command, '--help'), 0);
      assert.equal(await word.run('help', command), 0);
      assert.match(flag.out(), new RegExp(`^Usage: portcullis ${command} `));
      assert.equal(word.out(), flag.out());
    });
  }

  it('keeps its help within the width of the terminal', async () => {
    const terminal = aTerminal({ columns: 80 });
    await terminal.run('explain', '--help');
    const widest = Math.max(
      ...terminal
        .out()
        .split('\n')
        .map((line) => line.length),
    );
    assert.ok(widest <= 80, String(widest));
  });

  it('highlights headings only on a terminal with colors', async () => {
    const colored = aTerminal({ colors: true });
    const plain = aTerminal();
    for (const terminal of [colored, plain]) await terminal.run('--help');
    assert.ok(colored.out().includes('\u001b[1m'));
    assert.ok(!plain.out().includes('\u001b['));
  });

  it('prints the version of the package in three ways', async () => {
    const manifest = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { readonly version: string };
    assert.equal(VERSION, manifest.version);
    for (const args of [['version'], ['--version'], ['-V']]) {
      const terminal = aTerminal();
      assert.equal(await terminal.run(...args), 0);
      assert.match(terminal.out(), new RegExp(`^portcullis ${VERSION} \\(node 2[0-9.]+, .*\\)\n$`));
    }
  });
});

const { engines } = z
  .object({ engines: z.object({ node: z.string() }) })
  .parse(JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')));
const OLDEST = Number(engines.node.replace('>=', ''));

describe('the program', () => {
  it('runs with the oldest Node.js of the package, and reports an older release in a single line', () => {
    const withNode = (version: string) => {
      const versions = JSON.stringify({ ...process.versions, node: version });
      const preload = `data:text/javascript,Object.defineProperty(process,"versions",{value:${versions}})`;
      const { status, stderr } = spawnSync(process.execPath, ['--import', preload, LAUNCHER, 'version'], {
        encoding: 'utf8',
      });
      return { status, stderr };
    };
    assert.deepEqual(withNode(`${OLDEST}.0.0`), { status: 0, stderr: '' });
    const old = `${OLDEST - 1}.11.1`;
    assert.deepEqual(withNode(old), {
      status: 2,
      stderr: `portcullis requires Node ${OLDEST} or newer, and this is Node ${old}: install a newer Node, or use the container image\n`,
    });
  });

  it('loads no other file before it checks the version of Node.js', () => {
    const imported = [...readFileSync(LAUNCHER, 'utf8').matchAll(/^import .* from '(.*)';$/gm)].map(([, from]) => from);
    assert.deepEqual(imported, ['node:fs', 'node:module', 'node:url']);
  });

  it('is a plug-in of kubectl under the names that kubectl looks for', () => {
    const { bin } = z
      .object({ bin: z.record(z.string(), z.string()) })
      .parse(JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')));
    using folder = temporaryFolder();
    const called = (name: string, ...args: readonly string[]) => {
      const path = join(folder.path, name);
      symlinkSync(MAIN, path);
      const { status, stdout, stderr } = spawnSync(process.execPath, [path, ...args], { encoding: 'utf8' });
      return [status, stdout.split('\n')[0], stderr];
    };
    assert.deepEqual(Object.keys(bin), ['portcullis', 'kubectl-portcullis', 'kubectl_complete-portcullis']);
    const usage = 'Usage: kubectl portcullis rules [options]';
    assert.deepEqual(called('kubectl-portcullis', 'rules', '--help'), [0, usage, '']);
    assert.deepEqual(called('kubectl_complete-portcullis', 'status', 's'), [0, 'service', '']);
  });

  it('exits with the exit code of the command', () => {
    const { status, stderr } = spawnSync(process.execPath, [MAIN, 'explian'], { encoding: 'utf8' });
    assert.deepEqual([status, stderr], [2, "error: unknown command 'explian' (did you mean explain?)\n"]);
  });

  it('exits with 2 and a single line if its output cannot be written', () => {
    const readOnly = openSync(MAIN, 'r');
    const { status, stderr } = spawnSync(process.execPath, [MAIN, 'rules'], {
      encoding: 'utf8',
      stdio: ['ignore', readOnly, 'pipe'],
    });
    closeSync(readOnly);
    assert.equal(status, 2);
    assert.match(stderr, /^error: failed to write the output: E[^\n]*\n$/);
  });

  it('ignores a reader that closes the pipe', () => {
    const script = `set -o pipefail; "${process.execPath}" "${MAIN}" explain -o json | head -c 1`;
    const { status, stdout, stderr } = spawnSync('bash', ['-c', script], { encoding: 'utf8' });
    assert.deepEqual([status, stdout, stderr], [0, '[', '']);
  });
});
