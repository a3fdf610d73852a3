import assert from 'node:assert/strict';
import { fileFacts } from '../../../src/lint/file-facts.ts';
import { lint } from '../../../src/lint/lint.ts';
import { storedIn } from '../../../src/lint/stored.ts';
import { fieldOf } from '../../../webhook/rules/engine/judge.ts';
import { sentence } from '../../../webhook/rules/engine/sentence.ts';
import { NODE_RULES, SERVICE_RULES } from '../../../webhook/rules/index.ts';
import type { RuleCard } from '../../../webhook/rules/rule.ts';
import { judgedExample, storedBefore, wholeExample } from '../../support/example.ts';
import { aClb, aCloudInventory } from '../../support/inventory.ts';

const NOW = Date.parse('2026-01-02T03:04:06Z');

/** What the webhook says of an example: a level, a field and a sentence each. */
function asked(rule: RuleCard, which: 'wrong' | 'right'): readonly string[] {
  const { refusals, warnings } = judgedExample(rule, which);
  return [
    ...refusals.map((finding) => `error ${fieldOf(finding)}: ${sentence(finding)}`),
    ...warnings.map((finding) => `warning ${fieldOf(finding)}: ${sentence(finding)}`),
  ];
}

/** What `lint` says of the same, from files. */
function linted({ kind, examples }: RuleCard, which: 'wrong' | 'right'): readonly string[] {
  const stored = storedBefore(kind, examples);
  const mirror = Object.entries(examples.given?.loadBalancers ?? {}).map(([id, said]) => aClb(id, said));
  const source = (items: readonly object[]) => ({
    name: 'x.json',
    text: JSON.stringify({ apiVersion: 'v1', kind: 'List', items }),
  });
  const { findings } = lint([source([wholeExample(kind, examples[which])])], {
    namespace: 'default',
    facts: fileFacts(source([aCloudInventory(examples.given?.cluster), ...mirror]), { now: () => NOW }),
    ...(stored === undefined ? {} : { stored: storedIn(source([stored]), 'default') }),
  });
  return findings.map(({ level, field, message }) => `${level} ${field}: ${message}`);
}

describe('lint and the webhook', () => {
  for (const rule of [...SERVICE_RULES, ...NODE_RULES]) {
    it(`say the same of what ${rule.name} is about`, () => {
      assert.notEqual(linted(rule, 'wrong').length, 0);
      for (const which of ['wrong', 'right'] as const)
        assert.deepEqual(linted(rule, which).toSorted(), asked(rule, which).toSorted());
    });
  }
});
