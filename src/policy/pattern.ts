import { some, type Truth } from './truth.ts';

/** What the variables of a text stand for; empty where that is not known (yet). */
export interface Names {
  readonly cluster: string;
  readonly namespace: string;
  readonly name: string;
}

const VARIABLE = /\$\{([^{}]{0,64})\}/g;
const KNOWN: ReadonlySet<string> = new Set<keyof Names>(['cluster', 'namespace', 'name']);

/** The first variable in a text that there is none of; absent when all are known. */
export const unknownVariable = (text: string): string | undefined =>
  [...text.matchAll(VARIABLE)].map(([, name = '']) => name).find((name) => !KNOWN.has(name));

/** Whether the text stands for different things in different objects. */
export const isVarying = (text: string): boolean => text.includes('${');

/** A text with variables, read once: answers it for an object; absent when one of its variables is not known. */
export function templateOf(text: string): (names: Names) => string | undefined {
  if (!isVarying(text)) return () => text;
  // What a split by an expression with a group answers: texts and variables in turn.
  const parts = text.split(VARIABLE);
  return (names) => {
    let result = '';
    for (const [at, part] of parts.entries()) {
      const piece = at % 2 === 0 ? part : names[part as keyof Names];
      if (piece === '' && at % 2 === 1) return undefined;
      result += piece;
    }
    return result;
  };
}

const ANY = '*';

/** Whether a text is what a pattern says, in which `*` stands for any characters. Linear in the text for every part of the pattern. */
export function isLike(pattern: string, text: string): boolean {
  const [first = '', ...rest] = pattern.split(ANY);
  const last = rest.pop();
  if (last === undefined) return pattern === text;
  if (!text.startsWith(first) || text.length < first.length + last.length || !text.endsWith(last)) return false;
  const end = text.length - last.length;
  let at = first.length;
  for (const part of rest) {
    const found = text.indexOf(part, at);
    if (found < 0 || found + part.length > end) return false;
    at = found + part.length;
  }
  return true;
}

/** Several patterns, of which one is enough. */
export interface Patterns {
  /** The same for every object. */
  readonly isConstant: boolean;
  /** Those that are plain texts. */
  readonly exact: ReadonlySet<string>;
  readonly isExact: boolean;
  /** Whether the text is what one of them says; absent when that depends on a name that is not known. */
  matches(text: string, names: Names): Truth;
}

export function patternsOf(texts: readonly string[]): Patterns {
  const isPlain = (text: string): boolean => !text.includes(ANY) && !isVarying(text);
  const exact = new Set(texts.filter(isPlain));
  const others = texts.filter((text) => !isPlain(text)).map(templateOf);
  return {
    isConstant: !texts.some(isVarying),
    exact,
    isExact: others.length === 0,
    matches: (text, names) =>
      exact.has(text) ||
      some(others, (template) => {
        const pattern = template(names);
        return pattern === undefined ? undefined : isLike(pattern, text);
      }),
  };
}
