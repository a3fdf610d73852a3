import { cutToCharacters } from '../../base/cut-text.ts';

/** The default maximum length of a text, in characters. A field path with an annotation key of 317 characters fits. */
const DEFAULT_LIMIT = 400;

const UNSAFE = /[\p{Cc}\p{Cf}\p{Cs}\u2028\u2029]/gu;

/** Matches nearly every text, ten times faster than `UNSAFE`. */
const HARMLESS = /^[ -~]*$/;

const codePoint = (character: string): string => {
  const hex = (character.codePointAt(0) ?? 0).toString(16);
  return hex.length <= 4 ? `\\u${hex.padStart(4, '0')}` : `\\u{${hex}}`;
};

/** Harmless texts that skip the check, because texts of rules repeat. The set has a maximum size, so that users cannot fill the memory. */
const known = new Set<string>();
const MOST_KNOWN = 1_000;

/** Cuts a text and escapes characters that control a terminal, so that user input cannot forge lines of logs. */
export function plain(text: string, limit = DEFAULT_LIMIT): string {
  if (text.length <= limit && known.has(text)) return text;
  const short = cutToCharacters(text, limit);
  if (!HARMLESS.test(short)) return short.replace(UNSAFE, codePoint);
  if (known.size < MOST_KNOWN && short.length <= DEFAULT_LIMIT) known.add(short);
  return short;
}
