import { some, type Tristate } from './three-valued-logic.ts';

/** The values of the variables in patterns and defaults of policies. The empty text stands for a value that is not known yet. */
export interface Names {
  readonly cluster: string;
  readonly namespace: string;
  readonly name: string;
}

/** Names with unknown values, for patterns without variables. */
export const NO_NAMES: Names = { cluster: '', namespace: '', name: '' };

const VARIABLE = /\$\{([^{}]{0,64})\}/g;
const VARIABLES: readonly (keyof Names)[] = ['cluster', 'namespace', 'name'];
const KNOWN: ReadonlySet<string> = new Set(VARIABLES);

/** Returns the first unknown variable in a text. Returns undefined if all variables are known. */
export const unknownVariable = (text: string): string | undefined =>
  [...text.matchAll(VARIABLE)].map(([, name = '']) => name).find((name) => !KNOWN.has(name));

/** Returns whether a text contains variables. */
export const isVarying = (text: string): boolean => text.includes('${');

/** A compiled text with variables. The function returns undefined if the value of a variable is unknown. */
export type Template = (names: Names) => string | undefined;

/** Compiles a text with variables, such as the value of a default. */
export function templateOf(text: string): Template {
  if (!isVarying(text)) return () => text;
  // `split` with a capturing group returns texts and variables alternately.
  const parts = text.split(VARIABLE);
  return (names) => {
    let result = parts[0] ?? '';
    for (let at = 1; at < parts.length; at += 2) {
      const value = names[parts[at] as keyof Names];
      if (value === '') return undefined;
      result += value + (parts[at + 1] ?? '');
    }
    return result;
  };
}

const replaced = (text: string, variable: keyof Names, value: string): string =>
  value === '' ? text : text.replaceAll(`\${${variable}}`, () => value);

/** Replaces the known variables in a message with their values. */
export const namedIn = (text: string, { cluster, namespace, name }: Names): string =>
  replaced(replaced(replaced(text, 'cluster', cluster), 'namespace', namespace), 'name', name);

const ANY = '*';

/**
 * Returns whether a text consists of the parts in this order, with any characters between the parts. Never backtracks, so that no pattern is slow.
 */
function consistsOf(text: string, parts: readonly string[]): boolean {
  const first = parts[0] ?? '';
  if (parts.length === 1) return text === first;
  const last = parts[parts.length - 1] ?? '';
  if (text.length < first.length + last.length || !text.startsWith(first) || !text.endsWith(last)) return false;
  const end = text.length - last.length;
  let at = first.length;
  for (let index = 1; index < parts.length - 1; index++) {
    const part = parts[index] ?? '';
    const found = text.indexOf(part, at);
    if (found < 0 || found + part.length > end) return false;
    at = found + part.length;
  }
  return true;
}

/** A transformation of an expanded text before the comparison, such as a cut to the maximum length. */
export type Shape = (text: string) => string;

const AS_IT_IS: Shape = (text) => text;

/** Compiles a pattern, in which `*` stands for any characters. The matcher returns undefined if a variable is unknown. */
function matcherOf(pattern: string, shape: Shape): (text: string, names: Names) => Tristate {
  const parts = pattern.split(ANY);
  if (!isVarying(pattern)) return (text) => consistsOf(text, parts);
  const resolvedFor = resolver(pattern, parts.map(templateOf));
  return (text, names) => {
    const resolved = resolvedFor(names);
    if (resolved === undefined) return undefined;
    const [whole = ''] = resolved;
    return consistsOf(text, resolved) || (resolved.length === 1 && text === shape(whole));
  };
}

/** Returns a function that expands the parts of a pattern. */
function resolver(pattern: string, templates: readonly Template[]): (names: Names) => readonly string[] | undefined {
  const used = VARIABLES.filter((name) => pattern.includes(`\${${name}}`));
  // Consecutive Services are often in one namespace, so the last result is cached.
  let last = NO_NAMES;
  let resolved = resolvedBy(templates, last);
  return (names) => {
    for (const name of used) {
      if (names[name] === last[name]) continue;
      resolved = resolvedBy(templates, names);
      last = names;
      break;
    }
    return resolved;
  };
}

function resolvedBy(templates: readonly Template[], names: Names): readonly string[] | undefined {
  const resolved: string[] = [];
  for (const template of templates) {
    const part = template(names);
    if (part === undefined) return undefined;
    resolved.push(part);
  }
  return resolved;
}

/** The compiled patterns of `oneOf` or `noneOf`. */
export interface Patterns {
  /** True if no pattern contains variables. */
  readonly isConstant: boolean;
  /** The patterns without `*` and without variables. */
  readonly exact: ReadonlySet<string>;
  readonly isExact: boolean;
  /** Returns whether a pattern matches the text. Returns undefined if the result depends on an unknown variable. */
  matches(text: string, names: Names): Tristate;
}

/** Compiles patterns when their policy changes, so that requests only compare texts. `shape` transforms an expanded pattern without `*`. */
export function patternsOf(texts: readonly string[], shape: Shape = AS_IT_IS): Patterns {
  const isPlain = (text: string): boolean => !text.includes(ANY) && !isVarying(text);
  const exact = new Set(texts.filter(isPlain));
  const others = texts.filter((text) => !isPlain(text)).map((text) => matcherOf(text, shape));
  return {
    isConstant: !texts.some(isVarying),
    exact,
    isExact: others.length === 0,
    matches: (text, names) => exact.has(text) || some(others, (matches) => matches(text, names)),
  };
}
