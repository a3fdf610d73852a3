import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import ts from 'typescript';
import { parse } from 'yaml';
import { root } from './support/manifests.ts';
import { wordFindings } from './support/prose.ts';

const page = readFileSync(join(root, 'docs/glossary.md'), 'utf8');

/** Words that the glossary replaces. */
const REPLACED: ReadonlySet<string> = new Set(
  page
    .slice(page.indexOf('## Words that names do not use'))
    .matchAll(/`([a-z]+)`/g)
    .map(([, word = '']) => word),
);

const wordsOf = (name: string): readonly string[] =>
  name
    .replaceAll(/([a-z0-9])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^a-z]+/);
const replacedIn = (name: string): readonly string[] => wordsOf(name).filter((word) => REPLACED.has(word));

const SOURCES = globSync('{src,webhook}/**/*.ts', { cwd: root });
const read = (file: string): string => readFileSync(join(root, file), 'utf8');
const REASON = /\b(?:rule|reason|RULE|word): ?'([A-Z]\w+)'/g;

/** Returns the name of every declaration in a file. */
function declared(file: string): readonly string[] {
  const names: string[] = [];
  const visit = (node: ts.Node): void => {
    const { parent } = node;
    const isName = ts.isIdentifier(node) || ts.isPrivateIdentifier(node);
    if (isName && 'name' in parent && parent.name === node && !ts.isPropertyAccessExpression(parent))
      names.push(node.text);
    ts.forEachChild(node, visit);
  };
  ts.forEachChild(ts.createSourceFile(file, read(file), ts.ScriptTarget.Latest, true), visit);
  return names;
}

/** Returns the texts of several words in a file: messages, events, help and errors. Each inserted value counts as the word `x`. */
function textsIn(file: string): readonly string[] {
  const texts: string[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isStringLiteralLike(node)) texts.push(node.text);
    else if (ts.isTemplateExpression(node))
      texts.push([node.head.text, ...node.templateSpans.map(({ literal }) => literal.text)].join('x'));
    ts.forEachChild(node, visit);
  };
  visit(ts.createSourceFile(file, read(file), ts.ScriptTarget.Latest, true));
  return texts.filter((text) => /\w+ \w+ \w+/.test(text));
}

/** Returns `place: name` for each name with a replaced word. */
const offences = (names: readonly (readonly [place: string, name: string])[]): readonly string[] =>
  names.filter(([, name]) => replacedIn(name).length > 0).map(([place, name]) => `${place}: ${name}`);
const found = (file: string, pattern: RegExp): readonly (readonly [string, string])[] =>
  read(file)
    .matchAll(pattern)
    .map(([, name = '']) => [file, name] as const)
    .toArray();

/** The glossary lists one word for each concept, which keeps names searchable. */
describe('the words of the glossary', () => {
  it('are on the page with the words that they replace', () => {
    assert.ok(REPLACED.size > 60);
    assert.match(page, /^\| \*\*binding\*\* \|/m);
  });

  it('are in the names of files and folders', () => {
    const offending = offences(SOURCES.map((file) => [file, file.replaceAll('/', ' ').replace(/\.ts$/, '')] as const));
    assert.deepEqual(offending, []);
  });

  it('are in the names of functions, types, members, parameters and variables', () => {
    const names = SOURCES.flatMap((file) => declared(file).map((name) => [file, name] as const));
    assert.ok(names.length > 20_000);
    assert.deepEqual([...new Set(offences(names))], []);
  });

  it('are in messages, events, help and errors', () => {
    const texts = SOURCES.flatMap((file) => textsIn(file).map((text) => [file, text] as const));
    assert.ok(texts.length > 2_000);
    assert.deepEqual(
      texts.flatMap(([file, text]) => wordFindings(text).map(({ message }) => `${file}: ${message}`)),
      [],
    );
  });

  it('name no two exported types alike', () => {
    const TYPE = /^export (?:declare )?(?:abstract )?(?:interface|type|class|enum) (\w+)/gm;
    const files = Map.groupBy(
      SOURCES.flatMap((file) => found(file, TYPE)),
      ([, name]) => name,
    );
    const alike = [...files].filter(([, all]) => all.length > 1);
    assert.deepEqual(
      alike.map(([name, all]) => `${name}: ${all.map(([file]) => file).join(', ')}`),
      [],
    );
  });

  it('are in the reasons of conditions and plans', () =>
    assert.deepEqual(offences(SOURCES.flatMap((file) => found(file, REASON))), []));

  it('are in the names of metrics and alerts', () => {
    const metrics = SOURCES.flatMap((file) => found(file, /'((?:portcullis)_\w+)'/g));
    const alerts = found('manifests/monitoring/alerts.yaml', /alert: (\w+)/g);
    assert.ok(metrics.length > 20 && alerts.length > 20);
    assert.deepEqual(offences([...metrics, ...alerts]), []);
  });
});

const TESTS = globSync('test/**/*.ts', { cwd: root });
const SCENARIOS = globSync('test/integration/scenarios/*.yaml', { cwd: root });

/** Words that only titles of tests avoid. */
const VAGUE = /\b(?:said|says?|asked|asks|refus(?:es?|ed|ing)|goes|heard|others)\b|^(?:what|who) /i;
const LONGEST_TITLE = 90;

/** Returns the titles of a test file: arguments of `describe` and `it`, and keys of tables with several words. */
function titlesOf(file: string): readonly string[] {
  const titles: string[] = [];
  const visit = (node: ts.Node): void => {
    const isTest = ts.isCallExpression(node) && /^(?:describe|it)$/.test(node.expression.getText());
    const title = isTest ? node.arguments[0] : ts.isPropertyAssignment(node) ? node.name : undefined;
    if (title !== undefined && (ts.isStringLiteralLike(title) || ts.isTemplateExpression(title)))
      if (isTest || /^[^\\]* [^\\]*$/.test(title.getText())) titles.push(title.getText().slice(1, -1));
    ts.forEachChild(node, visit);
  };
  ts.forEachChild(ts.createSourceFile(file, read(file), ts.ScriptTarget.Latest, true), visit);
  return titles;
}
/** Returns the titles of the scenarios in a file. */
const titlesOfScenarios = (file: string): readonly string[] =>
  Object.values(parse(read(file), { merge: true }) as Record<string, { readonly title: string }>).map(
    ({ title }) => title,
  );

describe('the words of tests', () => {
  it('are those of the glossary in names of files and declarations', () => {
    const names = TESTS.flatMap((file) => [...declared(file), file].map((name) => [file, name] as const));
    assert.ok(names.length > 20_000);
    assert.deepEqual([...new Set(offences(names))], []);
  });

  it('are plain in titles', () => {
    const titles = [
      ...TESTS.flatMap((file) => titlesOf(file).map((title) => [file, title] as const)),
      ...SCENARIOS.flatMap((file) => titlesOfScenarios(file).map((title) => [file, title] as const)),
    ];
    assert.ok(titles.length > 5_000);
    const offending = titles.filter(([, title]) => {
      const text = title.replaceAll(/\$\{[^}]*\}/g, 'x');
      return VAGUE.test(text) || wordFindings(text).length > 0 || text.length > LONGEST_TITLE;
    });
    assert.deepEqual(
      offending.map(([file, title]) => `${file}: ${title}`),
      [],
    );
  });
});

describe('the sources', () => {
  it('have the launcher, the entry, the commands, the version and the brand alone at their root', () => {
    const files = globSync('src/*.{ts,js}', { cwd: root }).map((file) => basename(file));
    assert.deepEqual(files.sort(), ['brand.ts', 'cli.ts', 'launcher.js', 'main.ts', 'version.ts']);
  });
});
