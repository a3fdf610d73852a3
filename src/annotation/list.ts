import type { ParsedValue, ValueFault } from './entry.ts';
import { adviceOn, quote } from './advice.ts';
import { allowedBy } from './says.ts';
import { isHostName, isLabelKey, isLabelValue, portNumber } from './text.ts';
import type {
  DomainCertificate,
  GroupPort,
  LabelsType,
  ListType,
  PortPair,
  Protocol,
  ProtocolPort,
  TagsType,
  ValueType,
} from './value-type.ts';

/** Names an entry that is none, and what to do about it. */
interface EntryFault {
  readonly fix: string;
}

type AnyList = Extract<ValueType, { readonly trim?: boolean }>;
type Read<Item> = (entry: string) => Item | EntryFault;
const isFault = (item: unknown): item is EntryFault => typeof item === 'object' && item !== null && 'fix' in item;

/** More entries than any load balancer has listeners, groups or tags: a text that long is no list that somebody wrote. */
const MOST_ENTRIES = 200;

/** Splits at commas and reads every entry; the first that is none is the fault. */
function readAll<Item>(type: AnyList, text: string, read: Read<Item>): ParsedValue<readonly Item[]> {
  const items: Item[] = [];
  const entries = text.split(',', MOST_ENTRIES + 1);
  if (entries.length > MOST_ENTRIES) return bad(type, `name at most ${MOST_ENTRIES} entries`);
  for (const raw of entries) {
    const entry = type.trim === true ? raw.trim() : raw;
    const item = entry === '' ? { fix: 'remove the comma that nothing stands beside' } : read(entry);
    if (isFault(item)) return bad(type, item.fix);
    items.push(item);
  }
  return { ok: true, value: items };
}

const bad = (type: AnyList, fix: string): { readonly ok: false; readonly fault: ValueFault } => ({
  ok: false,
  fault: { allowed: allowedBy(type), fix },
});

/** Says what to do about an entry: a general remark on how it is written, or else what its form is. */
const wrong = (entry: string, otherwise: string): EntryFault => ({
  fix: adviceOn(entry) ?? otherwise.replace('{}', () => quote(entry)),
});

const PROTOCOLS: ReadonlySet<string> = new Set<Protocol>(['tcp', 'udp', 'http', 'https']);
const isProtocol = (text: string): text is Protocol => PROTOCOLS.has(text);

function readProtocolPort(entry: string): ProtocolPort | EntryFault {
  const [protocol = '', digits = '', ...rest] = entry.split(':');
  const port = portNumber(digits);
  if (isProtocol(protocol) && port !== undefined && rest.length === 0) return { protocol, port };
  if (isProtocol(protocol.toLowerCase()) && !isProtocol(protocol)) {
    return { fix: `write ${quote(protocol)} in lower case` };
  }
  if (portNumber(protocol) !== undefined) return { fix: `write the protocol first, as in http:${protocol}` };
  return wrong(entry, 'correct {}: write a protocol, a colon and a port, as in https:443');
}

function readPortPair(entry: string): PortPair | EntryFault {
  const [from = '', to = '', ...rest] = entry.split(':').map(portNumber);
  if (typeof from === 'number' && typeof to === 'number' && rest.length === 0) return { from, to };
  return wrong(entry, 'correct {}: write the HTTP port, a colon and the HTTPS port, as in 80:443');
}

const GROUP_ID = /^rsp-[a-z0-9]+$/;

function readGroupPort(entry: string): GroupPort | EntryFault {
  const [serverGroupId = '', digits = '', ...rest] = entry.split(':');
  const port = portNumber(digits);
  if (GROUP_ID.test(serverGroupId) && port !== undefined && rest.length === 0) return { serverGroupId, port };
  return wrong(entry, 'correct {}: write the id of a server group, a colon and a port, as in rsp-bp1aaaa:80');
}

const CERTIFICATE_ID = /^[A-Za-z0-9_-]+$/;
const isDomain = (text: string): boolean => isHostName(text.startsWith('*.') ? text.slice(2) : text);

function readDomainCertificate(entry: string): DomainCertificate | EntryFault {
  const [domain = '', certificateId = '', ...rest] = entry.split(':');
  if (isDomain(domain) && CERTIFICATE_ID.test(certificateId) && certificateId.length <= 128 && rest.length === 0) {
    return { domain, certificateId };
  }
  return wrong(entry, 'correct {}: write a domain in lower case, a colon and the id of its certificate');
}

function readListed(type: ListType): Read<string> {
  return (entry) => {
    if (type.values?.includes(entry) === true || type.pattern?.test(entry) === true) return entry;
    return wrong(entry, `put ${type.says}${type.values ? ` (${type.values.join(', ')})` : ''} in place of {}`);
  };
}

type Pair = readonly [key: string, value: string];

function readLabel(entry: string): Pair | EntryFault {
  const equals = entry.indexOf('=');
  const key = entry.slice(0, equals);
  const value = entry.slice(equals + 1);
  if (equals > 0 && isLabelKey(key) && isLabelValue(value)) return [key, value];
  return wrong(entry, 'correct {}: write the key and the value of a label, as in pool=edge');
}

const RESERVED_TAGS: ReadonlySet<string> = new Set([
  'kubernetes.do.not.delete',
  'ack.aliyun.com',
  'kubernetes.reused.by.user',
]);
const RESERVED_BEGINNING = /^(?:acs:|aliyun)/i;
const LINK = /https?:\/\//i;

function readTag(entry: string): Pair | EntryFault {
  const [key = '', value = '', ...rest] = entry.split('=').map((part) => part.trim());
  if (RESERVED_TAGS.has(key)) return { fix: `remove ${key}: the controller keeps this tag itself` };
  if (RESERVED_BEGINNING.test(key) || RESERVED_BEGINNING.test(value)) {
    return { fix: `rename ${quote(entry)}: what begins with acs: or aliyun belongs to the cloud` };
  }
  if (rest.length > 0) return { fix: `write one equals sign in ${quote(entry)}: what follows a second is lost` };
  if (key === '' || key.length > 64 || value.length > 128 || LINK.test(entry)) {
    return wrong(
      entry,
      'correct {}: a key has 1 to 64 characters, a value up to 128, and neither holds http:// or https://',
    );
  }
  return [key, value];
}

/** `fromEntries` makes every key a property of its own, `__proto__` too. */
function readMap(type: AnyList, text: string, read: Read<Pair>): ParsedValue<Readonly<Record<string, string>>> {
  const pairs = readAll(type, text, read);
  if (!pairs.ok) return pairs;
  const keys = new Set<string>();
  for (const [key] of pairs.value) {
    if (keys.has(key)) return bad(type, `name ${quote(key)} once`);
    keys.add(key);
  }
  return { ok: true, value: Object.fromEntries(pairs.value) };
}

/** The most tags that a load balancer may have. */
const MOST_TAGS = 20;

function tags(type: TagsType, text: string): ParsedValue<Readonly<Record<string, string>>> {
  const map = readMap(type, text, readTag);
  if (map.ok && Object.keys(map.value).length > MOST_TAGS) return bad(type, `name at most ${MOST_TAGS} tags`);
  return map;
}

const reader =
  <Item>(read: Read<Item>) =>
  (type: AnyList, text: string) =>
    readAll(type, text, read);

/** One interpreter a kind of list. */
export const LISTS = {
  list: (type: ListType, text: string) => readAll(type, text, readListed(type)),
  'protocol-ports': reader(readProtocolPort),
  'port-pairs': reader(readPortPair),
  'group-ports': reader(readGroupPort),
  'domain-certificates': reader(readDomainCertificate),
  labels: (type: LabelsType, text: string) => readMap(type, text, readLabel),
  tags,
};
