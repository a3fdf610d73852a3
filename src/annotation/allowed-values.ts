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
  `${type.values ? choice(type.values) : type.says}, or several joined by commas without spaces`;

type Words = { readonly [Kind in ValueType['kind']]: (type: Extract<ValueType, { kind: Kind }>) => string };

const WORDS: Words = {
  enum: ({ values, ignoresOthers }) =>
    ignoresOthers === true ? `${choice(values)}; any other value has no effect` : choice(values),
  flag: () => 'on or off',
  boolean: () => 'true or false',
  presence: () => 'true, or no such annotation: any text means yes',
  integer: rangeOf,
  text: (type) => type.says,
  list: listOf,
  'protocol-ports': () =>
    'entries such as https:443, joined by commas without spaces: tcp, udp, http or https, a colon, a port',
  'port-pairs': () => 'entries such as 80:443, joined by commas without spaces: an HTTP port, a colon, an HTTPS port',
  'group-ports': () =>
    'entries such as rsp-bp1aaaa:80, joined by commas without spaces: a server group, a colon, a port',
  'domain-certificates': () =>
    'entries such as *.example.com:1234_cn-hangzhou, joined by commas: a domain, a colon, a certificate id',
  labels: () => 'labels such as pool=edge, joined by commas without spaces',
  tags: () => 'tags such as team=shop, joined by commas, at most 20',
};

const quotedValues = new Map<ValueType, string>();

/** Returns the allowed values of a type in words. Cached, because the text never changes. */
export function allowedBy(type: ValueType): string {
  let words = quotedValues.get(type);
  if (words === undefined) quotedValues.set(type, (words = (WORDS[type.kind] as (type: ValueType) => string)(type)));
  return words;
}
