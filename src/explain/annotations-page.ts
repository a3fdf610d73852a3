import { CATALOGUE, ENTRIES, FAMILIES, type OptionName } from '../annotation/catalogue.ts';
import type { OptionDefinition } from '../annotation/option-definition.ts';
import { GROUP, suffixOf } from '../annotation/keys.ts';
import { MARK_KINDS, wellKnownOfKind, type Mark, type MarkKind } from '../annotation/well-known-names.ts';
import { factsOf } from './annotation-facts.ts';
import type { Language } from './language-texts.ts';
import { ANNOTATIONS, type Annotation } from './lookup.ts';

const cell = (text: string): string => text.replaceAll('|', '\\|');
const table = (heading: readonly string[], rows: readonly (readonly string[])[]): string =>
  [heading, heading.map(() => '---'), ...rows].map((row) => `| ${row.map(cell).join(' | ')} |`).join('\n');

/** Returns a link to the section of an annotation. */
const link = (entry: OptionDefinition): string => `[\`${suffixOf(entry.key)}\`](#${suffixOf(entry.key)})`;
const linkTo = (option: string): string => link(CATALOGUE[option as OptionName]);

/** Returns a link to a section of the page. */
const sectionLink = (text: string, title: string): string =>
  `[${text}](#${title.toLowerCase().replaceAll(/[,、]/g, '').replaceAll(' ', '-')})`;

const form = (key: string): string => `\`${key.slice(GROUP.length)}\``;

/** Returns the section of an annotation in Markdown. */
export function annotationSection(annotation: Annotation, language: Language): string {
  const { entry } = language.translate(annotation);
  const facts = factsOf(entry, linkTo, language.facts);
  const deprecated = entry.deprecated.map(form).join(', ');
  return [
    `### ${suffixOf(entry.key)}`,
    entry.doc,
    `\`\`\`yaml\n${entry.key}: "${entry.example}"\n\`\`\``,
    table(['', ''], deprecated === '' ? facts : [...facts, [language.annotationsPage.deprecatedForms, deprecated]]),
  ].join('\n\n');
}

function familyOf(family: string, language: Language): string {
  const { title, doc } = familyTexts(family, language);
  const annotations = ANNOTATIONS.filter((annotation) => annotation.family === family);
  return [
    `## ${title}`,
    doc,
    annotations.map(({ entry }) => link(entry)).join(' · '),
    ...annotations.map((annotation) => annotationSection(annotation, language)),
  ].join('\n\n');
}

const familyTexts = (family: string, language: Language): { readonly title: string; readonly doc: string } =>
  language.annotationsPage.families[family] ?? { title: family, doc: '' };

function markRow(original: Mark, language: Language): readonly string[] {
  const { mark } = language.translate({ kind: 'mark', mark: original });
  const replacement =
    mark.replacedBy === undefined ? '' : language.annotationsPage.deprecatedMark(`\`${mark.replacedBy}\``);
  return [`\`${mark.name}\``, mark.value, language.marks.writers[mark.writer], mark.doc + replacement];
}

function marksOf(kind: MarkKind, language: Language): string {
  const rows = wellKnownOfKind(kind).map((mark) => markRow(mark, language));
  return `### ${language.marks.kinds[kind]}\n\n${table(language.annotationsPage.columns, rows)}`;
}

/** Returns the page `docs/reference/annotations.md`. `make generate` writes the page, and `portcullis explain -o markdown` prints it. */
export function annotationsPage(language: Language): string {
  const { introduction, count, otherNames, obsolete, marks } = language.annotationsPage;
  const titles = FAMILIES.map(({ title: family }) => familyTexts(family, language).title);
  const links = [...titles.map((title) => sectionLink(title, title)), sectionLink(otherNames, marks.title)];
  return `${[
    introduction,
    `${count(ENTRIES.length)}${links.join(' · ')}`,
    ...FAMILIES.map(({ title }) => familyOf(title, language)),
    obsolete,
    `## ${marks.title}`,
    marks.doc,
    ...(Object.keys(MARK_KINDS) as MarkKind[]).map((kind) => marksOf(kind, language)),
  ].join('\n\n')}\n`;
}
