import assert from 'node:assert/strict';
import { ENGLISH } from '../../../src/explain/english-texts.ts';
import { RULES } from '../../../src/explain/rules.ts';
import { rulesPage } from '../../../src/explain/rules-page.ts';
import { NODE_RULES, SERVICE_RULES } from '../../../src/rules/index.ts';
import { aTerminal } from '../../support/terminal.ts';

async function rules(...args: readonly string[]): Promise<string> {
  const terminal = aTerminal({ columns: 90 });
  assert.deepEqual([await terminal.run('rules', ...args), terminal.err()], [0, '']);
  return terminal.out();
}

/** The documentation of the rules is generated from this command. */
describe('rules', () => {
  it('lists every rule with its tier, its objects, and a description', async () => {
    const list = await rules();
    for (const { name, tier, kind } of [...SERVICE_RULES, ...NODE_RULES]) {
      assert.match(list, new RegExp(`^${name} +${tier} +${kind} +[A-Z]`, 'm'));
    }
    assert.match(list, /^NAME +TIER +KIND +DESCRIPTION\n/);
  });

  it('lists the additional findings of lint', async () =>
    assert.match(await rules(), /^deprecated-key +lint +any +A deprecated key/m));

  it('ends no description with a colon', async () => assert.doesNotMatch(await rules(), /:$/m));

  it('keeps within the width of the terminal', async () => {
    for (const line of (await rules()).split('\n')) assert.ok(line.length <= 90, line);
  });

  it('lists the rules in JSON', async () => {
    const all = JSON.parse(await rules('-o', 'json')) as readonly { readonly name: string }[];
    assert.deepEqual(
      all.map(({ name }) => name),
      RULES.map(({ rule }) => rule.name),
    );
  });

  it('prints the rules page in Markdown', async () => assert.equal(await rules('-o', 'markdown'), rulesPage(ENGLISH)));

  it('has a single section per rule on its page', () => {
    const sections = [...rulesPage(ENGLISH).matchAll(/^### (.+)$/gm)].map(([, name]) => name);
    assert.deepEqual(sections.sort(), RULES.map(({ rule }) => rule.name).sort());
  });
});
