import { CATALOGUE, FAMILIES, type OptionName } from '../annotation/catalogue.ts';
import type { OptionDefinition } from '../annotation/option-definition.ts';
import { MARK_KINDS, wellKnownOfKind, type Mark, type MarkKind } from '../annotation/well-known-names.ts';
import { factsOf, type Fact } from './annotation-facts.ts';
import type { Language, MarkWords } from './language-texts.ts';
import { ANNOTATIONS, shortName, type Annotation, type Topic } from './lookup.ts';
import { examplesOf, factsOfRule, RULES, type RuleTopic, type RuleWords } from './rules.ts';
import { padded, widthOf, wrap } from './wrap.ts';

/** The layout of a text: its width, and the style of headings. */
export interface Layout {
  readonly width: number;
  readonly bold: (text: string) => string;
}

const INDENT = '  ';
const plain = (text: string): string => text.replaceAll('`', '');

export const paragraph = (text: string, { width }: Layout): string =>
  wrap(plain(text), width - INDENT.length)
    .map((line) => INDENT + line)
    .join('\n');

/** Returns rows in two columns. The second column is wrapped. */
export function columns(rows: readonly (readonly [string, string])[], { width }: Layout): string {
  const left = Math.max(...rows.map(([heading]) => widthOf(heading))) + INDENT.length;
  const lines = rows.flatMap(([heading, text]) =>
    wrap(plain(text), Math.max(width - left - INDENT.length, 30)).map(
      (line, at) => INDENT + padded(at === 0 ? heading : '', left) + line,
    ),
  );
  return lines.join('\n');
}

const nameOf = (option: string): string => shortName(CATALOGUE[option as OptionName]);

function deprecatedOf({ deprecated }: OptionDefinition, heading: string): readonly string[] {
  return deprecated.length === 0 ? [] : [`${heading}\n${deprecated.map((key) => INDENT + key).join('\n')}`];
}

function annotationText(
  { entry, option, family }: Annotation,
  { facts, text, ...language }: Language,
  layout: Layout,
): string {
  const rows = [...factsOf(entry, nameOf, facts), [text.family, family], [text.option, option]] as const;
  return [
    layout.bold(entry.key),
    paragraph(entry.doc, layout),
    columns(rows, layout),
    `${layout.bold(text.example)}\n${INDENT}metadata:\n    annotations:\n      ${entry.key}: "${entry.example}"`,
    ...deprecatedOf(entry, layout.bold(language.annotationsPage.deprecatedForms)),
  ].join('\n\n');
}

function markText(mark: Mark, { kinds, headings, writers, since, use }: MarkWords, layout: Layout): string {
  const facts: readonly Fact[] = [
    [headings.kind, kinds[mark.kind]],
    [headings.values, mark.value],
    [headings.writer, writers[mark.writer]],
    ...(mark.since === undefined ? [] : [[headings.since, since(mark.since)] as const]),
    ...(mark.replacedBy === undefined ? [] : [[headings.deprecated, use(mark.replacedBy)] as const]),
  ];
  return [layout.bold(mark.name), paragraph(mark.doc, layout), columns(facts, layout)].join('\n\n');
}

function ruleText(topic: RuleTopic, words: RuleWords, layout: Layout): string {
  const examples = examplesOf(topic, words).map(
    ([heading, yaml]) => `${layout.bold(heading)}\n${yaml.trimEnd().replaceAll(/^/gm, INDENT)}`,
  );
  return [
    layout.bold(topic.rule.name),
    paragraph(topic.rule.doc, layout),
    columns(factsOfRule(topic, words), layout),
    ...examples,
  ].join('\n\n');
}

/** Returns the explanation of a topic as text for a terminal. */
export function topicText(original: Topic, language: Language, layout: Layout): string {
  const topic = language.translate(original);
  switch (topic.kind) {
    case 'annotation':
      return annotationText(topic, language, layout);
    case 'rule':
      return ruleText(topic, language.rules, layout);
    case 'mark':
      return markText(topic.mark, language.marks, layout);
  }
}

/** Returns the first sentence. */
const summaryOf = (doc: string): string => /^.*?(?:\.(?= |$)|。)/.exec(doc)?.[0] ?? doc;
/** Returns the first sentence, cut at a colon. */
const shortSummaryOf = (doc: string): string => /^.*?(?:[.:](?= |$)|[。：])/.exec(doc)?.[0] ?? doc;

/** Returns the list of all topics, for `portcullis explain` without an argument. Each topic has the first sentence of its documentation. */
export function listText(language: Language, layout: Layout): string {
  const { translate } = language;
  const families = FAMILIES.map(({ title }): readonly [string, readonly Fact[]] => [
    language.annotationsPage.families[title]?.title ?? title,
    ANNOTATIONS.filter(({ family }) => family === title).map((annotation) => [
      shortName(annotation.entry),
      shortSummaryOf(translate(annotation).entry.doc),
    ]),
  ]);
  const marks = (Object.keys(MARK_KINDS) as MarkKind[]).map((kind): (typeof families)[number] => [
    language.marks.kinds[kind],
    wellKnownOfKind(kind).map((mark) => [mark.name, shortSummaryOf(translate({ kind: 'mark', mark }).mark.doc)]),
  ]);
  const rules: (typeof families)[number] = [
    language.text.rules,
    RULES.map((topic) => [topic.rule.name, summaryOf(translate(topic).rule.doc)]),
  ];
  return [...families, ...marks, rules]
    .map(([title, rows]) => `${layout.bold(title)}\n${columns(rows, layout)}`)
    .join('\n\n');
}

/** Returns the table of all rules, which `portcullis rules` prints. */
export function rulesText(language: Language, layout: Layout): string {
  const rows = RULES.map((topic) => language.translate(topic)).map(
    ({ rule, tier }) => [rule.name, tier, rule.kind, summaryOf(rule.doc)] as const,
  );
  const widths = [0, 1, 2].map((column) => Math.max(...rows.map((row) => (row[column] ?? '').length)) + INDENT.length);
  const left = (row: readonly string[]): string => widths.map((width, at) => padded(row[at] ?? '', width)).join('');
  const width = Math.max(layout.width - widths.reduce((sum, each) => sum + each, 0), 30);
  const line = (row: readonly [string, string, string, string]): readonly string[] =>
    wrap(plain(row[3]), width).map((text, at) => (at === 0 ? left(row) : left([])) + text);
  const [heading = ''] = line(language.rulesTable);
  return [layout.bold(heading), ...rows.flatMap(line)].join('\n');
}
