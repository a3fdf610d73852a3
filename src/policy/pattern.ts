import { some, type Tristate } from './tristate.ts';

/** What the variables of a text stand for; empty where that is not known (yet). */
export interface Names {
  readonly cluster: string;
  readonly namespace: string;
  readonly name: string;
}

/** For what no name decides. */
export const MATCHES_NONE: Names = { cluster: '', namespace: '', name: '' };

const VARIABLE = /\$\{([^{}]{0,64})\}/g;
const VARIABLES: readonly (keyof Names)[] = ['cluster', 'namespace', 'name'];
const KNOWN: ReadonlySet<string> = new Set(VARIABLES);

/** The first variable in a text that there is none of; absent when all are known. */
export const unknownVariable = (text: string): string | undefined =>
  [...text.matchAll(VARIABLE)].map(([, name = '']) => name).find((name) => !KNOWN.has(name));

/** Whether the text stands for different things in different objects. */
export const isVarying = (text: string): boolean => text.includes('${');

/** A text with variables, read once: answers it for an object; absent when one of its variables is not known. */
export type Template = (names: Names) => string | undefined;

export function templateOf(text: string): Template {
  if (!isVarying(text)) return () => text;
  // What a split by an expression with a group answers: texts and variables in turn.
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

/** A sentence, with names in place of variables as far as they are known. */
export const namedIn = (text: string, { cluster, namespace, name }: Names): string =>
  replaced(replaced(replaced(text, 'cluster', cluster), 'namespace', namespace), 'name', name);

const ANY = '*';

/** Whether a text consists of these, with anything between them. Linear in the text for every one of them. */
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

/** What becomes of a text that is made of variables before it is used: one that is too long may be cut. */
export type Shape = (text: string) => string;

const AS_IT_IS: Shape = (text) => text;

/** A pattern, in which `*` stands for any characters, read once; answers nothing where one of its variables is not known. What a variable stands for holds no `*`. */
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

/** What the parts of a pattern stand for; absent where a variable is not known. Knows the last answer again: many Services in a row are of one namespace. */
function resolver(pattern: string, templates: readonly Template[]): (names: Names) => readonly string[] | undefined {
  const used = VARIABLES.filter((name) => pattern.includes(`\${${name}}`));
  let last = MATCHES_NONE;
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

/** Several patterns, of which one is enough. */
export interface Patterns {
  /** The same for every object. */
  readonly isConstant: boolean;
  /** Those that are plain texts. */
  readonly exact: ReadonlySet<string>;
  readonly isExact: boolean;
  /** Whether the text is what one of them says; absent when that depends on a name that is not known. */
  matches(text: string, names: Names): Tristate;
}

/** `shape` is what texts of the object have gone through that are made of the same variables. */
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
