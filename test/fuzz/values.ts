import { FACTS, type Fact } from './annotation-facts.ts';
import type { Random } from './random.ts';

type Texts = readonly [string, ...string[]];

/** The names of inherited object members. */
export const PROTOTYPE_NAMES: Texts = [
  '__proto__',
  'constructor',
  'prototype',
  'toString',
  'hasOwnProperty',
  'valueOf',
  '__defineGetter__',
];

/** Short texts that often break programs, for annotations and other fields of reviews. */
export const HOSTILE_TEXTS: Texts = [
  ...PROTOTYPE_NAMES,
  ' ',
  '\t',
  '\n',
  '\0',
  '\u001b[2J',
  '\u202e',
  '\u2066',
  '\u200b',
  '\ufeff',
  '\ud800',
  '😀',
  'ﬁ',
  'İ',
  '１２',
  '²',
  '中文',
  '"on"',
  "'true'",
  '`id`',
  '${ID}',
  '{{ .Values.id }}',
  '<id>',
  '%s%n',
  '$&',
  '../../etc/passwd',
  'null',
  'undefined',
  'NaN',
  'Infinity',
  '1e3',
  '0x10',
  '1.0',
  '-',
  '+',
  ',',
  ':',
  '=',
  '/',
  '{}',
  '[]',
  'yes',
  'no',
  'true',
  'false',
  'on',
  'off',
  '0',
  '1',
  '-0',
  '-1',
  '99999999999999999999',
];

/** Accidental additions around a value. */
const WRAPPINGS: readonly [(text: string) => string, ...((text: string) => string)[]] = [
  (text) => ` ${text}`,
  (text) => `${text} `,
  (text) => `${text}\n`,
  (text) => `"${text}"`,
  (text) => text.toUpperCase(),
  (text) => text.toLowerCase(),
  (text) => text.charAt(0).toUpperCase() + text.slice(1),
  (text) => text.slice(0, -1),
  (text) => text.slice(1),
  (text) => text + text,
  (text) => `${text},`,
  (text) => `,${text}`,
  (text) => `${text},${text}`,
  (text) => `${text}\u200b`,
  (text) => text.replace('o', 'о'),
  (text) => Array.from(text).reverse().join(''),
];

const numbersOf = ([least, most]: readonly [number, number]): Texts => {
  const near: readonly number[] = [least - 1, least, least + 1, most - 1, most, most + 1, -least, 0, -519, -520, -521];
  const texts = near.flatMap((number) => [
    ...[String(number), number < 0 ? `0${number}` : `+${number}`, `000${number}`, `${'0'.repeat(20)}${number}`],
    ...[`${number}s`, ` ${number}`, `${number}.0`],
  ]);
  return [String(least), ...texts];
};

/** Valid and invalid parts of lists and ids. */
const PIECES: Texts = [
  'tcp',
  ...['udp', 'http', 'https', 'HTTP', 'sctp', '80', '443', '22', '53', '0', '65535', '65536', '080'],
  ...['lb-', 'vsw-', 'rg-', 'acl-', 'rsp-', 'nlb-', 'bp1hfycf39', 'xxxx', 'a', 'b', 'z9', 'A', '-', '_', '.', '/', ' '],
  ...['www', 'example', 'com', '*.', 'acs:', 'aliyun', 'http://', 'https://', 'team', 'shop', 'ack.aliyun.com', '$_ip'],
  ...[
    'http_2xx',
    'http_3xx',
    'http_9xx',
    'slb.',
    's2.small',
    'tls-',
    'tls_cipher_policy_1_2',
    'é',
    '中',
    '😀',
    '%',
    '?',
  ],
  ...['kubernetes.do.not.delete', 'cn-hangzhou-b', 'cn-hangzhou', '192', '168', '10', '255', '256', '::1'],
];
const SEPARATORS: Texts = ['', '', ',', ':', '=', '.', ', ', ':', ','];
const MANY: readonly [number, ...number[]] = [
  14, 17, 18, 19, 20, 21, 61, 63, 64, 65, 80, 81, 128, 129, 200, 201, 253, 300,
];

function assembled(random: Random): string {
  let text = '';
  for (let left = 1 + random.below(8); left > 0; left--) text += random.pick(PIECES) + random.pick(SEPARATORS);
  return text;
}

/** Returns a list of many entries, or a text with a length near a limit. */
function long(random: Random, fact: Fact): string {
  const count = random.pick(MANY);
  switch (random.below(5)) {
    case 0:
      return Array.from({ length: count }, (_, at) => `k${at}=v`).join(',');
    case 1:
      return Array.from({ length: count }, () => fact.example).join(',');
    case 2:
      return fact.example + random.pick(['a', '中', '😀', '.', '-', ' ']).repeat(count);
    case 3:
      return random.pick(['lb-', 'acl-', '/', 'http://', '']) + 'a'.repeat(count);
    default:
      return `${'k'.repeat(count)}=${'v'.repeat(random.pick(MANY))}`;
  }
}

/** Returns a text for this annotation: an example, one of its values, or a number near its bounds. */
function own(random: Random, { values, range, example }: Fact): string {
  if (range !== undefined) {
    return random.oneIn(3) ? String(range[0] + random.below(range[1] - range[0] + 1)) : random.pick(numbersOf(range));
  }
  return values !== undefined && values.length > 0 ? random.pick(values as Texts) : example;
}

/** Returns a valid or invalid value of an annotation as a user might write it. Generated reviews contain these values. */
export function valueFor(random: Random, fact: Fact): string {
  switch (random.below(10)) {
    case 0:
      return random.pick(HOSTILE_TEXTS);
    case 1:
      return own(random, FACTS[random.below(FACTS.length)] ?? fact);
    case 2:
      return random.pick(WRAPPINGS)(own(random, fact));
    case 3:
    case 4:
      return assembled(random);
    case 5:
      return long(random, fact);
    case 6:
      return own(random, fact) + random.pick(HOSTILE_TEXTS);
    case 7:
      return random.oneIn(4) ? '' : random.pick(WRAPPINGS)(random.pick(WRAPPINGS)(fact.example));
    default:
      return own(random, fact);
  }
}
