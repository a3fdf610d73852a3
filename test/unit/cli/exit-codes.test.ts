import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { stringify } from 'yaml';
import { temporaryFolder } from '../../support/folder.ts';
import { kubeconfigOf } from '../../support/kubeconfig-of.ts';
import { manifestText } from '../../support/manifest-text.ts';
import { aPolicy } from '../../support/policy.ts';
import { aTerminal } from '../../support/terminal.ts';

const INTERNAL = aPolicy('internal', {
  constraints: [{ name: 'private', require: [{ annotation: 'address-type', oneOf: ['intranet'] }] }],
});
const policyTest = (expect: string): string =>
  `${stringify(INTERNAL)}---\n${stringify({
    apiVersion: 'portcullis.io/v1alpha1',
    kind: 'PolicyTest',
    cases: [{ name: 'a public one', service: {}, expect }],
  })}`;
const NAMESPACE = 'apiVersion: v1\nkind: Namespace\nmetadata: {name: default}\n';

const FILES: Readonly<Record<string, string>> = {
  'good.yaml': manifestText(),
  'private.yaml': `${manifestText({ annotations: { 'address-type': 'intranet' } })}---\n${NAMESPACE}`,
  'public.yaml': `${manifestText()}---\n${NAMESPACE}`,
  'bad.yaml': manifestText({ annotations: { scheduler: 'fastest' } }),
  'warned.yaml': manifestText({ annotations: { 'zone-maps': 'a:b' } }),
  'broken.yaml': 'a: [',
  'text.yaml': 'These words are no manifest.\n',
  'empty.yaml': '',
  'other.yaml':
    'apiVersion: v1\nkind: Secret\nmetadata: {name: key}\n---\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: key}\n',
  'one-of-three.yaml': `${manifestText({ annotations: { scheduler: 'fastest' } })}---\na: [\n---\n${manifestText()}`,
  'repeated.yaml': `${manifestText()}---\na: 1\na: 2\n`,
  'without.d/notes.txt': '',
  'policy.yaml': stringify(INTERNAL),
  'passes.yaml': policyTest('denied'),
  'fails.yaml': policyTest('accepted'),
  'cloud.yaml': 'Global: {clusterID: c1, region: cn-hangzhou}\n',
  config: kubeconfigOf('http://127.0.0.1:1'),
};

/** Calls of each command by exit code. The test creates a file for each argument with a dot, and for `config`. */
const CALLS: Readonly<Record<string, readonly (readonly [code: 0 | 1 | 2, ...args: readonly string[]])[]>> = {
  lint: [
    [0, 'lint', 'good.yaml'],
    [0, 'lint', 'warned.yaml'],
    [1, 'lint', '--strict', 'warned.yaml'],
    [1, 'lint', 'bad.yaml'],
    [1, 'lint', 'bad.yaml', 'good.yaml'],
    [1, 'lint', 'repeated.yaml'],
    [0, 'lint', 'empty.yaml'],
    [0, 'lint', 'other.yaml'],
    [2, 'lint', 'broken.yaml'],
    [2, 'lint', 'text.yaml'],
    [2, 'lint', 'one-of-three.yaml'],
    [2, 'lint', 'bad.yaml', 'broken.yaml', 'good.yaml'],
    [2, 'lint', 'none.yaml'],
    [2, 'lint', 'none.yaml', 'bad.yaml'],
    [2, 'lint', 'without.d'],
    [2, 'lint', 'good.yaml', 'without.d'],
    [2, 'lint', 'good.yaml', '--policy', 'broken.yaml'],
    [2, 'lint', 'good.yaml', '--against', 'broken.yaml'],
    [2, 'lint', '--facts', 'good.yaml', 'good.yaml'],
    [2, 'lint', '--against', 'cluster', '--kubeconfig', 'config', 'good.yaml'],
  ],
  policy: [
    [0, 'policy', 'test', 'passes.yaml'],
    [1, 'policy', 'test', 'fails.yaml'],
    [2, 'policy', 'test', 'good.yaml'],
    [2, 'policy', 'test', 'broken.yaml'],
    [2, 'policy', 'test', 'fails.yaml', 'broken.yaml'],
    [2, 'policy', 'test', 'one-of-three.yaml'],
    [2, 'policy', 'test', 'text.yaml'],
    [2, 'policy', 'test', 'repeated.yaml'],
    [2, 'policy', 'test', 'none.yaml'],
    [2, 'policy', 'test', 'without.d'],
    [2, 'policy', 'test', 'empty.yaml'],
    [2, 'policy', 'test', 'other.yaml'],
    [0, 'policy', 'impact', 'policy.yaml', '--services', 'private.yaml'],
    [1, 'policy', 'impact', 'policy.yaml', '--services', 'public.yaml'],
    [2, 'policy', 'impact', 'policy.yaml', '--services', 'none.yaml'],
    [2, 'policy', 'impact', 'policy.yaml', '--services', 'broken.yaml'],
    [2, 'policy', 'impact', 'policy.yaml', '--services', 'one-of-three.yaml'],
    [2, 'policy', 'impact', 'policy.yaml', '--services', 'text.yaml'],
    [2, 'policy', 'impact', 'policy.yaml', '--services', 'empty.yaml'],
    [2, 'policy', 'impact', 'policy.yaml', '--services', 'other.yaml'],
    [2, 'policy', 'impact', 'broken.yaml', '--services', 'private.yaml'],
    [2, 'policy', 'impact', 'empty.yaml', '--services', 'private.yaml'],
    [2, 'policy', 'impact', 'policy.yaml', '--kubeconfig', 'config'],
  ],
  status: [
    [2, 'status', '--kubeconfig', 'config'],
    [2, 'status', 'service', '--kubeconfig', 'config'],
    [2, 'status', 'pod', 'web'],
  ],
  plan: [
    [2, 'plan', 'good.yaml'],
    [2, 'plan', 'good.yaml', '--cloud-config', 'none.yaml'],
    [2, 'plan', 'good.yaml', '--cloud-config', 'cloud.yaml', '--access-key-dir', 'none.d', '--kubeconfig', 'config'],
  ],
  graph: [
    [2, 'graph', 'service'],
    [2, 'graph', 'service', 'web'],
    [2, 'graph', 'service', 'shop/web', '--cloud-config', 'cloud.yaml'],
    [2, 'graph', 'service', 'web', '--cloud-config', 'none.yaml'],
    [2, 'graph', 'service', 'web', '-o', 'png', '--cloud-config', 'cloud.yaml'],
    [
      2,
      'graph',
      'service',
      'web',
      '--cloud-config',
      'cloud.yaml',
      '--access-key-dir',
      'none.d',
      '--kubeconfig',
      'config',
    ],
  ],
  explain: [
    [0, 'explain', 'bandwidth'],
    [2, 'explain', 'bandwith'],
    [2, 'explain', 'policy/internal/none', '--policy', 'policy.yaml'],
    [0, 'explain', 'policy/internal/private', '--policy', 'policy.yaml'],
    [2, 'explain', 'policy/internal/private', '--policy', 'broken.yaml'],
    [2, 'explain', 'policy/internal/private', '--policy', 'none.yaml'],
  ],
  rules: [
    [0, 'rules'],
    [2, 'rules', 'bandwidth'],
  ],
  completion: [
    [0, 'completion', 'bash'],
    [2, 'completion', 'csh'],
  ],
  version: [
    [0, 'version'],
    [2, 'version', 'now'],
  ],
  webhook: [
    [0, 'webhook', '--help'],
    [2, 'webhook', '--port', 'none'],
  ],
  controller: [
    [0, 'controller', '--help'],
    [2, 'controller'],
    [2, 'controller', '--dry-run'],
    [2, 'controller', '--dry-run', '--cloud-config', 'none.yaml', '--configure-cloud-routes=false'],
  ],
};
const MAIN = join(import.meta.dirname, '..', '..', '..', 'src', 'main.ts');
/** Commands that read standard input. */
const FROM_STDIN: Readonly<Record<string, readonly string[]>> = {
  lint: ['lint', '-'],
  'policy test': ['policy', 'test', '-'],
  'policy impact': ['policy', 'impact', '-', '--services', 'private.yaml'],
};
const MEANINGS = { 0: 'a success', 1: 'a finding', 2: 'an error' } as const;

/** Pipelines stop a deployment by the exit code, so each command must return the documented code. */
describe('the exit code', () => {
  let folder: ReturnType<typeof temporaryFolder>;
  before(() => {
    folder = temporaryFolder();
    for (const [name, text] of Object.entries(FILES)) {
      mkdirSync(dirname(join(folder.path, name)), { recursive: true });
      writeFileSync(join(folder.path, name), text);
    }
  });
  after(() => folder[Symbol.dispose]());
  const resolved = (word: string): string =>
    word === 'config' || /\.(yaml|d)$/.test(word) ? join(folder.path, word) : word;

  for (const [code, ...args] of Object.values(CALLS).flat()) {
    it(`of ${args.join(' ')} is ${code}: ${MEANINGS[code]}`, async () => {
      const terminal = aTerminal();
      assert.equal(await terminal.run(...args.map(resolved)), code, terminal.out() + terminal.err());
      if (code === 2) assert.match(terminal.err(), /^error: [^\n]+\n/);
    });
  }

  for (const [name, args] of Object.entries(FROM_STDIN)) {
    it(`of ${name} is 2 if standard input is not YAML`, () => {
      const { status, stderr } = spawnSync(process.execPath, [MAIN, ...args.map(resolved)], {
        encoding: 'utf8',
        input: FILES['broken.yaml'],
      });
      assert.deepEqual([status, stderr.split(/[ \n]/)[0]], [2, 'error:']);
    });
  }

  it('is tested for every command', async () => {
    const terminal = aTerminal();
    await terminal.run('--help');
    const commands = [...terminal.out().matchAll(/^ {2}([a-z]+)\b.* {2}\S/gm)].flatMap(([, name = '']) =>
      name === 'help' ? [] : [name],
    );
    assert.deepEqual(commands.sort(), Object.keys(CALLS).sort());
  });

  for (const command of [['lint'], ['plan'], ['policy', 'test'], ['policy', 'impact'], ['graph', 'service']]) {
    it(`of ${command.join(' ')} is explained in its help`, async () => {
      const terminal = aTerminal();
      await terminal.run(...command, '--help');
      assert.match(terminal.out(), /Exit codes: 0 [^,]+, (1 .+, )?2 /);
    });
  }
});
