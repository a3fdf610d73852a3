/** The pattern of possible credentials: access key ids, tokens, private keys, and words of 30 characters, such as access key secrets. */
const CREDENTIAL =
  /\b(?:LTAI|STS\.)[0-9A-Za-z]{8,}|\beyJ[0-9A-Za-z_-]{10,}[0-9A-Za-z_.-]*|-----BEGIN [A-Z ]*PRIVATE KEY-----[^]*|\b[0-9A-Za-z]{30}\b/g;
/** The length of the shortest possible credential, in characters. */
const SHORTEST_CREDENTIAL = 12;
/** The maximum length of a returned value, in characters. */
const LONGEST = 400;
const HIDDEN = '***';

/** Returns whether a match is a credential. A word of 30 characters must contain digits, capital and small letters. */
const isSecret = (text: string): boolean =>
  text.length !== 30 || (/[0-9]/.test(text) && /[a-z]/.test(text) && /[A-Z]/.test(text));

/** Masks possible credentials in a text that a user wrote. Without the mask, a key in the wrong field would reach messages and logs. */
export const withoutCredentials = (value: string): string =>
  value.length < SHORTEST_CREDENTIAL
    ? value
    : value.slice(0, LONGEST).replace(CREDENTIAL, (found) => (isSecret(found) ? HIDDEN : found));
