import {
  protocolsOf,
  type AppliesTo,
  type Mutability,
  type OnReused,
  type OptionDefinition,
  type Relation,
} from '../annotation/option-definition.ts';
import type { Unit, ValueType } from '../annotation/value-type.ts';

/** A heading and a text about an annotation, a rule or a mark. A mark is a label, taint, tag, finalizer or condition. */
export type Fact = readonly [heading: string, text: string];

/** A relation to another annotation, as texts. */
export interface RelationTexts {
  readonly name: string;
  readonly values: string | undefined;
  readonly when: string | undefined;
  readonly listeners: string | undefined;
  readonly outcome: string;
}

/** The words of a language for facts about annotations. `english-texts.ts` and `chinese/` contain the words of each language. */
export interface FactWords {
  readonly headings: Readonly<
    Record<'values' | 'default' | 'scope' | 'change' | 'reused' | 'requires' | 'conflicts' | 'since', string>
  >;
  /** The separator between the texts of a fact. */
  readonly separator: string;
  readonly choice: (values: readonly (string | number)[]) => string;
  readonly allowed: (type: ValueType) => string;
  readonly anyCase: string;
  readonly known: (values: readonly string[]) => string;
  readonly onlyOn: (value: string, protocols: readonly string[]) => string;
  readonly older: (values: readonly string[]) => string;
  readonly units: Readonly<Record<Unit, string>>;
  readonly cloudDefault: (value: string, others: readonly (readonly [protocol: string, value: string])[]) => string;
  /** Returns the default of the controller (`ours`) and the default of the cloud as one text. */
  readonly bothDefaults: (ours: string, cloud: string) => string;
  /** The text if the controller has no default. */
  readonly noValue: string;
  readonly scopes: Readonly<Record<Exclude<AppliesTo, `listener:${string}`>, string>>;
  readonly listeners: (protocols: readonly string[]) => string;
  readonly changes: Readonly<Record<Mutability['kind'], string>>;
  readonly because: (text: string, reason: string) => string;
  readonly onReused: Readonly<Record<OnReused, string>>;
  readonly relation: (texts: RelationTexts) => string;
  /** The outcomes if a required annotation is missing or has another value. */
  readonly otherwise: Readonly<Record<Relation['otherwise'], string>>;
  /** The outcomes of a conflict. */
  readonly collision: Readonly<Record<Relation['otherwise'], string>>;
  readonly since: (release: string) => string;
}

const inCapitals = (protocols: readonly string[]): readonly string[] =>
  protocols.map((protocol) => protocol.toUpperCase());

/** Returns the scope of an annotation in words. */
function scopeOf(entry: OptionDefinition, words: FactWords): string {
  const protocols = protocolsOf(entry);
  if (protocols.length === 4) return words.scopes.listener;
  if (protocols.length > 0) return words.listeners(inCapitals(protocols));
  return entry.appliesTo.map((scope) => words.scopes[scope as keyof FactWords['scopes']]).join(words.separator);
}

function changeOf(mutability: Mutability, words: FactWords): string {
  const text = words.changes[mutability.kind];
  return 'reason' in mutability ? words.because(text, mutability.reason) : text;
}

const unitOf = (type: ValueType, words: FactWords): string =>
  type.kind === 'integer' && type.unit ? words.units[type.unit] : '';

/** Returns a value as users write it in a manifest, with its unit. */
const shown = (type: ValueType, value: unknown, words: FactWords): string =>
  `${Array.isArray(value) ? value.join(',') : String(value)}${unitOf(type, words)}`;

function cloudDefaultOf(entry: OptionDefinition, words: FactWords): string | undefined {
  const { value, cloudDefault, cloudDefaultOn = {} } = entry;
  if (cloudDefault === undefined) return undefined;
  const others = Object.entries(cloudDefaultOn).map(
    ([protocol, other]) => [protocol.toUpperCase(), shown(value, other, words)] as const,
  );
  return words.cloudDefault(shown(value, cloudDefault, words), others);
}

/** Returns the default of an annotation in words: of the controller, of the cloud, or of both. */
function defaultTextOf(entry: OptionDefinition, words: FactWords): string {
  const ours = entry.default === undefined ? entry.absent : shown(entry.value, entry.default, words);
  const cloud = cloudDefaultOf(entry, words);
  if (ours !== undefined) return cloud === undefined ? ours : words.bothDefaults(ours, cloud);
  return cloud === undefined ? words.noValue : `${words.noValue}${words.separator}${cloud}`;
}

const relationsOf = (
  relations: readonly Relation[] | undefined,
  outcomes: Readonly<Record<Relation['otherwise'], string>>,
  nameOf: (option: string) => string,
  words: FactWords,
): readonly string[] =>
  (relations ?? []).map(({ option, values, when, on, otherwise }) =>
    words.relation({
      name: nameOf(option),
      values: values && words.choice(values),
      when: when && words.choice(when),
      listeners: on && words.choice(inCapitals(on)),
      outcome: outcomes[otherwise],
    }),
  );

/** Returns the allowed values in words, with known values and limits to protocols. */
function valuesOf(type: ValueType, words: FactWords): string {
  const only = type.kind === 'enum' && type.only ? Object.entries(type.only) : [];
  return [
    `${words.allowed(type)}${'anyCase' in type && type.anyCase ? words.anyCase : ''}`,
    ...(type.kind === 'text' && type.known ? [words.known(type.known)] : []),
    ...only.map(([value, protocols]) => words.onlyOn(value, protocols ?? [])),
    ...(type.kind === 'enum' && type.older ? [words.older(type.older)] : []),
  ].join(words.separator);
}

/** Returns the facts about an annotation, for `portcullis explain` and the reference page. The facts are in the order of the page. */
export function factsOf(
  entry: OptionDefinition,
  nameOf: (option: string) => string,
  words: FactWords,
): readonly Fact[] {
  const { headings } = words;
  const facts: readonly (readonly [string, readonly string[]])[] = [
    [headings.values, [valuesOf(entry.value, words)]],
    [headings.default, [defaultTextOf(entry, words)]],
    [headings.scope, [scopeOf(entry, words)]],
    [headings.change, [changeOf(entry.mutability, words)]],
    [headings.reused, [words.onReused[entry.onReused]]],
    [headings.requires, relationsOf(entry.requires, words.otherwise, nameOf, words)],
    [headings.conflicts, relationsOf(entry.conflicts, words.collision, nameOf, words)],
    [headings.since, [entry.since.startsWith('v') ? words.since(entry.since) : entry.since]],
  ];
  return facts
    .filter(([, texts]) => texts.length > 0)
    .map(([heading, texts]) => [heading, texts.join(words.separator)]);
}
