import type { ParsedValue } from './option-definition.ts';
import { isPlaceholder } from './formatting-mistake.ts';
import { valueErrorOf } from './value-error.ts';
import { adviceOnFullWidth, narrowed } from './full-width.ts';
import { LISTS } from './list-readers.ts';
import { typeError } from './allowed-values.ts';
import { isIpv4, isNameOfHost, wholeNumber } from './text-formats.ts';
import type { EnumType, IntegerType, FlagValueType, TextType, ValueType } from './value-type.ts';

/** A parser of the values of one annotation. A reader never throws, and its time is linear in the length of the text. */
export type ValueReader<Value = unknown> = (text: string) => ParsedValue<Value>;
type Readers = { readonly [Kind in ValueType['kind']]: (type: Extract<ValueType, { kind: Kind }>) => ValueReader };
type Worded = EnumType | Extract<ValueType, { kind: 'flag' | 'boolean' }>;

const good = <Value>(value: Value): ParsedValue<Value> => ({ ok: true, value });

/** Texts with which users turn an option off. */
const NEGATIONS: ReadonlySet<string> = new Set(['false', 'off', 'no', '0', 'disable', 'disabled', 'none']);

/** Returns the reader of a fixed set of words, with one shared result for each word. */
function words(type: Worded, values: readonly (readonly [string, string | boolean])[], anyCase = false): ValueReader {
  const answers = new Map(values.map(([word, value]) => [word, good(value)]));
  return (text) =>
    answers.get(text) ?? (anyCase ? answers.get(text.toLowerCase()) : undefined) ?? otherWord(type, text);
}

/** Reads a text that matches no word. Accepts a text that means the fallback value `otherwise`, such as `no` for `off`, with a warning. */
function otherWord(type: Worded, text: string): ParsedValue<string | boolean> {
  const error = valueErrorOf(type, text);
  const { otherwise } = type;
  if (type.kind === 'enum' && type.ignoresOthers === true) return { ok: false, error, isIgnored: true };
  if (otherwise === undefined) return { ok: false, error };
  const word = text.trim().toLowerCase();
  const isMeant = type.kind === 'enum' ? word === otherwise : NEGATIONS.has(word);
  return isMeant ? { ok: true, value: otherwise, error } : { ok: false, error };
}

const enumeration = (type: EnumType): ValueReader =>
  words(
    type,
    type.values.map((value) => [value, value]),
    type.anyCase,
  );

const YES: ParsedValue<true> = { ok: true, value: true };

const flagValue =
  (type: FlagValueType): ValueReader<true> =>
  (text) =>
    type.emptyIsEffective === true || !NEGATIONS.has(text.trim().toLowerCase())
      ? YES
      : { ...YES, error: valueErrorOf(type, text) };

const integer =
  (type: IntegerType): ValueReader<number> =>
  (text) => {
    const value = wholeNumber(text);
    if (value === undefined) return { ok: false, error: valueErrorOf(type, text) };
    if ((value >= type.min && value <= type.max) || type.also?.includes(value) === true) return good(value);
    const error = valueErrorOf(type, text);
    return value === 0 ? { ok: false, error, isIgnored: true } : { ok: false, error };
  };

const FORMATS = { 'host-name': isNameOfHost, ipv4: isIpv4 };

function isText(type: TextType, text: string): boolean {
  // Some characters take two code units. Characters are counted only if the code units exceed the limit.
  if (text.length > type.max && (text.length > 2 * type.max || Array.from(text).length > type.max)) return false;
  if (type.isId === true && isPlaceholder(text)) return false;
  if (type.pattern !== undefined) return type.pattern.test(text);
  if (type.format !== undefined) return FORMATS[type.format](text);
  return text.trim() !== '' && type.not?.some((beginning) => text.startsWith(beginning)) !== true;
}

/** Returns whether the catalogue lists a value. Other values get a warning and go to the cloud, which may support new values. */
const isListed = ({ known, own }: TextType, text: string): boolean =>
  known === undefined || known.includes(text) || (own !== undefined && text.startsWith(own));

function readText(type: TextType, text: string): ParsedValue<string> {
  if (!isText(type, text)) return { ok: false, error: valueErrorOf(type, text) };
  return isListed(type, text) ? good(text) : { ok: true, value: text, error: valueErrorOf(type, text) };
}

const READERS: Readers = {
  flag: (type) =>
    words(
      type,
      [
        ['on', 'on'],
        ['off', 'off'],
      ],
      type.anyCase,
    ),
  boolean: (type) =>
    words(type, [
      ['true', true],
      ['false', false],
    ]),
  enum: enumeration,
  present: flagValue,
  integer,
  text: (type) => (text) => readText(type, text),
  ...LISTS,
};

/** The maximum length of an annotation value, in UTF-16 code units. */
export const LONGEST_VALUE = 8_192;

type AnyList = Extract<ValueType, { readonly trim?: boolean }>;
const isList = (type: ValueType): type is AnyList => type.kind in LISTS;

const tooLong = (type: ValueType, text: string): ParsedValue<unknown> => ({
  ok: false,
  error: isList(type)
    ? { reason: 'TooLong', detail: `may not be more than ${LONGEST_VALUE} characters` }
    : valueErrorOf(type, text),
});

/** Returns a reader that also advises users to replace full-width characters. For a valid value, the advice is a warning. */
function withFullWidth(type: ValueType, read: ValueReader): ValueReader {
  return (text) => {
    const found = read(text);
    const advice = adviceOnFullWidth(text);
    if (advice === undefined) return found;
    const remainingError = read(narrowed(text)).error;
    const remedies = [found.ok ? `${advice}, unless they are intended` : advice, remainingError?.remedy ?? []].flat();
    return { ...found, error: typeError(type, remedies.join('; ')) };
  };
}

/** Returns the reader of a value type. */
export function readerOf(type: ValueType): ValueReader {
  const read = (READERS[type.kind] as (type: ValueType) => ValueReader)(type);
  const readShort = withFullWidth(type, read);
  // A text of any length turns on an annotation of the kind `present`.
  const readLong = type.kind === 'present' ? read : (text: string) => tooLong(type, text);
  return (text) => (text.length > LONGEST_VALUE ? readLong(text) : readShort(text));
}

/** Returns whether an empty text is a value of the type. */
export const emptyIsValue = (type: ValueType): boolean => type.kind === 'present' && type.emptyIsEffective === true;
