import { CATALOGUE, FAMILIES, type OptionName } from '../annotation/catalogue.ts';
import type { OptionDefinition } from '../annotation/option-definition.ts';
import { MARK_KINDS, wellKnownOfKind, type Mark, type MarkKind } from '../annotation/well-known.ts';
import { factsOf } from '../annotation/phrases.ts';
import { shortName, type Annotation, type Topic } from './lookup.ts';
import { examplesOf, factsOfRule, RULES, type RuleTopic } from './rules.ts';

/** The layout of a text: its width, and the style of headings. */
export interface Layout {
  readonly width: number;
  readonly bold: (text: string) => string;
}

const INDENT = '  ';
const plain = (text: string): string => text.replaceAll('`', '');

/** Breaks a text into lines of at most `width` characters. A longer word gets its own line. */
function wrap(text: string, width: number): readonly string[] {
  const lines: string[] = [];
  let line = '';
  for (const word of plain(text).split(' ')) {
    if (line !== '' && line.length + 1 + word.length > width) {
      lines.push(line);
      line = word;
    } else line = line === '' ? word : `${line} ${word}`;
  }
  return [...lines, line];
}

export const paragraph = (text: string, { width }: Layout): string =>
  wrap(text, width - INDENT.length)
    .map((line) => INDENT + line)
    .join('\n');

/** Returns two columns: headings, and texts wrapped in their column. */
export function columns(rows: readonly (readonly [string, string])[], { width }: Layout): string {
  const left = Math.max(...rows.map(([heading]) => heading.length)) + INDENT.length;
  const lines = rows.flatMap(([heading, text]) =>
    wrap(text, Math.max(width - left - INDENT.length, 30)).map(
      (line, at) => INDENT + (at === 0 ? heading : '').padEnd(left) + line,
    ),
  );
  return lines.join('\n');
}

const nameOf = (option: string): string => shortName(CATALOGUE[option as OptionName]);

function deprecatedOf({ deprecated }: OptionDefinition, layout: Layout): readonly string[] {
  if (deprecated.length === 0) return [];
  return [`${layout.bold('Deprecated forms')}\n${deprecated.map((key) => INDENT + key).join('\n')}`];
}

function annotationText({ entry, option, family }: Annotation, layout: Layout): string {
  const facts = [...factsOf(entry, nameOf), ['Family', family], ['Option', option]] as const;
  return [
    layout.bold(entry.key),
    paragraph(entry.doc, layout),
    columns(facts, layout),
    `${layout.bold('Example')}\n${INDENT}metadata:\n    annotations:\n      ${entry.key}: "${entry.example}"`,
    ...deprecatedOf(entry, layout),
  ].join('\n\n');
}

function markText(mark: Mark, layout: Layout): string {
  const facts: readonly (readonly [string, string])[] = [
    ['What', MARK_KINDS[mark.kind]],
    ['Values', mark.value],
    ['Written by', mark.writer],
    ...(mark.since === undefined ? [] : [['Since', `${mark.since}, in the existing cloud controller`] as const]),
    ...(mark.replacedBy === undefined ? [] : [['Deprecated', `use ${mark.replacedBy}`] as const]),
  ];
  return [layout.bold(mark.name), paragraph(mark.doc, layout), columns(facts, layout)].join('\n\n');
}

function ruleText(topic: RuleTopic, layout: Layout): string {
  const examples = examplesOf(topic).map(
    ([heading, yaml]) => `${layout.bold(heading)}\n${yaml.trimEnd().replaceAll(/^/gm, INDENT)}`,
  );
  return [
    layout.bold(topic.rule.name),
    paragraph(topic.rule.doc, layout),
    columns(factsOfRule(topic), layout),
    ...examples,
  ].join('\n\n');
}

export function topicText(topic: Topic, layout: Layout): string {
  switch (topic.kind) {
    case 'annotation':
      return annotationText(topic, layout);
    case 'rule':
      return ruleText(topic, layout);
    case 'mark':
      return markText(topic.mark, layout);
  }
}

/** Returns the first sentence, up to its full stop. */
const summaryOf = (doc: string): string => /^.*?\.(?= |$)/.exec(doc)?.[0] ?? doc;
/** Returns the first sentence, or its part up to a colon. */
const shortSummaryOf = (doc: string): string => /^.*?[.:](?= |$)/.exec(doc)?.[0] ?? doc;

/** Returns all topics by name in groups, each with its first sentence. */
export function listText(layout: Layout): string {
  const families = FAMILIES.map(({ title, options }): readonly [string, readonly (readonly [string, string])[]] => [
    title,
    options.map((option) => [nameOf(option), shortSummaryOf(CATALOGUE[option].doc)]),
  ]);
  const marks = (Object.keys(MARK_KINDS) as MarkKind[]).map((kind): (typeof families)[number] => [
    MARK_KINDS[kind],
    wellKnownOfKind(kind).map(({ name, doc }) => [name, shortSummaryOf(doc)]),
  ]);
  const rules: (typeof families)[number] = ['Rules', RULES.map(({ rule }) => [rule.name, summaryOf(rule.doc)])];
  return [...families, ...marks, rules]
    .map(([title, rows]) => `${layout.bold(title)}\n${columns(rows, layout)}`)
    .join('\n\n');
}

/** Returns all rules with tier, kind of object and the first sentence of the documentation. */
export function rulesText(layout: Layout): string {
  const rows = RULES.map(({ rule, tier }) => [rule.name, tier, rule.kind, summaryOf(rule.doc)] as const);
  const widths = [0, 1, 2].map((column) => Math.max(...rows.map((row) => (row[column] ?? '').length)) + INDENT.length);
  const left = (row: readonly string[]): string => widths.map((width, at) => (row[at] ?? '').padEnd(width)).join('');
  const width = Math.max(layout.width - widths.reduce((sum, each) => sum + each, 0), 30);
  const line = (row: readonly [string, string, string, string]): readonly string[] =>
    wrap(row[3], width).map((text, at) => (at === 0 ? left(row) : left([])) + text);
  const [heading = ''] = line(['NAME', 'TIER', 'KIND', 'WHAT FOR']);
  return [layout.bold(heading), ...rows.flatMap(line)].join('\n');
}
