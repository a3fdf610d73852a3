import { formatHint, isPlaceholder, quote } from './formatting-mistake.ts';
import { isHostName, isLabelKey, isLabelValue, portNumber } from './text-formats.ts';
import type { DomainCertificateEntry, GroupPort, ListType, PortPair, Protocol, ProtocolPort } from './value-type.ts';

/** The fix for an invalid entry. */
export interface EntryError {
  /** A sentence in the imperative. `{}` stands for the entry. */
  readonly fix: string;
  /** The invalid entry. One message reports all entries with equal fixes. */
  readonly entry?: string;
}

/** A function that parses one entry of an annotation value, or returns the fix for an invalid entry. */
export type Read<Item> = (entry: string) => Item | EntryError;

export const isError = (item: unknown): item is EntryError =>
  typeof item === 'object' && item !== null && 'fix' in item;

/** Returns the fix for an invalid entry: the hint for a formatting error, or else the fix `otherwise`. */
function wrong(entry: string, otherwise: string): EntryError {
  const fix = formatHint(entry);
  return fix === undefined ? { fix: otherwise, entry } : { fix };
}

/** Splits an entry at the first separator. Both parts are empty if there is no separator. */
function cut(entry: string, separator: string): readonly [string, string] {
  const at = entry.indexOf(separator);
  return at < 0 ? ['', ''] : [entry.slice(0, at), entry.slice(at + 1)];
}

const PROTOCOLS: readonly Protocol[] = ['tcp', 'udp', 'http', 'https'];

export function readProtocolPort(entry: string): ProtocolPort | EntryError {
  const [name, digits] = cut(entry, ':');
  const protocol = PROTOCOLS.find((candidate) => candidate === name);
  const port = portNumber(digits);
  if (protocol !== undefined && port !== undefined) return { protocol, port };
  const lower = name.toLowerCase();
  if (protocol === undefined && PROTOCOLS.some((candidate) => candidate === lower)) {
    return { fix: `use lower case in ${quote(name)}` };
  }
  if (portNumber(name || entry) !== undefined) return { fix: `add the protocol, as in http:${name || entry}` };
  return wrong(entry, 'correct {}');
}

export function readPortPair(entry: string): PortPair | EntryError {
  const [first, second] = cut(entry, ':');
  const from = portNumber(first);
  const to = portNumber(second);
  if (from !== undefined && to !== undefined) return { from, to };
  return wrong(entry, 'correct {}');
}

const GROUP_ID = /^rsp-[a-z0-9]+$/;

export function readGroupPort(entry: string): GroupPort | EntryError {
  const [serverGroupId, digits] = cut(entry, ':');
  const port = portNumber(digits);
  if (GROUP_ID.test(serverGroupId) && !isPlaceholder(serverGroupId) && port !== undefined)
    return { serverGroupId, port };
  return wrong(entry, 'correct {}');
}

const CERTIFICATE_ID = /^[A-Za-z0-9_-]+$/;
const isDomain = (text: string): boolean => isHostName(text.startsWith('*.') ? text.slice(2) : text);

export function readDomainCertificate(entry: string): DomainCertificateEntry | EntryError {
  const [domain, certificateId] = cut(entry, ':');
  if (
    isDomain(domain) &&
    CERTIFICATE_ID.test(certificateId) &&
    certificateId.length <= 128 &&
    !isPlaceholder(certificateId)
  ) {
    return { domain, certificateId };
  }
  return wrong(entry, 'correct {}; a domain is in lower case');
}

export function readListed(type: ListType): Read<string> {
  return (entry) => {
    const isConcrete = type.isId !== true || !isPlaceholder(entry);
    if (isConcrete && (type.values?.includes(entry) === true || type.pattern?.test(entry) === true)) return entry;
    return wrong(entry, 'correct {}');
  };
}

/** A key and its value. */
export type Pair = readonly [key: string, value: string];

export function readLabel(entry: string): Pair | EntryError {
  const [key, value] = cut(entry, '=');
  if (isLabelKey(key) && isLabelValue(value)) return [key, value];
  return wrong(entry, 'correct {}');
}

/** Tags that the controller manages. */
const RESERVED_TAG = /^(?:kubernetes\.do\.not\.delete|ack\.aliyun\.com|kubernetes\.reused\.by\.user)$/;
const LINK = /https?:\/\//i;
const CLOUD_PREFIX = /^(?:acs:|aliyun)/i;

const isTag = (key: string, value: string): boolean =>
  key !== '' && key.length <= 64 && value.length <= 128 && !LINK.test(key) && !LINK.test(value);

export function readTag(entry: string): Pair | EntryError {
  const equals = entry.indexOf('=');
  const key = (equals < 0 ? entry : entry.slice(0, equals)).trim();
  // The Alibaba Cloud Controller Manager ignores the text after a second equals sign.
  const value = equals < 0 ? '' : (entry.slice(equals + 1).split('=', 1)[0] ?? '').trim();
  if (RESERVED_TAG.test(key)) return { fix: `remove ${key}: the controller manages this tag` };
  if (CLOUD_PREFIX.test(key) || CLOUD_PREFIX.test(value)) {
    return { fix: 'rename {}: the prefixes acs: and aliyun are reserved', entry };
  }
  if (isTag(key, value)) return [key, value];
  return wrong(
    entry,
    'correct {}: a key has 1 to 64 characters, a value up to 128, and neither contains http:// or https://',
  );
}
