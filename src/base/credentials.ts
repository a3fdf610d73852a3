/** The pattern of credentials: access key ids, temporary ids, tokens, private keys, and words with the length of an access key secret. */
const CREDENTIAL =
  /\b(?:LTAI|STS\.)[0-9A-Za-z]{8,}|\beyJ[0-9A-Za-z_-]{10,}[0-9A-Za-z_.-]*|-----BEGIN [A-Z ]*PRIVATE KEY-----[^]*|\b[0-9A-Za-z]{30}\b/g;
/** The length of the shortest credential, in characters. */
const SHORTEST_CREDENTIAL = 12;
/** The longest part of a value that is kept, in characters. */
const LONGEST = 400;
const HIDDEN = '***';

/** Returns whether a match is a secret. A word of 30 characters is a secret only if it mixes digits and letters of both cases. */
const isSecret = (text: string): boolean =>
  text.length !== 30 || (/[0-9]/.test(text) && /[a-z]/.test(text) && /[A-Z]/.test(text));

/** Returns the value with misplaced credentials masked, because messages about the value reach logs. */
export const withoutCredentials = (value: string): string =>
  value.length < SHORTEST_CREDENTIAL
    ? value
    : value.slice(0, LONGEST).replace(CREDENTIAL, (found) => (isSecret(found) ? HIDDEN : found));
