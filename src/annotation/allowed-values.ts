import { supportedValues } from '../base/field-error.ts';
import type { ValueError } from './option-definition.ts';
import type { IntegerType, ListType, ValueType } from './value-type.ts';

/** Joins values to `a`, `a or b` or `a, b or c`. */
export const choice = (values: readonly (string | number)[]): string =>
  values.length < 2 ? values.join('') : `${values.slice(0, -1).join(', ')} or ${values.at(-1) ?? ''}`;

function rangeOf(type: IntegerType): string {
  const unit = type.unit === undefined ? '' : ` (${type.unit})`;
  const also = type.also ? `, or ${choice(type.also)} for ${type.alsoMeans ?? 'a special meaning'}` : '';
  return `a whole number from ${type.min} to ${type.max}${unit}${also}`;
}

const listOf = (type: ListType): string =>
  `${type.values ? choice(type.values) : type.description}, or a comma-separated list of them without spaces`;

/** Functions that describe the allowed values in one language, by kind of value type. */
export type ValueWords = { readonly [Kind in ValueType['kind']]: (type: Extract<ValueType, { kind: Kind }>) => string };

const ENGLISH: ValueWords = {
  enum: ({ values, ignoresOthers }) =>
    ignoresOthers === true ? `${choice(values)}; any other value has no effect` : choice(values),
  flag: () => 'on or off',
  boolean: () => 'true or false',
  present: () => 'true; any other text has the same effect',
  integer: rangeOf,
  text: (type) => type.description,
  list: listOf,
  'protocol-ports': () =>
    'a comma-separated list without spaces of entries such as https:443 (tcp, udp, http or https, a colon, a port)',
  'port-pairs': () =>
    'a comma-separated list without spaces of entries such as 80:443 (an HTTP port, a colon, an HTTPS port)',
  'group-ports': () =>
    'a comma-separated list without spaces of entries such as rsp-bp1aaaa:80 (a server group id, a colon, a port)',
  'domain-certificates': () =>
    'a comma-separated list of entries such as *.example.com:1234_cn-hangzhou (a domain, a colon, a certificate id)',
  labels: () => 'a comma-separated list without spaces of labels such as pool=edge',
  tags: () => 'a comma-separated list of at most 20 tags such as team=shop',
};

const wordsByType = new Map<ValueType, string>();

/** Returns the allowed values of a type in English, for errors, `explain` and the reference page. Caches the text, because a type never changes. */
export function allowedBy(type: ValueType): string {
  let words = wordsByType.get(type);
  if (words === undefined) wordsByType.set(type, (words = (ENGLISH[type.kind] as (type: ValueType) => string)(type)));
  return words;
}

/** Returns the values of an enumeration, a flag or a boolean. Returns undefined for any other type. */
function fewValues(type: ValueType): readonly string[] | undefined {
  if (type.kind === 'enum') return type.values;
  if (type.kind === 'flag') return ['on', 'off'];
  return type.kind === 'boolean' ? ['true', 'false'] : undefined;
}

/** Returns the error or warning about a value, with the allowed values. */
export function typeError(type: ValueType, remedy: string | undefined): ValueError {
  const values = fewValues(type);
  const advice = remedy === undefined ? {} : { remedy };
  if (type.kind === 'present') return { reason: 'Invalid', detail: 'has the same effect as true', ...advice };
  if (values === undefined) return { reason: 'Invalid', detail: `must be ${allowedBy(type)}`, ...advice };
  const others = type.kind === 'enum' && type.ignoresOthers === true ? '; any other value has no effect' : '';
  return { reason: 'NotSupported', detail: `${supportedValues(values)}${others}`, ...advice };
}
