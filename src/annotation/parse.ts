import { ENTRIES, type OptionName, type Options } from './catalogue.ts';
import type { ParsedValue, ValueError } from './option-definition.ts';
import { ParsedValues, OPTION_INDEX } from './parsed-values.ts';
import { isUnderOurPrefixes } from './keys.ts';
import { isAlike, isPrivateZoneKey, isNlbOnly, nearestKey } from './unknown-keys.ts';
import { emptyIsValue, readerOf, type ValueReader } from './value-readers.ts';

export { currentKeyOf } from './deprecated-key-index.ts';

/** An error or a warning about a value. */
export interface Issue {
  readonly option: OptionName;
  /** The key as the user wrote it. */
  readonly key: string;
  /** The text as the user wrote it. */
  readonly value: string;
  readonly error: ValueError;
  /** Set if the value counts as unset, as in the Alibaba Cloud Controller Manager. */
  readonly isIgnored?: true;
}

/** An unknown key that has a prefix of this controller, or was most likely meant for this controller. */
export interface UnknownKey {
  readonly key: string;
  /** The nearest known key. Undefined if no key is near. */
  readonly nearest?: string;
}

/** A known key in a deprecated form. */
export interface DeprecatedKey {
  readonly key: string;
  readonly current: string;
}

/** The parsed annotations. Every list is sorted by key, whatever the order of the annotations. */
export interface ParsedAnnotations {
  /** The valid values, without defaults. An empty value is undefined, unless its type accepts empty values. */
  readonly options: Options;
  /** The values by index in `ENTRIES`, for fast access. */
  readonly values: Pick<ParsedValues, 'at'>;
  /** The key of each option that is set, even to an invalid value. */
  readonly keys: Pick<Keys, 'get' | 'has' | 'isAt' | typeof Symbol.iterator>;
  readonly issues: readonly Issue[];
  readonly unknown: readonly UnknownKey[];
  readonly deprecated: readonly DeprecatedKey[];
  /** Keys that only the controller of network load balancers reads. They have no effect on classic load balancers. */
  readonly nlbOnly: readonly string[];
}

/** The maximum length of a cached text, in characters. */
const MOST_REMEMBERED = 256;

/** A current or deprecated key, with its option and a cached value. */
class Form {
  readonly option: OptionName;
  /** The index of the option in `ENTRIES`. */
  readonly index: number;
  readonly current: string;
  readonly canBeEmpty: boolean;
  /** Keys that take precedence over this key. */
  readonly stronger: readonly string[];
  readonly #read: ValueReader;
  #lastText = '';
  #last: ParsedValue<unknown>;

  constructor(index: number, [option, { key, value }]: (typeof ENTRIES)[number], stronger: readonly string[]) {
    this.option = option;
    this.index = index;
    this.current = key;
    this.canBeEmpty = emptyIsValue(value);
    this.stronger = stronger;
    this.#read = readerOf(value);
    this.#last = this.#read('');
  }

  /** Parses a text. Caches the last result, because consecutive Services often have equal values. */
  read(text: string): ParsedValue<unknown> {
    if (text === this.#lastText) return this.#last;
    const read = this.#read(text);
    if (text.length <= MOST_REMEMBERED) {
      this.#lastText = text;
      this.#last = read;
    }
    return read;
  }
}

/** All current and deprecated keys of the catalogue. */
const FORMS: ReadonlyMap<string, Form> = new Map(
  ENTRIES.flatMap((named, index) => {
    const [, { key: current, deprecated }] = named;
    const keys = [current, ...deprecated];
    return keys.map((key, rank) => [key, new Form(index, named, keys.slice(0, rank))] as const);
  }),
);

const NONE: readonly never[] = [];

/** Returns whether a key outside the catalogue has a prefix of this controller, or was most likely meant for this controller. */
export const isUnknownKey = (key: string): boolean => !FORMS.has(key) && (isUnderOurPrefixes(key) || isAlike(key));

/** Returns whether `parseAnnotations` reads or reports a key. */
export const isReadKey = (key: string): boolean => FORMS.has(key) || isUnknownKey(key);
const byKey = (left: { readonly key: string }, right: { readonly key: string }): number =>
  left.key < right.key ? -1 : 1;

/** The maximum number of unknown keys that get a suggestion, because a comparison of thousands of keys is expensive. */
const MOST_SUGGESTIONS = 20;

function unknownKey(key: string, at: number): UnknownKey {
  const near = at < MOST_SUGGESTIONS ? nearestKey(key) : undefined;
  return near === undefined ? { key } : { key, nearest: near };
}

/** The key of each option that is set. Stored in an array, which is cheap to fill, because valid Services rarely need the keys. */
export class Keys implements Iterable<readonly [OptionName, string]> {
  readonly #found = new Array<string | undefined>(ENTRIES.length);

  add(index: number, key: string): void {
    this.#found[index] = key;
  }

  get(option: OptionName): string | undefined {
    return this.#found[OPTION_INDEX.get(option) ?? -1];
  }

  /** Returns whether the option at an index in `ENTRIES` is set. */
  isAt(index: number): boolean {
    return this.#found[index] !== undefined;
  }

  has(option: OptionName): boolean {
    return this.get(option) !== undefined;
  }

  *[Symbol.iterator](): Iterator<readonly [OptionName, string]> {
    for (const [option] of ENTRIES) {
      const key = this.get(option);
      if (key !== undefined) yield [option, key];
    }
  }
}

/** The state of one parse. Lists are created only when they get a first item. */
class Reading {
  readonly #options = new ParsedValues();
  readonly #keys = new Keys();
  #issues: Issue[] | undefined;
  #isInOrder = true;
  #deprecated: DeprecatedKey[] | undefined;
  #unknown: string[] | undefined;

  /** Reads the value of a catalogue key, unless a key that takes precedence exists. */
  readKnown(form: Form, key: string, found: string, annotations: Readonly<Record<string, string>>): void {
    const { option, current, stronger } = form;
    if (stronger.length > 0) {
      (this.#deprecated ??= []).push({ key, current });
      if (stronger.some((other) => Object.hasOwn(annotations, other))) return;
    }
    if (found === '' && !form.canBeEmpty) return;
    this.#keys.add(form.index, key);
    const read = form.read(found);
    if (read.ok) this.#options.put(form.index, read.value);
    if (read.error === undefined) return;
    const issue = { option, key, value: found, error: read.error };
    const before = this.#issues?.at(-1);
    if (before !== undefined && before.key > key) this.#isInOrder = false;
    (this.#issues ??= []).push(!read.ok && read.isIgnored === true ? { ...issue, isIgnored: true } : issue);
  }

  /** Adds a key outside the catalogue. */
  addUnknown(key: string): void {
    (this.#unknown ??= []).push(key);
  }

  result(): ParsedAnnotations {
    const unknownKeys = this.#unknown?.filter((key) => !isPrivateZoneKey(key)).sort() ?? NONE;
    return {
      options: this.#options.named,
      values: this.#options,
      keys: this.#keys,
      issues: (this.#isInOrder ? this.#issues : this.#issues?.sort(byKey)) ?? NONE,
      deprecated: this.#deprecated?.sort(byKey) ?? NONE,
      unknown: unknownKeys.length === 0 ? NONE : unknownKeys.filter((key) => !isNlbOnly(key)).map(unknownKey),
      nlbOnly: unknownKeys.length === 0 ? NONE : unknownKeys.filter(isNlbOnly),
    };
  }
}

/** Parses the annotations of a Service. Never throws. */
export function parseAnnotations(annotations: Readonly<Record<string, string>> | undefined): ParsedAnnotations {
  const reading = new Reading();
  if (annotations === undefined) return reading.result();
  for (const key in annotations) {
    const form = FORMS.get(key);
    const value: unknown = annotations[key];
    // A manifest file can contain a number or a boolean as a value.
    const text = typeof value === 'string' ? value : '';
    if (form !== undefined) reading.readKnown(form, key, text, annotations);
    else if (isUnknownKey(key)) reading.addUnknown(key);
  }
  return reading.result();
}
