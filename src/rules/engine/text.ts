import { cutToCharacters } from '../../base/cut.ts';

/** The longest field path: a key has at most 253 + 1 + 63 characters, and the path adds a few. */
const FIELD_LIMIT = 400;

const UNSAFE = /[\p{Cc}\p{Cf}\p{Cs}\u2028\u2029]/gu;

/** Matches nearly every text. The expression above costs ten times as much. */
const HARMLESS = /^[ -~]*$/;

const codePoint = (character: string): string => {
  const hex = (character.codePointAt(0) ?? 0).toString(16);
  return hex.length <= 4 ? `\\u${hex.padStart(4, '0')}` : `\\u{${hex}}`;
};

/** Harmless texts that skip the check. The texts of rules repeat and come first; a full set takes no more, so users cannot grow it. */
const known = new Set<string>();
const MOST_KNOWN = 1_000;

/** Returns a text that may contain user input. Keeps it on one line and escapes characters that control a terminal. */
export function plain(text: string, limit = FIELD_LIMIT): string {
  if (text.length <= limit && known.has(text)) return text;
  const short = cutToCharacters(text, limit);
  if (!HARMLESS.test(short)) return short.replace(UNSAFE, codePoint);
  if (known.size < MOST_KNOWN && short.length <= FIELD_LIMIT) known.add(short);
  return short;
}
