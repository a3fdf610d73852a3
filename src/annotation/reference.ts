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

What a Service of \`type: LoadBalancer\` may say by annotations, and every other mark that means something to Portcullis.
\`portcullis explain KEY\` prints any section of this page.

How annotations are read:

- Keys begin with \`${GROUP}alibaba-cloud-loadbalancer-\`, unless a section shows another key.
- Deprecated forms are read as well. The webhook stores the current key in their place or beside them, and warns: see [Rename a deprecated key](operations.md#rename-a-deprecated-key). The current key wins whenever it is there, even when it is empty.
- An empty value is as good as none.
- Values are text, so numbers, \`true\` and \`on\` need quotes in YAML. Upper and lower case differ, unless a section says otherwise.
- A value has at most ${LONGEST_VALUE} characters. Full-width characters (\`：，１\`) in a value are named with what to write instead.
- All annotations of a Service that Portcullis reads take at most ${ANNOTATION_BYTES} bytes
  of memory: 32 for each, and a byte for each character, or two if one of them is not Latin-1.
- A key under our prefixes that is not on this page has no effect, and is denied with the nearest key that has.
- A key on this page in another spelling (\`Backend_Type\`, \`alibabaCloudLoadBalancer…\`, another domain before the slash) has no effect either. A warning names the right key.
- Taking away an annotation that was carried out puts its attribute back to what a new load balancer would have. What stays as it is stands in [Operations](operations.md#what-the-controller-puts-back).
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

\`loadbalancer-region\` (read until v2.0) is not read any more. Keys that only the controller of network load balancers reads are
left alone on its Services and mean nothing on others. \`private-zone-\` keys belong to another controller and are passed over.`;

/** Returns the complete reference page in Markdown. */
export const referencePage = (): string =>
  [
    INTRODUCTION.trimEnd(),
    `${ENTRIES.length} annotations: ${FAMILIES.map(({ title }) => `[${title}](#${title.toLowerCase().replaceAll(' ', '-')})`).join(' · ')} · [Marks](#marks)`,
    ...FAMILIES.map(familyOf),
    obsolete,
    '## Marks',
    'Labels, finalizers, taints, tags and conditions. Those that the controller writes are its memory: leave them alone.',
    ...(Object.keys(MARK_KINDS) as MarkKind[]).map(marksOf),
  ].join('\n\n') + '\n';
