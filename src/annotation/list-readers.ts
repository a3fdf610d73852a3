import type { ParsedValue, ValueError } from './option-definition.ts';
import { quote } from './formatting-mistake.ts';
import {
  isError,
  readDomainCertificate,
  readGroupPort,
  readLabel,
  readListed,
  readPortPair,
  readProtocolPort,
  readTag,
  type EntryError,
  type Pair,
  type Read,
} from './list-entry.ts';
import { typeError } from './allowed-values.ts';
import type { LabelsType, ListType, TagsType, ValueType } from './value-type.ts';

type AnyList = Extract<ValueType, { readonly trim?: boolean }>;
/** The maximum number of entries in a list. No load balancer has more listeners, server groups or tags. */
const MOST_ENTRIES = 200;

/** Splits a text at commas and reads each entry. One error reports all invalid entries. */
function readAll<Item>(type: AnyList, text: string, read: Read<Item>): ParsedValue<readonly Item[]> {
  const items: Item[] = [];
  let errors: EntryError[] | undefined;
  const entries = text.split(',', MOST_ENTRIES + 1);
  if (entries.length > MOST_ENTRIES) return bad(type, `use at most ${MOST_ENTRIES} entries`);
  for (const raw of entries) {
    const entry = type.trim === true ? raw.trim() : raw;
    const item = entry === '' ? { fix: 'remove the empty entry' } : read(entry);
    if (isError(item)) (errors ??= []).push(item);
    else items.push(item);
  }
  return errors === undefined ? { ok: true, value: items } : bad(type, together(errors));
}

/** The maximum number of entries that a message names. */
const MOST_NAMED = 3;

const several = (texts: readonly string[], separator: string, last: string): string => {
  const rest = texts.length - MOST_NAMED;
  const named = texts.slice(0, MOST_NAMED).join(separator);
  return rest > 0 ? `${named}${last}and ${rest} more` : named;
};

/** Joins the fixes of all invalid entries, in the order of the entries. */
function together(errors: readonly EntryError[]): string {
  const fixes = [...Map.groupBy(errors, ({ fix }) => fix)].map(([fix, of]) => {
    const entries = new Set(of.flatMap(({ entry }) => (entry === undefined ? [] : [quote(entry)])));
    return entries.size === 0 ? fix : fix.replace('{}', () => several([...entries], ', ', ' '));
  });
  return several(fixes, '; ', '; ');
}

const bad = (type: AnyList, remedy?: string): { readonly ok: false; readonly error: ValueError } => ({
  ok: false,
  error: typeError(type, remedy),
});

/** Reads entries `key=value` into an object. Uses `Object.fromEntries`, because this function makes every key an own property, even `__proto__`. */
function readMap(type: AnyList, text: string, read: Read<Pair>): ParsedValue<Readonly<Record<string, string>>> {
  const pairs = readAll(type, text, read);
  if (!pairs.ok) return pairs;
  const map = Object.fromEntries(pairs.value);
  if (Object.keys(map).length === pairs.value.length) return { ok: true, value: map };
  const repeated = pairs.value.find(([key], at) => pairs.value.findIndex((other) => other[0] === key) < at);
  return bad(type, `use the key ${quote(repeated?.[0] ?? '')} once`);
}

/** The maximum number of tags of a load balancer. */
const MOST_TAGS = 20;

/** Reads tags. Like the Alibaba Cloud Controller Manager, skips entries without a key, and uses only the last entry of each key. */
function readTags(type: TagsType, text: string): ParsedValue<Readonly<Record<string, string>>> {
  const written = text.split(',', MOST_ENTRIES + 1);
  const entries = written.filter((entry) => entry.trim() !== '' && !entry.trim().startsWith('='));
  if (entries.length === 0) return { ok: true, value: {}, error: typeError(type, 'add a key') };
  const pairs = readAll(type, entries.join(), readTag);
  if (!pairs.ok) return pairs;
  const map = Object.fromEntries(pairs.value);
  const count = Object.keys(map).length;
  if (count > MOST_TAGS) return bad(type);
  const fix = skippedFix(written, entries, pairs.value);
  return { ok: true, value: map, ...(fix === undefined ? {} : { error: typeError(type, fix) }) };
}

/** Returns the fix for skipped text in a list of tags. Returns undefined if no text is skipped. */
function skippedFix(
  written: readonly string[],
  entries: readonly string[],
  pairs: readonly Pair[],
): string | undefined {
  const odd = entries.find((entry) => entry.indexOf('=') !== entry.lastIndexOf('='));
  if (odd !== undefined) return `use one equals sign in ${quote(odd)}: the text after the second is ignored`;
  if (written.length > entries.length) return 'remove the entry without a key';
  const repeated = pairs.find(([key], at) => pairs.findIndex((other) => other[0] === key) < at);
  return repeated === undefined
    ? undefined
    : `use the key ${quote(repeated[0])} once: only the last value has an effect`;
}

const tags = (type: TagsType) => (text: string) => readTags(type, text);

const reader =
  <Item>(read: Read<Item>) =>
  (type: AnyList) =>
  (text: string) =>
    readAll(type, text, read);

const COMMA = ',';

/** Reads a list. Ignores a comma at the end with a warning, because the Alibaba Cloud Controller Manager accepts the comma. */
const withTrailingComma =
  <Item>(read: Read<Item>) =>
  (type: AnyList) =>
  (text: string): ParsedValue<readonly Item[]> => {
    const list = readAll(type, text.endsWith(COMMA) ? text.slice(0, -1) : text, read);
    if (!list.ok || !text.endsWith(COMMA)) return list;
    return { ...list, error: typeError(type, 'remove the trailing comma') };
  };

/** Reads certificates. A repeated domain is an error, because a listener has one certificate for each domain. */
const domainCertificates = (type: AnyList) => (text: string) => {
  const list = readAll(type, text, readDomainCertificate);
  if (!list.ok) return list;
  const twice = list.value.find(({ domain }, at) => list.value.findIndex((other) => other.domain === domain) < at);
  return twice === undefined ? list : bad(type, `use the domain ${quote(twice.domain)} once`);
};

/** Returns the reader of a list. The reader warns about more entries than most regions accept. */
function listReader(type: ListType): (text: string) => ParsedValue<readonly string[]> {
  const read = reader(readListed(type))(type);
  const { usually } = type;
  if (usually === undefined) return read;
  return (text) => {
    const list = read(text);
    if (!list.ok || list.value.length <= usually) return list;
    const error: ValueError = {
      reason: 'Invalid',
      detail: `should have at most ${usually} ${usually === 1 ? 'entry' : 'entries'} in most regions`,
    };
    return { ...list, error };
  };
}

/** Functions that return the reader of a list type, by kind of list. */
export const LISTS = {
  list: listReader,
  'protocol-ports': withTrailingComma(readProtocolPort),
  'port-pairs': withTrailingComma(readPortPair),
  'group-ports': reader(readGroupPort),
  'domain-certificates': domainCertificates,
  labels: (type: LabelsType) => (text: string) => readMap(type, text, readLabel),
  tags,
};
