import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { chmodSync, cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { temporaryFolder } from '../../support/folder.ts';
import { manifestText } from '../../support/manifest-text.ts';

const ROOT = join(import.meta.dirname, '..', '..', '..');
const read = (path: string): string => readFileSync(join(ROOT, path), 'utf8');
const PAGE = read('docs/tasks/lint-in-ci.md');
const blocks = (language: string): readonly string[] =>
  [...PAGE.matchAll(new RegExp(`^\`\`\`${language}\\n([^]*?)^\`\`\``, 'gm'))].map(([, text = '']) => text);
const block = (begin: string): string => blocks('yaml').find((text) => text.startsWith(begin)) ?? assert.fail(begin);

const GOOD = manifestText();
const BAD = manifestText({ annotations: { bandwidth: '"9000"' } }).replace('  annot', '  namespace: shop\n  annot');

interface Hook {
  readonly id: string;
  readonly entry: string;
  readonly pass_filenames?: boolean;
}
interface HookUse {
  readonly id: string;
  readonly args: readonly string[];
}
interface Step {
  readonly uses?: string;
  readonly run?: string;
  readonly with?: object;
}

const HOOKS = parse(read('.pre-commit-hooks.yaml')) as readonly Hook[];
const [repository] = (
  parse(block('# .pre-commit-config.yaml')) as { readonly repos: readonly { readonly hooks: readonly HookUse[] }[] }
).repos;
const WORKFLOW = parse(block('# .github/workflows/')) as {
  readonly jobs: { readonly manifests: { readonly steps: readonly Step[] } };
};
const CODE_SCANNING = parse(block('permissions:')) as { readonly steps: readonly Step[] };
const GITLAB = parse(block('# .gitlab-ci.yml')) as { readonly portcullis: { readonly script: readonly string[] } };
const { inputs } = parse(read('action.yml')) as { readonly inputs: object };

/** Users copy the hook and the workflow of the page, so both must work as documented. */
describe('the lint page', () => {
  let folder: ReturnType<typeof temporaryFolder>;
  const at = (name: string): string => join(folder.path, name);
  beforeEach(() => {
    folder = temporaryFolder();
    for (const name of ['bin', 'deploy', 'policies/tests']) mkdirSync(at(name), { recursive: true });
    for (const name of ['policies/bandwidth.yaml', 'policies/tests/bandwidth.yaml'])
      cpSync(join(ROOT, 'manifests', name), at(name));
    writeFileSync(at('bin/portcullis'), `#!/bin/sh\nexec '${process.execPath}' '${ROOT}/src/main.ts' "$@"\n`);
    chmodSync(at('bin/portcullis'), 0o755);
  });
  afterEach(() => folder[Symbol.dispose]());

  /** Runs a script as a workflow runner starts a step. */
  function bash(script: string) {
    const env = { ...process.env, PATH: `${at('bin')}:${process.env['PATH'] ?? ''}` };
    return spawnSync('bash', ['--noprofile', '--norc', '-eo', 'pipefail', '-c', script], {
      encoding: 'utf8',
      cwd: folder.path,
      env,
    });
  }

  it('shows the output of lint', () => {
    writeFileSync(at('web.yaml'), BAD);
    const [shown = ''] = blocks('console');
    const { stdout, stderr, status } = bash(/^\$ (.+)$/m.exec(shown)?.[1] ?? '');
    assert.equal(stdout + stderr, shown.replace(/^\$ .+\n/, ''));
    assert.equal(status, 1);
  });

  it('names the hooks of the repository', () =>
    assert.deepEqual(
      repository?.hooks.map(({ id }) => id),
      HOOKS.map(({ id }) => id),
    ));

  it('has hooks that stop exactly the commits that the webhook would deny', () => {
    for (const { id, args } of repository?.hooks ?? []) {
      const { entry, pass_filenames: passes = true } = HOOKS.find((hook) => hook.id === id)!;
      const files = passes ? `'deploy/a file.yaml' '${join(ROOT, 'package.json')}'` : '';
      for (const [text, status] of [
        [GOOD, 0],
        [BAD, passes ? 1 : 0],
      ] as const) {
        writeFileSync(at('deploy/a file.yaml'), text);
        assert.equal(bash(`${entry} ${args.join(' ')} ${files}`).status, status, id);
      }
    }
  });

  it('has workflows with inputs of the action, and with steps that pass', () => {
    const steps = [...WORKFLOW.jobs.manifests.steps, ...CODE_SCANNING.steps];
    const used = steps.filter(({ uses = '' }) => uses.startsWith('example/portcullis@'));
    assert.equal(used.length, 2);
    for (const { with: values = {} } of used)
      assert.deepEqual(
        Object.keys(values).filter((name) => !Object.hasOwn(inputs, name)),
        [],
      );
    for (const { run = '' } of steps) assert.equal(bash(run).status, 0);
  });

  const pipelines: Readonly<Record<string, readonly [manifest: string, test: string, status: number]>> = {
    'passes for valid manifests and policies': [GOOD, '', 0],
    'fails for a finding, after all reports are written': [BAD, '', 1],
    'fails for a test of a policy': [GOOD, 'expect: accepted', 1],
    'fails for an unreadable manifest': [`${BAD}---\na: [`, '', 2],
  };
  for (const [title, [manifest, expectation, status]] of Object.entries(pipelines))
    it(`has a pipeline for GitLab that ${title}`, () => {
      writeFileSync(at('deploy/web.yaml'), manifest);
      const test = readFileSync(at('policies/tests/bandwidth.yaml'), 'utf8');
      if (expectation !== '')
        writeFileSync(at('policies/tests/bandwidth.yaml'), test.replace(/expect: \{.*/, expectation));
      const script = GITLAB.portcullis.script.filter(
        (line) => !line.startsWith('npm install --global --omit=optional git+https://'),
      );
      assert.equal(script.length, GITLAB.portcullis.script.length - 1);
      assert.equal(bash(script.join('\n')).status, status);
      const issues = JSON.parse(readFileSync(at('code-quality.json'), 'utf8')) as readonly object[];
      assert.equal(issues.length > 0, manifest !== GOOD);
      assert.match(readFileSync(at('policies.xml'), 'utf8'), /^<\?xml [^]*<testsuites tests="2"/);
    });
});
