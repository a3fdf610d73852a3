import { ENTRIES, type OptionName, type Options } from './catalogue.ts';
import type { ParsedValue } from './option-definition.ts';
import { FoundOptions, OPTION_INDEX } from './found-options.ts';
import { isUnderOurPrefixes } from './keys.ts';
import { isAlike, isForeign, isNlbOnly, nearestKey } from './unknown.ts';
import { emptyIsValue, readerOf, type Reader } from './value.ts';

export { currentKeyOf } from './deprecated.ts';

/** A value that is not one. */
export interface Issue {
  readonly option: OptionName;
  /** The key as the user wrote it. */
  readonly key: string;
  readonly found: string;
  readonly allowed: string;
  readonly fix: string;
  /** The value has always been read as if it were not there. */
  readonly isPassedOver?: true;
}

/** A key under our prefixes, or one that was most likely meant to be, that the catalogue does not know. */
export interface UnknownKey {
  readonly key: string;
  /** The nearest known key, if one is near. */
  readonly nearest?: string;
}

/** A known key in a form that is no longer the current one. */
export interface DeprecatedKey {
  readonly key: string;
  readonly current: string;
}

/** Every list is in the order of its keys, whatever the order of the annotations. */
export interface Parsed {
  /**
   * The values that could be read, under either form of their key; undefined for absent and empty ones, nothing is
   * defaulted. A value may be here and have an issue as well: it is read as ever, but says the opposite to a person.
   */
  readonly options: Options;
  /** The same by the option's place among `ENTRIES`, for those who read many. */
  readonly values: Pick<FoundOptions, 'at'>;
  /** The key under which each present option was found, also where its value is an issue. */
  readonly keys: Pick<Keys, 'get' | 'has' | 'isAt' | typeof Symbol.iterator>;
  readonly issues: readonly Issue[];
  readonly unknown: readonly UnknownKey[];
  readonly deprecated: readonly DeprecatedKey[];
  /** Keys that only the controller of network load balancers reads: without effect on ours. */
  readonly nlbOnly: readonly string[];
}

/** Longer texts are not kept. */
const MOST_REMEMBERED = 256;

/** A key that is read, and what it means. */
class Form {
  readonly option: OptionName;
  /** Of the option, among all. */
  readonly place: number;
  readonly current: string;
  readonly emptyCounts: boolean;
  /** Keys that win over this one when they are present. */
  readonly stronger: readonly string[];
  readonly #read: Reader;
  #lastText = '';
  #last: ParsedValue<unknown>;

  constructor(place: number, [option, { key, value }]: (typeof ENTRIES)[number], stronger: readonly string[]) {
    this.option = option;
    this.place = place;
    this.current = key;
    this.emptyCounts = emptyIsValue(value);
    this.stronger = stronger;
    this.#read = readerOf(value);
    this.#last = this.#read('');
  }

  /** Knows the last text again: most values of an annotation are those of the last Service, or of the same one before its change. */
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

/** Every key that is read, with what it means. */
const FORMS: ReadonlyMap<string, Form> = new Map(
  ENTRIES.flatMap((named, place) => {
    const [, { key: current, deprecated }] = named;
    const keys = [current, ...deprecated];
    return keys.map((key, rank) => [key, new Form(place, named, keys.slice(0, rank))] as const);
  }),
);

const NONE: readonly never[] = [];

/** Returns whether a key is not in the catalogue, but was probably meant for this controller. */
export const isUnknownKey = (key: string): boolean => !FORMS.has(key) && (isUnderOurPrefixes(key) || isAlike(key));

/** Returns whether `parseAnnotations` reads or reports a key. */
export const isReadKey = (key: string): boolean => FORMS.has(key) || isUnknownKey(key);
const byKey = (left: { readonly key: string }, right: { readonly key: string }): number =>
  left.key < right.key ? -1 : 1;

/** Unknown keys beyond these get no suggestion: comparing thousands of them is work that nobody reads. */
const MOST_SUGGESTIONS = 20;

function unknownKey(key: string, at: number): UnknownKey {
  const near = at < MOST_SUGGESTIONS ? nearestKey(key) : undefined;
  return near === undefined ? { key } : { key, nearest: near };
}

/** A map from options to the keys under which they were found, cheap to make: hardly anybody looks into it while all is well. */
export class Keys implements Iterable<readonly [OptionName, string]> {
  readonly #found = new Array<string | undefined>(ENTRIES.length);

  add(place: number, key: string): void {
    this.#found[place] = key;
  }

  get(option: OptionName): string | undefined {
    return this.#found[OPTION_INDEX.get(option) ?? -1];
  }

  /** The same by the option's place among `ENTRIES`, for those who look for many. */
  isAt(place: number): boolean {
    return this.#found[place] !== undefined;
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

class Reading {
  readonly #options = new FoundOptions();
  readonly #keys = new Keys();
  #issues: Issue[] | undefined;
  #isInOrder = true;
  #deprecated: DeprecatedKey[] | undefined;
  #unread: string[] | undefined;

  known(form: Form, key: string, found: string, annotations: Readonly<Record<string, string>>): void {
    const { option, current, stronger } = form;
    if (stronger.length > 0) {
      (this.#deprecated ??= []).push({ key, current });
      if (stronger.some((other) => Object.hasOwn(annotations, other))) return;
    }
    if (found === '' && !form.emptyCounts) return;
    this.#keys.add(form.place, key);
    const read = form.read(found);
    if (read.ok) this.#options.put(form.place, read.value);
    if (read.fault === undefined) return;
    const { allowed, fix } = read.fault;
    const issue = { option, key, found, allowed, fix };
    const before = this.#issues?.at(-1);
    if (before !== undefined && before.key > key) this.#isInOrder = false;
    (this.#issues ??= []).push(!read.ok && read.isPassedOver === true ? { ...issue, isPassedOver: true } : issue);
  }

  unread(key: string): void {
    (this.#unread ??= []).push(key);
  }

  result(): Parsed {
    const unread = this.#unread?.filter((key) => !isForeign(key)).sort() ?? NONE;
    return {
      options: this.#options.named,
      values: this.#options,
      keys: this.#keys,
      issues: (this.#isInOrder ? this.#issues : this.#issues?.sort(byKey)) ?? NONE,
      deprecated: this.#deprecated?.sort(byKey) ?? NONE,
      unknown: unread.length === 0 ? NONE : unread.filter((key) => !isNlbOnly(key)).map(unknownKey),
      nlbOnly: unread.length === 0 ? NONE : unread.filter(isNlbOnly),
    };
  }
}

/**
 * Reads every annotation of the catalogue, under its current key or a deprecated form of it; the current key wins
 * whenever it is there, even when it is empty. Total over any map, pure, and independent of the order of the keys.
 */
export function parseAnnotations(annotations: Readonly<Record<string, string>> | undefined): Parsed {
  const reading = new Reading();
  if (annotations === undefined) return reading.result();
  for (const key in annotations) {
    const form = FORMS.get(key);
    const value: unknown = annotations[key];
    // A manifest that no API server has seen may hold a number or a boolean here; it is not text and says nothing.
    const text = typeof value === 'string' ? value : '';
    if (form !== undefined) reading.known(form, key, text, annotations);
    else if (isUnknownKey(key)) reading.unread(key);
  }
  return reading.result();
}
