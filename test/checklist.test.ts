import assert from 'node:assert/strict';
import { existsSync, globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { z } from 'zod';
import { CATALOGUE } from '../src/annotation/catalogue.ts';
import { NODE_RULES, SERVICE_RULES } from '../src/rules/index.ts';
import { stepsOf } from './support/documented-steps.ts';
import { root } from './support/manifests.ts';

const FOLDER = 'test/checklist';
const PLANS = 'test/golden/clb';
/** The page that lists the excluded requirements in two tables, under the headings in `LEFT_OUT`. */
const SCOPE = 'docs/reference/scope.md';
const LEFT_OUT = ['Out of scope', 'Not there yet'] as const;
const HOW_MANY = 243;

/** A piece of evidence by its kind: a rule, an annotation, a plan, a component, a test, a scenario, a heading or a page. */
const Evidence = z
  .record(z.string(), z.string())
  .refine((shown) => Object.keys(shown).length === 1, 'exactly one kind of evidence per entry');
const Shown = z.array(Evidence).min(1).optional();
const Row = z
  .strictObject({
    is: z.string().regex(/^[A-Z].*\.$/, 'a sentence'),
    /** The evidence for the webhook. */
    admission: Shown,
    /** The evidence for the controller, in addition to the rules under `admission`. */
    reconcile: Shown,
    /** The evidence in settings, manifests and documentation. */
    deploying: Shown,
    /** The heading of the page that lists the exclusion. */
    excluded: z.enum(LEFT_OUT).optional(),
  })
  .refine((row) => Object.keys(row).length > 1, 'evidence, or an exclusion');
const Checklist = z.record(z.string().regex(/^S-\d{3}$/), Row);

const RULES: ReadonlySet<string> = new Set([...SERVICE_RULES, ...NODE_RULES].map(({ name }) => name));

const read = (file: string): string => (existsSync(join(root, file)) ? readFileSync(join(root, file), 'utf8') : '');

/** Returns whether a test file has a test, a row of a table or a scenario of this title. */
function isTestOf(file: string, title: string): boolean {
  const text = read(file);
  if (file.endsWith('.yaml')) return text.split('\n').includes(`  title: ${title}`);
  return ["'", '"', '`'].some((quote) => text.includes(`${quote}${title}${quote}`));
}

const hasHeading = (page: string, heading: string): boolean =>
  read(page)
    .split('\n')
    .some((line) => /^#+ /.test(line) && line.replace(/^#+ /, '') === heading);

/** Returns whether a component has a folder and a row in the test of components. */
const isTried = (component: string): boolean =>
  existsSync(join(root, 'kustomize/components', component)) &&
  read('test/manifests/components.test.ts')
    .split('\n')
    .some((line) => [`  ${component}: (`, `  '${component}': (`].some((row) => line.startsWith(row)));

const COMMANDS = 'commands of ';
/** Returns whether a section has commands, and a test runs the commands of its page. */
const isFollowed = (page: string, heading: string): boolean =>
  read('test/integration/deploying/documented.test.ts').includes(`'${page.replace(/^docs\/|\.md$/g, '')}'`) &&
  stepsOf(join(root, page)).some((step) => step.heading === heading);

function exists([kind, name]: readonly [string, string]): boolean {
  if (kind === 'rule') return RULES.has(name);
  if (kind === 'annotation') return Object.hasOwn(CATALOGUE, name);
  if (kind === 'plan') return existsSync(join(root, PLANS, name, 'plan.txt'));
  if (kind === 'component') return isTried(name);
  if (kind.startsWith(COMMANDS)) return isFollowed(kind.slice(COMMANDS.length), name);
  return kind.startsWith('test/') ? isTestOf(kind, name) : kind.endsWith('.md') && hasHeading(kind, name);
}

/** Returns the numbers that the page lists under a heading. */
const listed = (heading: string): readonly string[] => {
  const [, section = ''] = read(SCOPE).split(`\n## ${heading}\n`);
  return [...(section.split('\n## ')[0] ?? '').matchAll(/^\| (S-\d{3}) \|/gm)].map(([, id = '']) => id);
};

/** Each requirement of `test/checklist` must have evidence, or an entry in a list of exclusions, so that no requirement is forgotten. */
describe('the checklist', () => {
  const rows = globSync('*.yaml', { cwd: join(root, FOLDER) })
    .flatMap((file) => Object.entries(Checklist.parse(parse(read(join(FOLDER, file))))))
    .sort(([one], [other]) => one.localeCompare(other));

  for (const [id, { is, admission = [], reconcile = [], deploying = [] }] of rows) {
    it(`shows evidence for ${id}, or excludes it: ${is}`, () => {
      const shown = [...admission, ...reconcile, ...deploying].flatMap((evidence) => Object.entries(evidence));
      assert.deepEqual(
        shown.filter((evidence) => !exists(evidence)).map((evidence) => evidence.join(': ')),
        [],
      );
    });
  }

  it(`contains S-001 to S-${HOW_MANY}, each once`, () => {
    const all = Array.from({ length: HOW_MANY }, (_, index) => `S-${String(index + 1).padStart(3, '0')}`);
    assert.deepEqual(
      rows.map(([id]) => id),
      all,
    );
  });

  for (const heading of LEFT_OUT) {
    it(`excludes exactly the requirements that scope.md lists under "${heading}"`, () => {
      const ids = rows.filter(([, { excluded }]) => excluded === heading).map(([id]) => id);
      assert.deepEqual(listed(heading), ids);
    });
  }
});
