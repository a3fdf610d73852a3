import { cutToCharacters } from '../../base/cut.ts';
import { withoutCredentials } from '../../base/credentials.ts';

/** Longest value that is shown whole, in characters. */
const VALUE_LIMIT = 128;
/** A field's path holds a key of at most 253 + 1 + 63 characters, and a little around it. */
const FIELD_LIMIT = 400;

const UNSAFE = /[\p{Cc}\p{Cf}\p{Cs}\u2028\u2029]/gu;
const UNSAFE_OR_QUOTE = /[\p{Cc}\p{Cf}\p{Cs}\u2028\u2029"\\]/gu;

/** Nearly every text; the expressions above cost ten times as much. */
const HARMLESS = /^[ -~]*$/;
const HARMLESS_UNQUOTED = /^[ !#-[\]-~]*$/;

const codePoint = (character: string): string => {
  const hex = (character.codePointAt(0) ?? 0).toString(16);
  return hex.length <= 4 ? `\\u${hex.padStart(4, '0')}` : `\\u{${hex}}`;
};

/** A user's value in quotes: control, invisible and bidirectional characters shown as escapes, cut at 128 characters, credentials hidden. */
export function quoted(value: string): string {
  const short = cutToCharacters(withoutCredentials(value), VALUE_LIMIT);
  if (HARMLESS_UNQUOTED.test(short)) return `"${short}"`;
  const escaped = short.replace(UNSAFE_OR_QUOTE, (character) =>
    character === '"' || character === '\\' ? `\\${character}` : codePoint(character),
  );
  return `"${escaped}"`;
}

/** Texts of our own come again and again, and need no second look; once there is no room, those of people find none. */
const known = new Set<string>();
const MOST_KNOWN = 1_000;

/** Any other text that may hold a piece of a user's: on one line, without characters that steer a terminal. */
export function plain(text: string, limit = FIELD_LIMIT): string {
  if (text.length <= limit && known.has(text)) return text;
  const short = cutToCharacters(text, limit);
  if (!HARMLESS.test(short)) return short.replace(UNSAFE, codePoint);
  if (known.size < MOST_KNOWN && short.length <= FIELD_LIMIT) known.add(short);
  return short;
}
