import assert from 'node:assert/strict';
import { ENGLISH } from '../../../src/explain/english.ts';
import { RULES } from '../../../src/explain/rules.ts';
import { rulesPage } from '../../../src/explain/rules-page.ts';
import { NODE_RULES, SERVICE_RULES } from '../../../src/rules/index.ts';
import { aTerminal } from '../../support/terminal.ts';

async function rules(...args: readonly string[]): Promise<string> {
  const terminal = aTerminal({ columns: 90 });
  assert.deepEqual([await terminal.run('rules', ...args), terminal.err()], [0, '']);
  return terminal.out();
}

describe('rules', () => {
  it('lists every rule with its tier, what it looks at, and a sentence', async () => {
    const list = await rules();
    for (const { name, tier, kind } of [...SERVICE_RULES, ...NODE_RULES]) {
      assert.match(list, new RegExp(`^${name} +${tier} +${kind} +[A-Z]`, 'm'));
    }
    assert.match(list, /^NAME +TIER +KIND +WHAT FOR\n/);
  });

  it('lists what lint says besides', async () =>
    assert.match(await rules(), /^deprecated-key +lint +any +A deprecated key/m));

  it('ends no sentence in the middle', async () => assert.doesNotMatch(await rules(), /:$/m));

  it('keeps within the width of the terminal', async () => {
    for (const line of (await rules()).split('\n')) assert.ok(line.length <= 90, line);
  });

  it('lists them in JSON', async () => {
    const all = JSON.parse(await rules('-o', 'json')) as readonly { readonly name: string }[];
    assert.deepEqual(
      all.map(({ name }) => name),
      RULES.map(({ rule }) => rule.name),
    );
  });

  it('prints the page of rules in markdown', async () =>
    assert.equal(await rules('-o', 'markdown'), rulesPage(ENGLISH)));

  it('gives each rule one section on its page', () => {
    const sections = [...rulesPage(ENGLISH).matchAll(/^### (.+)$/gm)].map(([, name]) => name);
    assert.deepEqual(sections.sort(), RULES.map(({ rule }) => rule.name).sort());
  });
});
