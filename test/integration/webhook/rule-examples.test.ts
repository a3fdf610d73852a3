import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { stringify } from 'yaml';
import { NODE_RULES, SERVICE_RULES } from '../../../src/rules/index.ts';
import type { RuleCard } from '../../../src/rules/rule.ts';
import { eventually } from '../../support/eventually.ts';
import { evaluatedExample, wholeExample } from '../../support/example.ts';
import { startExampleCluster, type ExampleCluster } from '../../support/example-cluster.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { aTerminal } from '../../support/terminal.ts';

const PAGE = readFileSync(join(import.meta.dirname, '../../../docs/tasks/lint-in-ci.md'), 'utf8');
const [ROLE = ''] = /apiVersion: rbac[^`]+/.exec(PAGE) ?? [];
const ACCOUNT = 'shop/lint';

/** Retries an assertion. The webhook's caches follow within milliseconds, and new configurations within a second. */
const soon = (assertion: () => Promise<void>): Promise<void> => eventually(assertion, 20);

/** The examples of the rules page must be denied and allowed as documented, by a real API server. */
describe('the examples of docs/reference/rules.md, with the real API server', function () {
  this.timeout(120_000);
  let cluster: ExampleCluster;
  let folder: ReturnType<typeof temporaryFolder>;
  let kubeconfig: string;
  before(async () => {
    folder = temporaryFolder();
    cluster = await startExampleCluster();
    const { kubectl, kubectlWith, kubeconfigFor } = cluster.plane;
    await kubectl('create', 'serviceaccount', 'lint', '-n', 'shop');
    await kubectlWith(ROLE, 'create', '-f', '-');
    await kubectl(
      ...'create clusterrolebinding lint --clusterrole=portcullis-lint --serviceaccount=shop:lint'.split(' '),
    );
    kubeconfig = await kubeconfigFor(ACCOUNT);
  });
  after(async () => {
    await cluster[Symbol.asyncDispose]();
    folder[Symbol.dispose]();
  });

  /** Returns the rules that `portcullis lint` reports with cluster access, as a user with the documented permissions. */
  async function linted({ kind, examples }: RuleCard, which: 'wrong' | 'right') {
    const file = join(folder.path, `${which}.yaml`);
    writeFileSync(file, stringify(wholeExample(kind, examples[which]), { version: '1.1' }));
    const terminal = aTerminal();
    const flags = ['--against', 'cluster', '--facts', 'cluster', '--kubeconfig', kubeconfig];
    const code = await terminal.run('lint', ...flags, '-o', 'json', file);
    if (code === 2) assert.fail(terminal.err());
    const { findings } = JSON.parse(terminal.out()) as { readonly findings: readonly { readonly rule: string }[] };
    return { isDenied: code === 1, rules: [...new Set(findings.map(({ rule }) => rule))] };
  }

  for (const rule of [...SERVICE_RULES, ...NODE_RULES]) {
    const isDenied = evaluatedExample(rule, 'wrong').denials.length > 0;
    const expected = { isDenied, rules: [rule.name] };

    it(`${rule.name}: ${isDenied ? 'denies' : 'warns of'} the wrong example, by this rule only`, async () => {
      await cluster.prepare(rule);
      await soon(async () => {
        const { status, rules, output } = await cluster.apply(rule, 'wrong');
        assert.deepEqual({ isDenied: status === 422, rules }, expected, output);
        assert.equal(status < 300, !isDenied, output);
      });
      assert.deepEqual(await linted(rule, 'wrong'), expected);
    });

    it(`${rule.name}: allows the right example without a warning`, async () => {
      await soon(async () => {
        const { status, output } = await cluster.apply(rule, 'right');
        assert.equal(output, '');
        assert.ok(status < 300);
      });
      assert.deepEqual(await linted(rule, 'right'), { isDenied: false, rules: [] });
    });
  }
});
