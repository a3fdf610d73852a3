import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { parse } from 'yaml';
import { temporaryFolder } from './support/folder.ts';
import { manifestText } from './support/manifest-text.ts';
import { root } from './support/manifests.ts';

interface Step {
  readonly id?: string;
  readonly uses?: string;
  readonly run?: string;
  readonly shell?: string;
  readonly env?: Readonly<Record<string, string>>;
}
interface Action {
  readonly inputs: Readonly<Record<string, { readonly description: string; readonly default: string }>>;
  readonly outputs: Readonly<Record<string, { readonly value: string }>>;
  readonly runs: { readonly using: string; readonly steps: readonly Step[] };
}
interface Hook {
  readonly entry: string;
  readonly language: string;
}

const read = (path: string): string => readFileSync(join(root, path), 'utf8');
const action = parse(read('action.yml')) as Action;
const hooks = parse(read('.pre-commit-hooks.yaml')) as readonly Hook[];

/** Copies the files that a clone of the repository has, without the tests. */
function cloneInto(folder: string): void {
  const listed = execFileSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], { cwd: root });
  const files = listed.toString().split('\0');
  for (const file of files.filter((path) => path !== '' && !path.startsWith('test/')))
    if (existsSync(join(root, file))) cpSync(join(root, file), join(folder, file));
}

/** The maximum time for a command. An installation takes ten seconds, but far longer on a busy machine. */
const MOST_MS = 280_000;

const GOOD = manifestText();
const WARNED = manifestText({ annotations: { 'zone-maps': 'a:b' } });
const BAD = manifestText({ annotations: { bandwidth: '"9000"' } });

/** The machine of a CI runner. It has Node and a clone of the repository, but no installed package and no build. */
class Runner implements Disposable {
  readonly #folder = temporaryFolder();
  /** The folder with the manifests of a user. */
  readonly workspace = this.at('workspace');
  readonly clone = this.at('clone');

  constructor() {
    for (const name of ['workspace', 'temp']) mkdirSync(this.at(name));
    cloneInto(this.clone);
  }

  [Symbol.dispose](): void {
    this.#folder[Symbol.dispose]();
  }

  at(name: string): string {
    return join(this.#folder.path, name);
  }

  write(name: string, text: string): void {
    mkdirSync(dirname(join(this.workspace, name)), { recursive: true });
    writeFileSync(join(this.workspace, name), text);
  }

  run(command: string, args: readonly string[], cwd: string, env: Readonly<Record<string, string>>) {
    const paths = [env['PATH'] ?? '', dirname(process.execPath), process.env['PATH'] ?? ''];
    const all = { ...process.env, ...env, PATH: paths.join(delimiter) };
    return spawnSync(command, args, { encoding: 'utf8', cwd, env: all, timeout: MOST_MS });
  }
}

/** Runs steps of the action as GitHub does. */
class ActionRunner extends Runner {
  #paths = '';

  /** Runs a step. Returns its result and its outputs. */
  step({ run = '', env = {} }: Step, inputs: Readonly<Record<string, string>> = {}) {
    const defaults = Object.entries(action.inputs).map(([name, input]) => [name, input.default] as const);
    const values: Readonly<Record<string, string>> = { ...Object.fromEntries(defaults), ...inputs };
    const evaluated = Object.entries(env).map(([name, text]) => [
      name,
      text.replaceAll(/\$\{\{ inputs\.([a-z-]+) \}\}/g, (_, input: string) => values[input] ?? assert.fail(input)),
    ]);
    for (const name of ['script.sh', 'output', 'path']) writeFileSync(this.at(name), name === 'script.sh' ? run : '');
    const { status, stdout, stderr } = this.run(
      'bash',
      ['--noprofile', '--norc', '-eo', 'pipefail', this.at('script.sh')],
      this.workspace,
      {
        ...(Object.fromEntries(evaluated) as Record<string, string>),
        ...{ CI: 'true', GITHUB_ACTIONS: 'true', GITHUB_WORKSPACE: this.workspace, RUNNER_TEMP: this.at('temp') },
        ...{ GITHUB_ACTION_PATH: this.clone, GITHUB_OUTPUT: this.at('output'), GITHUB_PATH: this.at('path') },
        PATH: this.#paths,
      },
    );
    this.#paths += readFileSync(this.at('path'), 'utf8').replaceAll('\n', delimiter);
    const outputs = readFileSync(this.at('output'), 'utf8').trimEnd().split('\n');
    return {
      ...{ status, stdout, stderr },
      outputs: Object.fromEntries(outputs.map((line) => line.split('=', 2) as [string, string])),
    };
  }
}

/** Workflows use the action from a clone that has no installed package and no build. */
describe('the action for GitHub', function () {
  this.timeout(300_000);
  const scripts = action.runs.steps.filter(({ run }) => run !== undefined);
  const [install, lint] = scripts as [Step, Step];
  let runner: ActionRunner;

  before(() => {
    runner = new ActionRunner();
    const { status, stderr } = runner.step(install);
    assert.equal(status, 0, stderr);
    runner.write('deploy/good.yaml', GOOD);
    runner.write('two words/warned.yaml', WARNED);
    runner.write('bad/web.yaml', BAD);
    runner.write('broken/web.yaml', `${BAD}---\na: [`);
    for (const name of ['internal', 'bandwidth'])
      runner.write(`policies/${name}.yaml`, read(`manifests/policies/${name}.yaml`));
  });
  after(() => runner[Symbol.dispose]());

  it('is a composite action that brings its own Node.js, and passes inputs only by environment', () => {
    assert.equal(action.runs.using, 'composite');
    assert.deepEqual(
      action.runs.steps.map(({ uses = 'bash' }) => uses.split('@')[0]),
      ['actions/setup-node', 'bash', 'bash'],
    );
    for (const { run = '', shell } of scripts) {
      assert.equal(shell, 'bash');
      assert.doesNotMatch(run, /\$\{\{/);
    }
  });

  it('has outputs that the step sets, and describes its inputs', () => {
    const { outputs } = runner.step(lint, { path: 'deploy' });
    const named = Object.values(action.outputs).map(
      ({ value }) => /^\$\{\{ steps\.lint\.outputs\.(\w+) \}\}$/.exec(value)?.[1],
    );
    assert.deepEqual([...named].sort(), ['code', 'report']);
    assert.deepEqual(Object.keys(outputs), ['code']);
    for (const { description } of Object.values(action.inputs)) assert.match(description, /^[A-Z].*\.$/);
  });

  const rows: Readonly<
    Record<string, readonly [inputs: Readonly<Record<string, string>>, status: number, code: string, log: RegExp]>
  > = {
    'passes for valid manifests': [{ path: 'deploy' }, 0, '0', /^$/],
    'fails for a finding, with an annotation': [
      { path: 'deploy\nbad\n' },
      1,
      '1',
      /^::error file=bad\/web\.yaml,line=6,endLine=6,col=5,endColumn=76,title=annotation-value::Service default\/web: [^\n]*\n$/,
    ],
    'reads subfolders and names with spaces': [
      { path: '.', 'fail-on': 'never' },
      2,
      '2',
      /file=two words\/warned\.yaml,/,
    ],
    'passes for a warning': [{ path: 'two words' }, 0, '0', /^::warning /],
    'fails for a warning on request': [{ path: 'two words', 'fail-on': 'warning' }, 1, '1', /^::warning /],
    'passes for a finding on request': [{ path: 'bad', 'fail-on': 'never' }, 0, '1', /^::error /],
    'fails for an incomplete check in any case': [{ path: 'broken', 'fail-on': 'never' }, 2, '2', /manifest-syntax/],
    'evaluates policies of several files': [
      { path: 'deploy', policies: 'policies/bandwidth.yaml\npolicies/internal.yaml' },
      0,
      '0',
      /^::warning [^\n]*title=policy\/internal\/intranet-only::/,
    ],
    'does not run the namespace as a shell command': [
      { path: 'bad', namespace: '$(touch stolen)' },
      1,
      '1',
      /Service \$\(touch stolen\)\/web/,
    ],
    'prints text': [{ path: 'bad', format: 'text' }, 1, '1', /^bad\/web\.yaml:6:5: error: /],
  };
  for (const [title, [inputs, status, code, log]] of Object.entries(rows))
    it(title, () => {
      const result = runner.step(lint, inputs);
      assert.match(result.stdout, log);
      assert.deepEqual([result.status, result.outputs['code']], [status, code], result.stderr);
      assert.equal(existsSync(join(runner.workspace, 'stolen')), false);
    });

  it('writes SARIF to a file for another step, also if it fails', () => {
    const { status, stdout, outputs } = runner.step(lint, { path: 'bad', format: 'sarif' });
    assert.deepEqual([status, stdout], [1, '']);
    const { version } = JSON.parse(readFileSync(outputs['report'] ?? '', 'utf8')) as { readonly version: string };
    assert.equal(version, '2.1.0');
    assert.match(outputs['report'] ?? '', /\.sarif$/);
  });

  it('rejects an unknown value of fail-on, without a check', () => {
    const { status, stdout, outputs } = runner.step(lint, { path: 'bad', 'fail-on': 'note' });
    assert.deepEqual([status, stdout], [2, '::error::fail-on is "note": supported values: error, warning, never\n']);
    assert.equal(outputs['code'], undefined);
  });

  it('offers the command to later steps', () => {
    const { status, stdout, stderr } = runner.step({ run: 'portcullis policy test -R policies || portcullis version' });
    assert.deepEqual([status, stderr], [0, 'error: policies: no PolicyTest found\n']);
    assert.match(stdout, /^portcullis \d/);
  });
});

/** pre-commit installs a clone by npm alone: the package must need no build, and `npm pack` must print only a file name. */
describe('the hooks for pre-commit', function () {
  this.timeout(300_000);
  let runner: Runner;
  let environment: Readonly<Record<string, string>>;

  // Runs the commands of pre-commit for the language node. Skips the development dependencies, because the package needs no build.
  before(() => {
    runner = new Runner();
    const prefix = runner.at('environment');
    // The optional packages contain Node itself, and only make needs them.
    const settings = { NPM_CONFIG_PREFIX: prefix, npm_config_prefix: prefix, npm_config_omit: 'optional' };
    environment = { ...settings, PATH: join(prefix, 'bin') };
    const packed = runner.run('npm', ['pack'], runner.clone, environment);
    assert.match(packed.stdout, /^portcullis-\d+\.\d+\.\d+\.tgz\n$/, 'pre-commit reads the name of the file');
    const archive = join(runner.clone, packed.stdout.trim());
    const installed = runner.run('npm', ['install', '--prefer-offline', '-g', archive], runner.clone, environment);
    assert.equal(installed.status, 0, installed.stderr);
    runner.write('deploy/good.yaml', GOOD);
    runner.write('deploy/bad.yaml', BAD);
    for (const name of ['policies/tags.yaml', 'policies/tests/tags.yaml'])
      runner.write(name, read(`manifests/${name}`));
  });
  after(() => runner[Symbol.dispose]());

  const rows: Readonly<Record<string, readonly [hook: number, args: readonly string[], status: number, log: RegExp]>> =
    {
      'allow a commit with valid manifests': [0, ['deploy/good.yaml'], 0, /: 0 errors, 0 warnings\n$/],
      'stop a commit with an invalid manifest': [
        0,
        ['deploy/good.yaml', 'deploy/bad.yaml'],
        1,
        /^deploy\/bad\.yaml:6:5: error: /,
      ],
      'run the tests of policies': [1, ['-R', 'policies'], 0, /2 cases: 2 passed, 0 failed\n$/],
    };
  for (const [title, [hook, args, status, log]] of Object.entries(rows))
    it(title, () => {
      const { entry, language } = hooks[hook]!;
      const [command = '', ...words] = entry.split(' ');
      const result = runner.run(command, [...words, ...args], runner.workspace, environment);
      assert.deepEqual([language, result.status], ['node', status], result.stderr);
      assert.match(result.stdout + result.stderr, log);
    });
});
