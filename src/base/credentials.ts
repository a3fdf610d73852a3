/** What credentials look like: access key ids, temporary ones, tokens, private keys, and words as long as the secret of an access key. */
const CREDENTIAL =
  /\b(?:LTAI|STS\.)[0-9A-Za-z]{8,}|\beyJ[0-9A-Za-z_-]{10,}[0-9A-Za-z_.-]*|-----BEGIN [A-Z ]*PRIVATE KEY-----[^]*|\b[0-9A-Za-z]{30}\b/g;
/** No credential is shorter. */
const SHORTEST_CREDENTIAL = 12;
/** What stands further back is dropped. */
const LONGEST = 400;
const HIDDEN = '***';

/** A word of 30 is a secret only where letters of both cases and digits are mixed, as chance does it and people do not. */
const isSecret = (text: string): boolean =>
  text.length !== 30 || (/[0-9]/.test(text) && /[a-z]/.test(text) && /[A-Z]/.test(text));

/** A value without the credentials that somebody has put in the wrong place: what is told of it ends up in logs of all kinds. */
export const withoutCredentials = (value: string): string =>
  value.length < SHORTEST_CREDENTIAL
    ? value
    : value.slice(0, LONGEST).replace(CREDENTIAL, (found) => (isSecret(found) ? HIDDEN : found));
