import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { temporaryFolder } from '../../support/folder.ts';
import { manifestText } from '../../support/manifest-text.ts';

const ROOT = join(import.meta.dirname, '..', '..', '..');
const PAGE = readFileSync(join(ROOT, 'docs/tasks/lint-in-ci.md'), 'utf8');
const blocks = (language: string): readonly string[] =>
  [...PAGE.matchAll(new RegExp(`^\`\`\`${language}\\n([^]*?)^\`\`\``, 'gm'))].map(([, text = '']) => text);
const block = (begin: string): string => blocks('yaml').find((text) => text.startsWith(begin)) ?? assert.fail(begin);
const HOOKS = block('# .pre-commit-config.yaml');
const WORKFLOW = block('# .github/workflows/');

const GOOD = manifestText();
const BAD = manifestText({ annotations: { bandwidth: '"9000"' } }).replace('  annot', '  namespace: shop\n  annot');

interface Hooks {
  readonly repos: readonly { readonly hooks: readonly { readonly entry: string }[] }[];
}
interface Workflow {
  readonly jobs: Readonly<
    Record<
      string,
      { readonly steps: readonly { readonly id?: string; readonly name?: string; readonly run?: string }[] }
    >
  >;
}

/** Users copy the hook and the workflow of the page, so both must work as documented. */
describe('the lint page', () => {
  let folder: ReturnType<typeof temporaryFolder>;
  const at = (name: string): string => join(folder.path, name);
  beforeEach(() => {
    folder = temporaryFolder();
    for (const name of ['bin', 'deploy']) mkdirSync(at(name));
    writeFileSync(at('bin/portcullis'), `#!/bin/sh\nexec '${process.execPath}' '${ROOT}/src/main.ts' "$@"\n`);
    chmodSync(at('bin/portcullis'), 0o755);
  });
  afterEach(() => folder[Symbol.dispose]());

  /** Runs a script as a workflow runner starts a step. */
  function bash(script: string) {
    const env = { ...process.env, PATH: `${at('bin')}:${process.env['PATH'] ?? ''}`, GITHUB_OUTPUT: at('output') };
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

  it('has a hook that stops exactly the commits that the webhook would deny', () => {
    const { entry } = (parse(HOOKS) as Hooks).repos[0]!.hooks[0]!;
    for (const [text, status] of [
      [GOOD, 0],
      [BAD, 1],
    ] as const) {
      writeFileSync(at('deploy/a file.yaml'), text);
      assert.equal(bash(`${entry} 'deploy/a file.yaml' '${join(ROOT, 'package.json')}'`).status, status);
    }
  });

  const outcomes: Readonly<Record<string, readonly [text: string, lint: number, end: number | undefined]>> = {
    'passes for valid manifests': [GOOD, 0, 0],
    'uploads findings before it fails': [BAD, 0, 1],
    'uploads findings before it fails for an unreadable file': [`${BAD}---\na: [`, 0, 2],
    'stops at once after wrong usage': ['', 2, undefined],
  };
  for (const [title, [text, lintStatus, endStatus]] of Object.entries(outcomes)) {
    it(`has a workflow that ${title}`, () => {
      if (text !== '') writeFileSync(at('deploy/web.yaml'), text);
      const { steps } = Object.values((parse(WORKFLOW) as Workflow).jobs)[0]!;
      const lint = steps.findIndex(({ id }) => id === 'lint');
      assert.equal(bash(steps[lint]!.run!).status, lintStatus);
      if (endStatus === undefined) return;
      const { runs } = JSON.parse(readFileSync(at('portcullis.sarif'), 'utf8')) as {
        readonly runs: readonly { readonly results: readonly object[] }[];
      };
      assert.equal(runs[0]?.results.length, endStatus);
      const code = /^code=(\d+)$/m.exec(readFileSync(at('output'), 'utf8'))?.[1] ?? '';
      const end = steps.at(-1)!.run!.replaceAll('${{ steps.lint.outputs.code }}', code);
      assert.equal(bash(end).status, endStatus);
    });
  }
});
