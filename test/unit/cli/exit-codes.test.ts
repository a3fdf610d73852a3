import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
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
  'policy.yaml': stringify(INTERNAL),
  'passes.yaml': policyTest('refused'),
  'fails.yaml': policyTest('accepted'),
  'cloud.yaml': 'Global: {clusterID: c1, region: cn-hangzhou}\n',
  config: kubeconfigOf('http://127.0.0.1:1'),
};

/** By command: calls by their exit code. A word with a dot, and `config`, are files. */
const CALLS: Readonly<Record<string, readonly (readonly [code: 0 | 1 | 2, ...args: readonly string[]])[]>> = {
  lint: [
    [0, 'lint', 'good.yaml'],
    [0, 'lint', 'warned.yaml'],
    [1, 'lint', '--strict', 'warned.yaml'],
    [1, 'lint', 'bad.yaml'],
    [1, 'lint', 'broken.yaml'],
    [2, 'lint', 'none.yaml'],
    [2, 'lint', '--facts', 'good.yaml', 'good.yaml'],
    [2, 'lint', '--against', 'cluster', '--kubeconfig', 'config', 'good.yaml'],
  ],
  policy: [
    [0, 'policy', 'test', 'passes.yaml'],
    [1, 'policy', 'test', 'fails.yaml'],
    [2, 'policy', 'test', 'good.yaml'],
    [2, 'policy', 'test', 'broken.yaml'],
    [0, 'policy', 'impact', 'policy.yaml', '--services', 'private.yaml'],
    [1, 'policy', 'impact', 'policy.yaml', '--services', 'public.yaml'],
    [2, 'policy', 'impact', 'policy.yaml', '--services', 'none.yaml'],
    [2, 'policy', 'impact', 'policy.yaml', '--kubeconfig', 'config'],
  ],
  plan: [
    [2, 'plan', 'good.yaml'],
    [2, 'plan', 'good.yaml', '--cloud-config', 'none.yaml'],
    [2, 'plan', 'good.yaml', '--cloud-config', 'cloud.yaml', '--access-key-dir', 'none.d', '--kubeconfig', 'config'],
  ],
  explain: [
    [0, 'explain', 'bandwidth'],
    [2, 'explain', 'bandwith'],
    [2, 'explain', 'policy/internal/none', '--policy', 'policy.yaml'],
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
const MEANINGS = { 0: 'it finds nothing', 1: 'it finds something', 2: 'it cannot run' } as const;

describe('the exit code', () => {
  let folder: ReturnType<typeof temporaryFolder>;
  before(() => {
    folder = temporaryFolder();
    for (const [name, text] of Object.entries(FILES)) writeFileSync(join(folder.path, name), text);
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

  it('is tested for every command', async () => {
    const terminal = aTerminal();
    await terminal.run('--help');
    const commands = [...terminal.out().matchAll(/^ {2}([a-z]+)\b.* {2}\S/gm)].flatMap(([, name = '']) =>
      name === 'help' ? [] : [name],
    );
    assert.deepEqual(commands.sort(), Object.keys(CALLS).sort());
  });

  for (const command of [['lint'], ['plan'], ['policy', 'test'], ['policy', 'impact']]) {
    it(`of ${command.join(' ')} is explained in its help`, async () => {
      const terminal = aTerminal();
      await terminal.run(...command, '--help');
      assert.match(terminal.out(), /Exit codes: 0 [^,]+, 1 .+, 2 /);
    });
  }
});
