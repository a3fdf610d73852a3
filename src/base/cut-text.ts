/** The mark at the end of a shortened text. */
const ELLIPSIS = '…';

const encoder = new TextEncoder();

/** Returns the size of a text in bytes of UTF-8, the unit of the API server's limits. */
export const bytesIn = (text: string): number => Buffer.byteLength(text);

/** Shortens a text, such as the message of an event, to `limit` bytes of UTF-8, including the ellipsis. Never cuts inside a character. */
export function cutToBytes(text: string, limit: number): string {
  if (bytesIn(text) <= limit) return text;
  const { read } = encoder.encodeInto(text, new Uint8Array(Math.max(0, limit - bytesIn(ELLIPSIS))));
  return text.slice(0, read) + ELLIPSIS;
}

/** Shortens a text to `limit` characters and appends an ellipsis. A surrogate pair is one character. */
export function cutToCharacters(text: string, limit: number): string {
  if (text.length <= limit) return text;
  const first = Array.from(text.slice(0, 2 * limit + 2));
  return first.length <= limit ? text : first.slice(0, limit).join('') + ELLIPSIS;
}
