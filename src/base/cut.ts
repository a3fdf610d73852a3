/** Marks the end of a text that was cut. */
const ELLIPSIS = '…';

const encoder = new TextEncoder();

/** Returns the length of a text as the API server counts it: in bytes of UTF-8. */
export const bytesIn = (text: string): number => Buffer.byteLength(text);

/** Cuts a text to so many bytes of UTF-8, the ellipsis included, never inside a character. */
export function cutToBytes(text: string, limit: number): string {
  if (bytesIn(text) <= limit) return text;
  const { read } = encoder.encodeInto(text, new Uint8Array(Math.max(0, limit - bytesIn(ELLIPSIS))));
  return text.slice(0, read) + ELLIPSIS;
}

/** Cuts a text to so many characters, with an ellipsis after them. A surrogate pair is one character. */
export function cutToCharacters(text: string, limit: number): string {
  if (text.length <= limit) return text;
  const first = Array.from(text.slice(0, 2 * limit + 2));
  return first.length <= limit ? text : first.slice(0, limit).join('') + ELLIPSIS;
}
