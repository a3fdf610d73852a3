import { ANNOTATION_BYTES } from './cached-annotations.ts';
import { LONGEST_VALUE } from './value.ts';
import { CATALOGUE, ENTRIES, FAMILIES, type OptionName } from './catalogue.ts';
import type { OptionDefinition } from './option-definition.ts';
import { suffixOf } from './keys.ts';
import { MARK_KINDS, wellKnownOfKind, type Mark, type MarkKind } from './well-known.ts';
import { factsOf } from './phrases.ts';

const GROUP = 'service.beta.kubernetes.io/';
const INTRODUCTION = `<!-- Generated from src/annotation by \`make generate\`. Change the catalogue, not this page. -->

# Annotations, labels, taints, tags

This page is for authors of Services. It contains all annotations of a Service of \`type: LoadBalancer\`, and the
[labels, taints, tags and other names](#labels-taints-tags-and-other-names) that Portcullis reads or writes. \`portcullis explain KEY\` prints a section of this page.

How annotations are read:

- Keys begin with \`${GROUP}alibaba-cloud-loadbalancer-\`, unless a section shows another key.
- Deprecated forms have the same effect. The webhook stores the current key instead of them or in addition to them, and warns: see [Rename a deprecated key](../tasks/troubleshoot.md#rename-a-deprecated-key). If the current key is set, even to an empty value, deprecated forms have no effect.
- An empty value has the same effect as no annotation.
- Values are text. Numbers, \`true\` and \`on\` need quotation marks in YAML. Values are case-sensitive, unless a section states otherwise.
- A value has at most ${LONGEST_VALUE} characters. A denial of a full-width character (\`：，１\`) shows the correct character.
- All annotations of a Service that Portcullis reads take at most ${ANNOTATION_BYTES} bytes of memory. Each annotation takes 32 bytes and a byte for each character, or two bytes if a character is not Latin-1.
- A key with such a prefix that is not on this page has no effect. The webhook denies it and suggests the most similar key.
- A key of this page in another spelling (\`Backend_Type\`, \`alibabaCloudLoadBalancer…\`, another domain before the slash) has no effect. A warning shows the correct key.
- If an annotation in effect is removed, its attribute returns to the value of a new load balancer. See the exceptions in [A removed annotation keeps its effect](../tasks/troubleshoot.md#a-removed-annotation-keeps-its-effect).
`;

const cell = (text: string): string => text.replaceAll('|', '\\|');
const table = (heading: readonly string[], rows: readonly (readonly string[])[]): string =>
  [heading, heading.map(() => '---'), ...rows].map((row) => `| ${row.map(cell).join(' | ')} |`).join('\n');

/** Returns a link to the section of an annotation. */
const link = (entry: OptionDefinition): string => `[\`${suffixOf(entry.key)}\`](#${suffixOf(entry.key)})`;
const linkTo = (option: string): string => link(CATALOGUE[option as OptionName]);

const form = (key: string): string => `\`${key.slice(GROUP.length)}\``;

/** Returns the section of an annotation in Markdown. */
export function sectionOf(entry: OptionDefinition): string {
  const facts = factsOf(entry, linkTo);
  const deprecated = entry.deprecated.map(form).join(', ');
  return [
    `### ${suffixOf(entry.key)}`,
    entry.doc,
    `\`\`\`yaml\n${entry.key}: "${entry.example}"\n\`\`\``,
    table(['', ''], deprecated === '' ? facts : [...facts, ['Deprecated forms', deprecated]]),
  ].join('\n\n');
}

function familyOf({ title, doc, options }: (typeof FAMILIES)[number]): string {
  const entries = options.map((option): OptionDefinition => CATALOGUE[option]);
  return [`## ${title}`, doc, entries.map(link).join(' · '), ...entries.map(sectionOf)].join('\n\n');
}

const markRow = (mark: Mark): readonly string[] => [
  `\`${mark.name}\``,
  mark.value,
  mark.writer,
  mark.doc + (mark.replacedBy === undefined ? '' : ` Deprecated: use \`${mark.replacedBy}\`.`),
];

const marksOf = (kind: MarkKind): string =>
  `### ${MARK_KINDS[kind]}\n\n${table(['name', 'value', 'written by', 'meaning'], wellKnownOfKind(kind).map(markRow))}`;

const obsolete = `## Keys without effect

- \`loadbalancer-region\`, which the existing cloud controller read until v2.0.
- Keys that only the controller of network load balancers reads. Portcullis ignores them on Services of that controller.
- \`private-zone-\` keys, which belong to another controller.`;

/** Returns the complete reference page in Markdown. */
export const referencePage = (): string =>
  [
    INTRODUCTION.trimEnd(),
    `${ENTRIES.length} annotations: ${FAMILIES.map(({ title }) => `[${title}](#${title.toLowerCase().replaceAll(' ', '-')})`).join(' · ')} · [Other names](#labels-taints-tags-and-other-names)`,
    ...FAMILIES.map(familyOf),
    obsolete,
    '## Labels, taints, tags and other names',
    'Do not change the names that the controller writes: it uses them to find what belongs to a Service.',
    ...(Object.keys(MARK_KINDS) as MarkKind[]).map(marksOf),
  ].join('\n\n') + '\n';
