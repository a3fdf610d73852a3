import type { ParsedValue, ValueFault } from './entry.ts';
import { adviceOn, isUnfilled, quote } from './advice.ts';
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

/** What to do about an entry that is none. */
interface EntryFault {
  /** In the imperative. */
  readonly fix: string;
  /** The entry, for which `{}` stands in the fix: several with one fix are named together. */
  readonly entry?: string;
}

type AnyList = Extract<ValueType, { readonly trim?: boolean }>;
type Read<Item> = (entry: string) => Item | EntryFault;
const isFault = (item: unknown): item is EntryFault => typeof item === 'object' && item !== null && 'fix' in item;

/** More entries than any load balancer has listeners, groups or tags: a text that long is no list that somebody wrote. */
const MOST_ENTRIES = 200;

/** Splits at commas and reads every entry; all that are none make up the fault. */
function readAll<Item>(type: AnyList, text: string, read: Read<Item>): ParsedValue<readonly Item[]> {
  const items: Item[] = [];
  let faults: EntryFault[] | undefined;
  const entries = text.split(',', MOST_ENTRIES + 1);
  if (entries.length > MOST_ENTRIES) return bad(type, `name at most ${MOST_ENTRIES} entries`);
  for (const raw of entries) {
    const entry = type.trim === true ? raw.trim() : raw;
    const item = entry === '' ? { fix: 'remove the comma that nothing stands beside' } : read(entry);
    if (isFault(item)) (faults ??= []).push(item);
    else items.push(item);
  }
  return faults === undefined ? { ok: true, value: items } : bad(type, together(faults));
}

/** A sentence holds no more; who mends these learns of the rest. */
const MOST_NAMED = 3;

const several = (texts: readonly string[], separator: string, last: string): string => {
  const rest = texts.length - MOST_NAMED;
  const said = texts.slice(0, MOST_NAMED).join(separator);
  return rest > 0 ? `${said}${last}and ${rest} more` : said;
};

/** Everything that is to be done, in the order of the entries. */
function together(faults: readonly EntryFault[]): string {
  const fixes = [...Map.groupBy(faults, ({ fix }) => fix)].map(([fix, of]) => {
    const entries = new Set(of.flatMap(({ entry }) => (entry === undefined ? [] : [quote(entry)])));
    return entries.size === 0 ? fix : fix.replace('{}', () => several([...entries], ', ', ' '));
  });
  return several(fixes, '; ', '; ');
}

const bad = (type: AnyList, fix: string): { readonly ok: false; readonly fault: ValueFault } => ({
  ok: false,
  fault: { allowed: allowedBy(type), fix },
});

/** Says what to do about an entry: a general remark on how it is written, or else what its form is. */
function wrong(entry: string, otherwise: string): EntryFault {
  const fix = adviceOn(entry);
  return fix === undefined ? { fix: otherwise, entry } : { fix };
}

/** The text before the first `separator`, and what follows it; both empty when it is missing. */
function cut(entry: string, separator: string): readonly [string, string] {
  const at = entry.indexOf(separator);
  return at < 0 ? ['', ''] : [entry.slice(0, at), entry.slice(at + 1)];
}

const PROTOCOLS: readonly Protocol[] = ['tcp', 'udp', 'http', 'https'];

function readProtocolPort(entry: string): ProtocolPort | EntryFault {
  const [name, digits] = cut(entry, ':');
  const protocol = PROTOCOLS.find((candidate) => candidate === name);
  const port = portNumber(digits);
  if (protocol !== undefined && port !== undefined) return { protocol, port };
  const lower = name.toLowerCase();
  if (protocol === undefined && PROTOCOLS.some((candidate) => candidate === lower)) {
    return { fix: `write ${quote(name)} in lower case` };
  }
  if (portNumber(name || entry) !== undefined) return { fix: `write the protocol first, as in http:${name || entry}` };
  return wrong(entry, 'correct {}: write a protocol, a colon and a port, as in https:443');
}

function readPortPair(entry: string): PortPair | EntryFault {
  const [first, second] = cut(entry, ':');
  const from = portNumber(first);
  const to = portNumber(second);
  if (from !== undefined && to !== undefined) return { from, to };
  return wrong(entry, 'correct {}: write the HTTP port, a colon and the HTTPS port, as in 80:443');
}

const GROUP_ID = /^rsp-[a-z0-9]+$/;

function readGroupPort(entry: string): GroupPort | EntryFault {
  const [serverGroupId, digits] = cut(entry, ':');
  const port = portNumber(digits);
  if (GROUP_ID.test(serverGroupId) && !isUnfilled(serverGroupId) && port !== undefined) return { serverGroupId, port };
  return wrong(entry, 'correct {}: write the id of a server group, a colon and a port, as in rsp-bp1aaaa:80');
}

const CERTIFICATE_ID = /^[A-Za-z0-9_-]+$/;
const isDomain = (text: string): boolean => isHostName(text.startsWith('*.') ? text.slice(2) : text);

function readDomainCertificate(entry: string): DomainCertificate | EntryFault {
  const [domain, certificateId] = cut(entry, ':');
  if (
    isDomain(domain) &&
    CERTIFICATE_ID.test(certificateId) &&
    certificateId.length <= 128 &&
    !isUnfilled(certificateId)
  ) {
    return { domain, certificateId };
  }
  return wrong(entry, 'correct {}: write a domain in lower case, a colon and the id of its certificate');
}

function readListed(type: ListType): Read<string> {
  return (entry) => {
    const isFilledIn = type.isId !== true || !isUnfilled(entry);
    if (isFilledIn && (type.values?.includes(entry) === true || type.pattern?.test(entry) === true)) return entry;
    return wrong(entry, `put ${type.says}${type.values ? ` (${type.values.join(', ')})` : ''} in place of {}`);
  };
}

type Pair = readonly [key: string, value: string];

function readLabel(entry: string): Pair | EntryFault {
  const [key, value] = cut(entry, '=');
  if (isLabelKey(key) && isLabelValue(value)) return [key, value];
  return wrong(entry, 'correct {}: write the key and the value of a label, as in pool=edge');
}

/** Tags that the controller keeps itself. */
const RESERVED_TAG = /^(?:kubernetes\.do\.not\.delete|ack\.aliyun\.com|kubernetes\.reused\.by\.user)$/;
const LINK = /https?:\/\//i;
const CLOUDS_OWN = /^(?:acs:|aliyun)/i;

const isTag = (key: string, value: string): boolean =>
  key !== '' && key.length <= 64 && value.length <= 128 && !LINK.test(key) && !LINK.test(value);

function readTag(entry: string): Pair | EntryFault {
  const equals = entry.indexOf('=');
  const key = (equals < 0 ? entry : entry.slice(0, equals)).trim();
  // What follows a second equals sign has never been read.
  const value = equals < 0 ? '' : (entry.slice(equals + 1).split('=', 1)[0] ?? '').trim();
  if (RESERVED_TAG.test(key)) return { fix: `remove ${key}: the controller keeps this tag itself` };
  if (CLOUDS_OWN.test(key) || CLOUDS_OWN.test(value)) {
    return { fix: 'rename {}: what begins with acs: or aliyun belongs to the cloud', entry };
  }
  if (isTag(key, value)) return [key, value];
  return wrong(
    entry,
    'correct {}: a key has 1 to 64 characters, a value up to 128, and neither holds http:// or https://',
  );
}

/** `fromEntries` makes every key a property of its own, `__proto__` too. */
function readMap(type: AnyList, text: string, read: Read<Pair>): ParsedValue<Readonly<Record<string, string>>> {
  const pairs = readAll(type, text, read);
  if (!pairs.ok) return pairs;
  const map = Object.fromEntries(pairs.value);
  if (Object.keys(map).length === pairs.value.length) return { ok: true, value: map };
  const repeated = pairs.value.find(([key], at) => pairs.value.findIndex((other) => other[0] === key) < at);
  return bad(type, `name ${quote(repeated?.[0] ?? '')} once`);
}

/** The most tags that a load balancer may have. */
const MOST_TAGS = 20;

/** Tags are read with what has always been passed over in them: entries without a key, and all but the last of one key. */
function readTags(type: TagsType, text: string): ParsedValue<Readonly<Record<string, string>>> {
  const written = text.split(',', MOST_ENTRIES + 1);
  const entries = written.filter((entry) => entry.trim() !== '' && !entry.trim().startsWith('='));
  if (entries.length === 0) return { ok: true, value: {}, fault: { allowed: allowedBy(type), fix: 'write a key' } };
  const pairs = readAll(type, entries.join(), readTag);
  if (!pairs.ok) return pairs;
  const map = Object.fromEntries(pairs.value);
  const count = Object.keys(map).length;
  if (count > MOST_TAGS) return bad(type, `name at most ${MOST_TAGS} tags`);
  const fix = slipIn(written, entries, pairs.value);
  return { ok: true, value: map, ...(fix === undefined ? {} : { fault: { allowed: allowedBy(type), fix } }) };
}

/** What is passed over in a list of tags, if anything is. */
function slipIn(written: readonly string[], entries: readonly string[], pairs: readonly Pair[]): string | undefined {
  const odd = entries.find((entry) => entry.indexOf('=') !== entry.lastIndexOf('='));
  if (odd !== undefined) return `write one equals sign in ${quote(odd)}: what follows a second is lost`;
  if (written.length > entries.length) return 'remove the comma that no key stands beside';
  const repeated = pairs.find(([key], at) => pairs.findIndex((other) => other[0] === key) < at);
  return repeated === undefined ? undefined : `name ${quote(repeated[0])} once: the last one counts`;
}

const tags = (type: TagsType) => (text: string) => readTags(type, text);

const reader =
  <Item>(read: Read<Item>) =>
  (type: AnyList) =>
  (text: string) =>
    readAll(type, text, read);

const COMMA = ',';

/**
 * Reads a list that has always been searched for one port after the other, and no further than to the last of them: so a comma at its
 * end has never mattered. It is pointed out.
 */
const searched =
  <Item>(read: Read<Item>) =>
  (type: AnyList) =>
  (text: string): ParsedValue<readonly Item[]> => {
    const list = readAll(type, text.endsWith(COMMA) ? text.slice(0, -1) : text, read);
    if (!list.ok || !text.endsWith(COMMA)) return list;
    return { ...list, fault: { allowed: allowedBy(type), fix: 'remove the comma at the end' } };
  };

/** A listener has one certificate a domain. */
const domainCertificates = (type: AnyList) => (text: string) => {
  const list = readAll(type, text, readDomainCertificate);
  if (!list.ok) return list;
  const twice = list.value.find(({ domain }, at) => list.value.findIndex((other) => other.domain === domain) < at);
  return twice === undefined ? list : bad(type, `name ${quote(twice.domain)} once`);
};

function listReader(type: ListType): (text: string) => ParsedValue<readonly string[]> {
  const read = reader(readListed(type))(type);
  const { usually } = type;
  if (usually === undefined) return read;
  return (text) => {
    const list = read(text);
    if (!list.ok || list.value.length <= usually) return list;
    const fault = { allowed: `${usually} in most regions`, fix: `name ${usually} only, unless the region takes more` };
    return { ...list, fault };
  };
}

/** What makes a reader, by kind of list. */
export const LISTS = {
  list: listReader,
  'protocol-ports': searched(readProtocolPort),
  'port-pairs': searched(readPortPair),
  'group-ports': reader(readGroupPort),
  'domain-certificates': domainCertificates,
  labels: (type: LabelsType) => (text: string) => readMap(type, text, readLabel),
  tags,
};
