/** Longest value that is shown whole, in characters. */
const VALUE_LIMIT = 120;
/** A field's path holds a key of at most 253 + 1 + 63 characters, and a little around it. */
const FIELD_LIMIT = 400;

const UNSAFE = /[\p{Cc}\p{Cf}\p{Cs}\u2028\u2029]/gu;
const UNSAFE_OR_QUOTE = /[\p{Cc}\p{Cf}\p{Cs}\u2028\u2029"\\]/gu;

const codePoint = (character: string): string => {
  const hex = (character.codePointAt(0) ?? 0).toString(16);
  return hex.length <= 4 ? `\\u${hex.padStart(4, '0')}` : `\\u{${hex}}`;
};

const cut = (text: string, limit: number): string =>
  text.length <= limit
    ? text
    : `${Array.from(text.slice(0, 2 * limit), String)
        .slice(0, limit)
        .join('')}…`;

/** A user's value in quotes: control, invisible and bidirectional characters shown as escapes, cut at 120 characters. */
export const quoted = (value: string): string =>
  `"${cut(value, VALUE_LIMIT).replace(UNSAFE_OR_QUOTE, (character) =>
    character === '"' || character === '\\' ? `\\${character}` : codePoint(character),
  )}"`;

/** Any other text that may hold a piece of a user's: on one line, without characters that steer a terminal. */
export const plain = (text: string, limit = FIELD_LIMIT): string => cut(text, limit).replace(UNSAFE, codePoint);
