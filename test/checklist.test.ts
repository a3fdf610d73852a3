import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { z } from 'zod';
import { CATALOGUE } from '../src/annotation/catalogue.ts';
import { NODE_RULES, SERVICE_RULES } from '../webhook/rules/index.ts';
import { root } from './support/manifests.ts';

/** What kind of thing shows a statement, and its name: a rule, an annotation, or the title of a test in a file. */
const Evidence = z.record(z.string(), z.string()).refine((shown) => Object.keys(shown).length === 1, 'one a line');
const Row = z.strictObject({
  is: z.string().regex(/^[A-Z].*\.$/, 'a sentence'),
  admission: z.array(Evidence).min(1),
  /** What the controller does about it, where that is more than to judge by the same rules. */
  reconcile: z.array(Evidence).min(1).optional(),
});
const Checklist = z.record(z.string().regex(/^S-\d{3}$/), Row);

const RULES: ReadonlySet<string> = new Set([...SERVICE_RULES, ...NODE_RULES].map(({ name }) => name));

/** Whether a test file says this somewhere, as a title or as the name of a row of its table. */
const says = (file: string, title: string): boolean =>
  existsSync(join(root, file)) && readFileSync(join(root, file), 'utf8').includes(title);

function exists([kind, name]: readonly [string, string]): boolean {
  if (kind === 'rule') return RULES.has(name);
  if (kind === 'annotation') return Object.hasOwn(CATALOGUE, name);
  return kind.endsWith('.test.ts') && says(kind, name);
}

describe('what Portcullis is to do', () => {
  const rows = Checklist.parse(parse(readFileSync(join(root, 'test/checklist.yaml'), 'utf8')));

  for (const [id, { is, admission, reconcile = [] }] of Object.entries(rows)) {
    it(`${id} is shown: ${is}`, () => {
      const shown = [...admission, ...reconcile].flatMap((evidence) => Object.entries(evidence));
      assert.deepEqual(
        shown.filter((evidence) => !exists(evidence)).map((evidence) => evidence.join(': ')),
        [],
      );
    });
  }

  it('is listed in order', () => assert.deepEqual(Object.keys(rows), Object.keys(rows).toSorted()));
});
