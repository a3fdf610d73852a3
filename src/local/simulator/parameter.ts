import { CloudError } from './error.ts';

/** The properties that every kind of parameter has. */
interface Rule {
  readonly required?: true;
  /** The error code for an invalid value, by default `InvalidParameter`. */
  readonly code?: string;
}

interface TextRule extends Rule {
  /** The minimum and maximum number of characters. */
  readonly length?: readonly [number, number];
  readonly pattern?: RegExp;
  /** The description of the format for the error message. */
  readonly form?: string;
}

/** A parameter of an operation, as the API reference describes the parameter. For an integer, `also` is a permitted value outside the range. */
export type Parameter = { readonly name: string } & (
  | ({ readonly type: 'text' } & TextRule)
  | ({ readonly type: 'choice'; readonly values: readonly string[]; readonly anyCase?: true } & Rule)
  | ({ readonly type: 'integer'; readonly min: number; readonly max: number; readonly also?: number } & Rule)
  | ({ readonly type: 'boolean' } & Rule)
  | ({ readonly type: 'list'; readonly maxItems: number } & Rule)
  | ({ readonly type: 'objects'; readonly maxItems: number; readonly fields: readonly Parameter[] } & Rule)
);

/** Declares a text parameter. This and the next functions build the parameter tables of operations. */
export const text = (name: string, rule: TextRule = {}): Parameter => ({ name, type: 'text', ...rule });
export const choice = (
  name: string,
  values: readonly string[],
  rule: Rule & { readonly anyCase?: true } = {},
): Parameter => ({ name, type: 'choice', values, ...rule });
export const integer = (
  name: string,
  [min, max]: readonly [number, number],
  rule: Rule & { readonly also?: number } = {},
): Parameter => ({ name, type: 'integer', min, max, ...rule });
export const boolean = (name: string): Parameter => ({ name, type: 'boolean' });
export const list = (name: string, maxItems: number, rule: Rule = {}): Parameter => ({
  name,
  type: 'list',
  maxItems,
  ...rule,
});
export const objects = (name: string, maxItems: number, fields: readonly Parameter[], rule: Rule = {}): Parameter => ({
  name,
  type: 'objects',
  maxItems,
  fields,
  ...rule,
});
export const required = (parameter: Parameter): Parameter => ({ ...parameter, required: true });

type Value = string | number | boolean | readonly string[] | readonly Arguments[];

/** The checked parameters of a call, by API name. A handler must read each parameter with the type that the operation declares. */
export class Arguments {
  readonly #values: ReadonlyMap<string, Value>;

  constructor(values: ReadonlyMap<string, Value>) {
    this.#values = values;
  }

  has(name: string): boolean {
    return this.#values.has(name);
  }

  /** Returns a text parameter that the operation requires. */
  text(name: string): string {
    const value = this.optional(name);
    if (value === undefined)
      throw new TypeError(
        `the parameter table does not declare ${name} as required text, but a handler reads it as such`,
      );
    return value;
  }

  optional(name: string): string | undefined {
    const value = this.#values.get(name);
    return typeof value === 'string' ? value : undefined;
  }

  integer(name: string): number | undefined {
    const value = this.#values.get(name);
    return typeof value === 'number' ? value : undefined;
  }

  boolean(name: string): boolean | undefined {
    const value = this.#values.get(name);
    return typeof value === 'boolean' ? value : undefined;
  }

  list(name: string): readonly string[] {
    const value = this.#values.get(name);
    return Array.isArray(value) ? value.filter((item): item is string => typeof item === 'string') : [];
  }

  objects(name: string): readonly Arguments[] {
    const value = this.#values.get(name);
    return Array.isArray(value) ? value.filter((item): item is Arguments => item instanceof Arguments) : [];
  }

  /** Returns all parameters of the call except lists, by name. */
  scalars(): Readonly<Record<string, string | number | boolean>> {
    const entries = [...this.#values].flatMap(([name, value]): [string, string | number | boolean][] =>
      typeof value === 'object' ? [] : [[name, value]],
    );
    return Object.fromEntries(entries);
  }
}

/** The flat parameters of a received call, such as `Tag.1.Key`, by name in lower case. */
type FlatParameters = ReadonlyMap<string, string>;

const bad = (parameter: Parameter, path: string, found: string, allowed: string): CloudError =>
  new CloudError(
    parameter.code ?? 'InvalidParameter',
    `The parameter ${path} is "${found.slice(0, 120)}"; ${allowed}.`,
  );

function readText(rule: Parameter & { readonly type: 'text' }, raw: string, path: string): string {
  const [least, most] = rule.length ?? [0, 20_000];
  if (raw.length < least || raw.length > most) throw bad(rule, path, raw, `${least} to ${most} characters are allowed`);
  if (rule.pattern?.test(raw) === false) throw bad(rule, path, raw, rule.form ?? 'that form is not allowed');
  return raw;
}

function readChoice(rule: Parameter & { readonly type: 'choice' }, raw: string, path: string): string {
  const wanted = rule.anyCase === true ? raw.toLowerCase() : raw;
  const value = rule.values.find((candidate) => candidate === wanted);
  if (value === undefined) throw bad(rule, path, raw, `allowed are ${rule.values.join(', ')}`);
  return value;
}

function readInteger(rule: Parameter & { readonly type: 'integer' }, raw: string, path: string): number {
  const value = /^-?\d{1,15}$/.test(raw) ? Number(raw) : NaN;
  if (value === rule.also || (value >= rule.min && value <= rule.max)) return value;
  const also = rule.also === undefined ? '' : ` and ${rule.also}`;
  throw bad(rule, path, raw, `a whole number from ${rule.min} to ${rule.max}${also} is allowed`);
}

function readScalar(parameter: Parameter, raw: string, path: string): string | number | boolean {
  if (parameter.type === 'integer') return readInteger(parameter, raw, path);
  if (parameter.type === 'choice') return readChoice(parameter, raw, path);
  if (parameter.type === 'text') return readText(parameter, raw, path);
  if (raw === 'true' || raw === 'false') return raw === 'true';
  throw bad(parameter, path, raw, 'true and false are allowed');
}

/** Returns the indices of the parameters `prefix.1`, `prefix.2` and so on, in ascending order. A call may omit indices. */
function indices(flat: FlatParameters, prefix: string): readonly string[] {
  const found = new Set<string>();
  const start = `${prefix.toLowerCase()}.`;
  for (const key of flat.keys()) {
    if (key.startsWith(start)) found.add(key.slice(start.length).split('.')[0] ?? '');
  }
  return [...found].filter((index) => /^\d+$/.test(index)).sort((left, right) => Number(left) - Number(right));
}

function readItems(
  parameter: Parameter & { readonly type: 'list' | 'objects' },
  flat: FlatParameters,
  path: string,
): readonly string[] | readonly Arguments[] | undefined {
  const found = indices(flat, path);
  if (found.length === 0) return undefined;
  if (found.length > parameter.maxItems) {
    throw bad(parameter, path, `${found.length} items`, `at most ${parameter.maxItems} are allowed in one call`);
  }
  if (parameter.type === 'list') return found.map((index) => flat.get(`${path.toLowerCase()}.${index}`) ?? '');
  return found.map((index) => readAll(parameter.fields, flat, `${path}.${index}.`));
}

function readOne(parameter: Parameter, flat: FlatParameters, path: string): Value | undefined {
  if (parameter.type === 'list' || parameter.type === 'objects') return readItems(parameter, flat, path);
  const raw = flat.get(path.toLowerCase());
  // An empty value counts as missing, except for an optional text.
  if (raw === undefined || (raw === '' && (parameter.type !== 'text' || parameter.required === true))) return undefined;
  return readScalar(parameter, raw, path);
}

function readAll(table: readonly Parameter[], flat: FlatParameters, prefix: string): Arguments {
  const values = new Map<string, Value>();
  for (const parameter of table) {
    const path = prefix + parameter.name;
    const value = readOne(parameter, flat, path);
    if (value !== undefined) values.set(parameter.name, value);
    else if (parameter.required === true) {
      throw new CloudError('MissingParameter', `The parameter ${path} is required by this operation.`);
    }
  }
  return new Arguments(values);
}

/** Parses the parameters of a call. Ignores unknown parameters and the case of names. */
export function readArguments(table: readonly Parameter[], parameters: Readonly<Record<string, string>>): Arguments {
  const flat = new Map(Object.entries(parameters).map(([name, value]) => [name.toLowerCase(), value]));
  return readAll(table, flat, '');
}
