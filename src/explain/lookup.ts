import { ENTRIES, FAMILIES, type OptionName } from '../annotation/catalogue.ts';
import type { OptionDefinition } from '../annotation/option-definition.ts';
import { GROUP, suffixOf } from '../annotation/keys.ts';
import { WELL_KNOWN, type Mark } from '../annotation/well-known-names.ts';
import { nearestKey } from '../annotation/unknown-keys.ts';
import { nearest } from '../base/spelling-suggestion.ts';
import { RULES, type RuleTopic } from './rules.ts';

/** An annotation, with its entry in the catalogue. */
export interface Annotation {
  readonly kind: 'annotation';
  readonly option: OptionName;
  readonly family: string;
  readonly entry: OptionDefinition;
}

/** A label, taint, tag, finalizer or condition. */
export interface MarkTopic {
  readonly kind: 'mark';
  readonly mark: Mark;
}

/** A subject of `portcullis explain`. */
export type Topic = Annotation | RuleTopic | MarkTopic;

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

/** Returns the short name of an annotation, such as `bandwidth`. */
export const shortName = (entry: OptionDefinition): string => suffixOf(entry.key);

const isMark = ({ name }: Mark, requested: string): boolean =>
  name === requested || (name.endsWith('*') && name.length > 1 && requested.startsWith(name.slice(0, -1)));

/** Matches text around a key that a user copied from a denial or a manifest, such as quotes and a colon. */
const COPY_ARTIFACTS = /^metadata\.(?:annotations|labels)\[|^["']|["']?:$|["'\]]$/g;

/** Returns the topics for an argument of `explain`. Rules come first, because most users look up a denial. */
export function find(copied: string): readonly Topic[] {
  const name = copied.replace(COPY_ARTIFACTS, '');
  const short = name.startsWith('loadbalancer-') ? suffixOf(GROUP + name) : name;
  return [
    ...RULES.filter(({ rule }) => rule.name === name),
    ...ANNOTATIONS.filter((annotation) => isCalled(annotation, short)),
    ...ALL_MARKS.filter((mark) => isMark(mark, name)).map((mark) => ({ kind: 'mark', mark }) as const),
  ];
}

/** Returns the nearest known name for an unknown name. Returns undefined if no name is near. */
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

/** Returns the names of all rules and annotations, for shell completion. */
export const allNames = (): readonly string[] =>
  [...new Set([...RULES.map(({ rule }) => rule.name), ...ANNOTATIONS.map(({ entry }) => shortName(entry))])].sort();
