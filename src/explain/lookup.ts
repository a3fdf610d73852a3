import { ENTRIES, FAMILIES, type OptionName } from '../annotation/catalogue.ts';
import type { OptionDefinition } from '../annotation/option-definition.ts';
import { GROUP, suffixOf } from '../annotation/keys.ts';
import { WELL_KNOWN, type Mark } from '../annotation/well-known.ts';
import { nearestKey } from '../annotation/unknown.ts';
import { nearest } from '../base/nearest.ts';
import { RULES, type RuleTopic } from './rules.ts';

export interface Annotation {
  readonly kind: 'annotation';
  readonly option: OptionName;
  readonly family: string;
  readonly entry: OptionDefinition;
}

/** What can be explained. */
export type Topic = Annotation | RuleTopic | { readonly kind: 'mark'; readonly mark: Mark };

const familyOf = (option: OptionName): string =>
  FAMILIES.find(({ options }) => options.includes(option))?.title ?? 'Annotations';

export const ANNOTATIONS: readonly Annotation[] = ENTRIES.map(([option, entry]) => ({
  kind: 'annotation',
  option,
  family: familyOf(option),
  entry,
}));

const ALL_MARKS: readonly Mark[] = Object.values(WELL_KNOWN);

const isCalled = ({ option, entry }: Annotation, name: string): boolean =>
  isKeyOf(entry, name) || isKeyOf(entry, GROUP + name) || name === option || name === shortName(entry);

const isKeyOf = ({ key, deprecated }: OptionDefinition, name: string): boolean =>
  name === key || deprecated.includes(name);

/** What an annotation is called in conversation: `bandwidth`. */
export const shortName = (entry: OptionDefinition): string => suffixOf(entry.key);

const isMark = ({ name }: Mark, asked: string): boolean =>
  name === asked || (name.endsWith('*') && name.length > 1 && asked.startsWith(name.slice(0, -1)));

/** What stands around a key where it is copied from: the path of a field in a denial, quotes and colon in a manifest. */
const AROUND = /^metadata\.(?:annotations|labels)\[|^["']|["']?:$|["'\]]$/g;

/**
 * Everything of this name: a rule, a current or deprecated key, a key without its prefix, an option, a label, a tag. A rule comes first,
 * as it is denials that send people here.
 */
export function find(copied: string): readonly Topic[] {
  const name = copied.replace(AROUND, '');
  const short = name.startsWith('loadbalancer-') ? suffixOf(GROUP + name) : name;
  return [
    ...RULES.filter(({ rule }) => rule.name === name),
    ...ANNOTATIONS.filter((annotation) => isCalled(annotation, short)),
    ...ALL_MARKS.filter((mark) => isMark(mark, name)).map((mark) => ({ kind: 'mark', mark }) as const),
  ];
}

/** The name that was most likely meant by one that nothing has. */
export function suggest(name: string): string | undefined {
  const names = [
    ...RULES.map(({ rule }) => rule.name),
    ...ANNOTATIONS.flatMap(({ entry, option }) => [shortName(entry), option]),
    ...ALL_MARKS.map((mark) => mark.name),
  ];
  const near = nearest(suffixOf(name), names) ?? nearest(name, names);
  const key = near === undefined ? nearestKey(name) : undefined;
  return near ?? (key === undefined ? undefined : suffixOf(key));
}

/** Every name that is worth completing: the short ones. */
export const allNames = (): readonly string[] =>
  [...new Set([...RULES.map(({ rule }) => rule.name), ...ANNOTATIONS.map(({ entry }) => shortName(entry))])].sort();
