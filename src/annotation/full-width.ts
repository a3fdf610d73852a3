/** Full-width forms of ASCII characters, as Chinese and Japanese keyboards write them. */
const FULL_WIDTH = /[\u3000-\u3002\uff01-\uff5e]/g;
/** Space, comma and full stop of Chinese text. Their code points have no fixed distance from the ASCII characters. */
const PUNCTUATION: Readonly<Record<string, string>> = { '\u3000': ' ', '\u3001': ',', '\u3002': '.' };
/** The maximum number of characters that the advice names. */
const MOST_NAMED = 5;

const narrow = (wide: string): string => PUNCTUATION[wide] ?? String.fromCharCode(wide.charCodeAt(0) - 0xfee0);

/** Replaces full-width characters with ASCII characters. */
export const narrowed = (text: string): string => text.replaceAll(FULL_WIDTH, narrow);

/** Returns advice to replace full-width characters, which look like ASCII. Undefined for a text without full-width characters. */
export function adviceOnFullWidth(text: string): string | undefined {
  const wide = [...new Set(text.match(FULL_WIDTH))].slice(0, MOST_NAMED);
  if (wide.length === 0) return undefined;
  return `write ${wide.map((each) => `"${narrow(each)}"`).join(' ')} in place of the full-width ${wide.map((each) => `"${each}"`).join(' ')}`;
}
