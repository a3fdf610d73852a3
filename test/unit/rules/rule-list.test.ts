import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { NODE_RULES, SERVICE_RULES } from '../../../src/rules/index.ts';

/** Documentation, commands and policies refer to rules by name. */
describe('the list of rules', () => {
  const all = [...SERVICE_RULES, ...NODE_RULES];
  it('has a rule per file with the same name', () => {
    const folder = join(import.meta.dirname, '../../../src/rules');
    const files = readdirSync(folder).filter((file) => file.endsWith('.ts') && !['index.ts', 'rule.ts'].includes(file));
    assert.deepEqual(all.map(({ name }) => `${name}.ts`).sort(), files.sort());
  });

  it('has a description of each rule', () => {
    for (const { name, doc } of all) assert.match(doc, /^[A-Z].{40,}\.$/, name);
  });

  it('has tunable rules, except the safety rules and three that the controller always enforces', () => {
    const fixed = all.filter(({ tunable }) => !tunable).map(({ name }) => name);
    const safe = all.filter(({ tier }) => tier === 'safety').map(({ name }) => name);
    assert.deepEqual(fixed.sort(), [...safe, 'load-balancer-change', 'reuse-irreversible', 'service-size'].sort());
  });
});
