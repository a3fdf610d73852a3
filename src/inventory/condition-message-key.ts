import { createHash } from 'node:crypto';

/** The longest message that caches keep unchanged, in characters. */
const LONGEST_MESSAGE = 512;
/** The number of characters that remain of a longer message. The names of skipped backends remain, because conditions start with these names. */
const BEGINNING = 400;
/** The request ids of the cloud in messages. Comparisons ignore these ids, because each attempt has a new id in an otherwise equal message. */
const REQUEST_ID = /[0-9A-F]{8}(?:-[0-9A-F]{4}){3}-[0-9A-F]{12}/gi;

/** Returns the key that represents a message in comparisons. A message and its shortened form have the same key. */
export function messageKey(message: string): string {
  const text = message.replaceAll(REQUEST_ID, '');
  if (text.length <= LONGEST_MESSAGE) return text;
  // A slice would keep the whole text in memory, so the text is copied.
  const beginning = Buffer.from(text.slice(0, BEGINNING)).toString();
  return `${beginning} sha256:${createHash('sha256').update(text).digest('hex')}`;
}

/** Returns the form of a message that caches keep: the message itself, or the key of a long message. */
export const shortenedMessage = (message: string): string =>
  message.length <= LONGEST_MESSAGE ? message : messageKey(message);
