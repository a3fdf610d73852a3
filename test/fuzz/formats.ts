import { isIPv4 } from 'node:net';
import type { Fact } from './annotation-facts.ts';
import type { Expected } from './oracle.ts';

const LOWER = 'abcdefghijklmnopqrstuvwxyz';
const DIGITS = '0123456789';
const ALNUM = LOWER + LOWER.toUpperCase() + DIGITS;

const consistsOf = (text: string, alphabet: string): boolean => {
  for (const character of text) if (!alphabet.includes(character)) return false;
  return true;
};
const isLong = (text: string, least: number, most: number): boolean => {
  const { length } = Array.from(text.slice(0, 2 * most + 2));
  return length >= least && length <= most;
};
const ends = (text: string, alphabet: string): boolean =>
  alphabet.includes(text.charAt(0)) && alphabet.includes(text.charAt(text.length - 1));

/** Returns whether a text looks like a placeholder of a template. Such a text may be a valid id nevertheless. */
const looksLikeTemplate = (text: string): boolean => text.includes('xxx') || text.includes('your');

const id =
  (prefix: string) =>
  (text: string): Expected => {
    if (!text.startsWith(prefix) || text.includes(',')) return 'denied';
    const rest = text.slice(prefix.length);
    if (looksLikeTemplate(text) || text.length > 64) return 'any';
    if (rest !== '' && consistsOf(rest, LOWER + DIGITS)) return 'valid';
    return consistsOf(rest, `${ALNUM}-_`) && rest !== '' ? 'any' : 'denied';
  };

const port = (text: string): boolean =>
  consistsOf(text, DIGITS) && isLong(text, 1, 5) && !text.startsWith('0') && Number(text) <= 65_535;

/** Returns whether a text is an IPv4 address, with or without leading zeros, which the API server accepts. */
const isAddress = (text: string): boolean => isIPv4(text.replace(/(^|\.)0+(?=[0-9])/g, '$1'));

/** Returns whether a text is a host name (RFC 1123), as the status of a Service requires. */
function hostName(text: string): boolean {
  if (!isLong(text, 1, 253)) return false;
  return text
    .split('.')
    .every((label) => isLong(label, 1, 63) && consistsOf(label, `${LOWER}${DIGITS}-`) && ends(label, LOWER + DIGITS));
}

const labelName = (text: string): boolean =>
  isLong(text, 1, 63) && consistsOf(text, `${ALNUM}-_.`) && ends(text, ALNUM);

function labelKey(text: string): boolean {
  const parts = text.split('/');
  if (parts.length > 2) return false;
  const [prefix, name] = parts.length === 2 ? parts : [undefined, parts[0]];
  return (prefix === undefined || hostName(prefix)) && labelName(name ?? '');
}

/** Returns a check of a comma-separated list by its entries. */
const list =
  (isGood: (entry: string) => boolean, isFatal: (entry: string) => boolean) =>
  (text: string): Expected => {
    const entries = text.split(',');
    // A longer list exceeds every limit of a load balancer.
    if (entries.length > 100) return 'any';
    if (entries.every(isGood)) return looksLikeTemplate(text) ? 'any' : 'valid';
    // The Alibaba Cloud Controller Manager reads entries from the left, and ignores entries after the needed entry.
    return isFatal(entries[0] ?? '') ? 'denied' : 'reported';
  };

const pair = (entry: string, separator: string): readonly [string, string] | undefined => {
  const parts = entry.split(separator);
  return parts.length === 2 ? [parts[0] ?? '', parts[1] ?? ''] : undefined;
};

const PROTOCOLS = ['tcp', 'udp', 'http', 'https'];
const protocolPort = (entry: string): boolean => {
  const [protocol = '', number = ''] = pair(entry, ':') ?? [];
  return PROTOCOLS.includes(protocol) && port(number);
};
const redirect = (entry: string): boolean => {
  const [from = '', to = ''] = pair(entry, ':') ?? [];
  return port(from) && port(to);
};
const groupPort = (entry: string): boolean => {
  const [group = '', number = ''] = pair(entry, ':') ?? [];
  return id('rsp-')(group) === 'valid' && port(number);
};
const domainCertificate = (raw: string): boolean => {
  const entry = raw.trim();
  const [domain = '', certificate = ''] = pair(entry, ':') ?? [];
  return (
    hostName(domain.startsWith('*.') ? domain.slice(2) : domain) &&
    isLong(certificate, 1, 64) &&
    consistsOf(certificate, `${ALNUM}_-`)
  );
};
/** The maximum length of a certificate id is not documented. */
const domainExtensions = (text: string): Expected =>
  text.split(/[,:]/).some((part) => !isLong(part.trim(), 0, 64)) && text.includes(':')
    ? 'any'
    : list(domainCertificate, (entry) => entry.split(':').length !== 2)(text);
const label = (entry: string): boolean => {
  const [key = '', value = ''] = pair(entry, '=') ?? [];
  return labelKey(key) && (value === '' || labelName(value));
};

function backendLabel(text: string): Expected {
  const expected = list(label, (entry) => !entry.includes('='))(text);
  const keys = text.split(',').map((entry) => entry.split('=')[0]);
  return expected === 'valid' && new Set(keys).size < keys.length ? 'any' : expected;
}

const OWN_TAGS = ['kubernetes.do.not.delete', 'ack.aliyun.com', 'kubernetes.reused.by.user'];
/** The controller owns two of the twenty tags of a load balancer: `surely` tags always fit, and `never` tags do not. */
const TAGS = { surely: 18, never: 21 };

const isTagText = (text: string, most: number): Expected => {
  if (text.startsWith('acs:') || text.startsWith('aliyun')) return 'denied';
  if (text.includes('http://') || text.includes('https://') || !isLong(text, 0, most)) return 'denied';
  return /^(?:acs:|aliyun)|https?:\/\//i.test(text) || text.length > most ? 'any' : 'valid';
};

/** Reads a list of tags as the Alibaba Cloud Controller Manager does. `isSlip` is true if that controller ignores a part of the list. */
function readTags(entries: readonly string[]): {
  readonly kept: ReadonlyMap<string, string>;
  readonly isSlip: boolean;
} {
  const kept = new Map<string, string>();
  let isSlip = false;
  for (const raw of entries) {
    const [first = '', second = '', ...lost] = raw.trim().split('=');
    const key = first.trim();
    isSlip ||= lost.length > 0 || key === '' || kept.has(key);
    if (key !== '') kept.set(key, second.trim());
  }
  return { kept, isSlip };
}

/** Returns whether a text has full-width characters, which are legal and probably a typing mistake. */
const hasFullWidth = (text: string): boolean =>
  Array.from(text).some((character) => '\u3000\u3001\u3002'.includes(character) || isWideAscii(character));
const isWideAscii = (character: string): boolean => character >= '\uff01' && character <= '\uff5e';

function tags(text: string): Expected {
  const entries = text.split(',');
  if (entries.length > 100) return 'any';
  const { kept, isSlip } = readTags(entries);
  const results = [...kept].flatMap(([key, value]): Expected[] => [
    OWN_TAGS.includes(key) ? 'denied' : isTagText(key, 64),
    isTagText(value, 128),
  ]);
  // A tag without an effect may be denied or allowed, for example the first of two tags with an equal key.
  if (results.includes('denied') || kept.size >= TAGS.never) return isSlip ? 'reported' : 'denied';
  if (isSlip || results.includes('any') || kept.size > TAGS.surely) return 'any';
  return hasFullWidth(text) ? 'warned' : 'valid';
}

function name(text: string): Expected {
  if (text.startsWith('http://') || text.startsWith('https://') || Array.from(text).length > 128) return 'denied';
  if (consistsOf(text, ' \t\n\v\f\r')) return 'denied';
  if (text.trim() === '') return 'any';
  const isPlain = isLong(text, 2, 80) && consistsOf(text, `${ALNUM}._-`) && !consistsOf(text.charAt(0), `${DIGITS}._-`);
  return isPlain ? 'valid' : 'allowed';
}

function ip(text: string): Expected {
  const octets = text.split('.');
  const isPlain =
    octets.length === 4 && octets.every((octet) => octet === '0' || (port(octet) && Number(octet) <= 255));
  if (isPlain) return 'valid';
  return text.includes(':') ? 'any' : 'denied';
}

function cookie(text: string): Expected {
  if (isLong(text, 1, 200) && consistsOf(text, `${ALNUM}_-`)) return 'valid';
  return text.startsWith('$') || /[,; ]/.test(text) || Array.from(text).length > 200 ? 'denied' : 'any';
}

function healthCheckUri(text: string): Expected {
  if (text === '/') return 'any';
  return text.startsWith('/') && isLong(text, 1, 80) && consistsOf(text, `${ALNUM}-/.%?#&`) ? 'valid' : 'denied';
}

const healthCheckDomain = (text: string): Expected =>
  text === '$_ip' || (isLong(text, 1, 80) && consistsOf(text, `${ALNUM}.-`)) ? 'valid' : 'denied';

function spec(text: string, { values = [] }: Fact): Expected {
  if (values.includes(text)) return 'valid';
  return text.startsWith('slb.') && consistsOf(text, `${LOWER}${DIGITS}.`) && text.length < 40 ? 'warned' : 'reported';
}

function cipherPolicy(text: string, { values = [] }: Fact): Expected {
  if (values.includes(text)) return 'valid';
  return text.startsWith('tls-') ? 'any' : 'reported';
}

function accessLists(text: string): Expected {
  const results = text.split(',').map(id('acl-'));
  if (results.length > 100 || results.includes('any')) return 'any';
  if (results.some((result) => result !== 'valid')) return 'denied';
  return results.length > 1 ? 'warned' : 'valid';
}

function statusCodes(text: string, { values = [] }: Fact): Expected {
  const codes = text.split(',');
  if (!codes.every((code) => values.includes(code))) return 'denied';
  return new Set(codes).size < codes.length ? 'any' : 'valid';
}

const certificate = (text: string): Expected =>
  isLong(text, 1, 64) && consistsOf(text, `${ALNUM}_-`) && !looksLikeTemplate(text) ? 'valid' : 'any';
const zone = (text: string): Expected =>
  /^[a-z]{2}-[a-z]{2,20}-[a-z0-9]$/.test(text) && !looksLikeTemplate(text) ? 'valid' : 'any';
/** The Alibaba Cloud Controller Manager reads other values as pay-by-use, and would request the change in every update. */
const chargeType = (text: string, { values = [] }: Fact): Expected => (values.includes(text) ? 'valid' : 'reported');

/** Returns the expected result for a text of an annotation with its own format, by name. `expectedFor` calls these functions. */
export const FORMATS: Readonly<Record<string, (text: string, fact: Fact) => Expected>> = {
  id: id('lb-'),
  type: (text) => (text === 'nlb' ? 'valid' : 'warned'),
  name,
  'resource-group-id': id('rg-'),
  'vswitch-id': id('vsw-'),
  'additional-resource-tags': tags,
  'instance-charge-type': chargeType,
  'external-ip-type': chargeType,
  'master-zoneid': zone,
  'slave-zoneid': zone,
  spec,
  ip,
  hostname: (text) => (hostName(text) && !isAddress(text) ? 'valid' : 'denied'),
  'protocol-port': list(
    protocolPort,
    (entry) => !PROTOCOLS.includes(entry.split(':')[0] ?? '') || !entry.includes(':'),
  ),
  'forward-port': list(redirect, (entry) => entry.split(':').length !== 2),
  'domain-extensions': domainExtensions,
  'vgroup-port': list(groupPort, (entry) => !entry.includes(':')),
  'backend-label': backendLabel,
  'cert-id': certificate,
  'acl-id': accessLists,
  'tls-cipher-policy': cipherPolicy,
  cookie,
  'health-check-uri': healthCheckUri,
  'health-check-domain': healthCheckDomain,
  'health-check-httpcode': statusCodes,
};
