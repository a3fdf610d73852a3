/** The characters of ASCII as a Chinese or Japanese keyboard may write them. */
const FULL_WIDTH = /[\u3000-\u3002\uff01-\uff5e]/g;
/** Space, comma and full stop of Chinese text, which have no ASCII character at the usual distance. */
const PUNCTUATION: Readonly<Record<string, string>> = { '\u3000': ' ', '\u3001': ',', '\u3002': '.' };
/** More characters are not named. */
const MOST_NAMED = 5;

const narrow = (wide: string): string => PUNCTUATION[wide] ?? String.fromCharCode(wide.charCodeAt(0) - 0xfee0);

/** Returns a text with the characters of ASCII in place of full-width characters. */
export const narrowed = (text: string): string => text.replaceAll(FULL_WIDTH, narrow);

/** Returns the full-width characters of a text and what to write instead; `undefined` if there are none. */
export function adviceOnFullWidth(text: string): string | undefined {
  const wide = [...new Set(text.match(FULL_WIDTH))].slice(0, MOST_NAMED);
  if (wide.length === 0) return undefined;
  return `write ${wide.map((each) => `"${narrow(each)}"`).join(' ')} in place of the full-width ${wide.map((each) => `"${each}"`).join(' ')}`;
}
