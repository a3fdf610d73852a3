/** The names of credentials in the two signature schemes and in documents with credentials. */
const NAMES =
  'AccessKeyId|AccessKeySecret|accessKeySecret|SecurityToken|security-token|x-acs-security-token|x-acs-accesskey-id|Signature|SignatureNonce|Credential|access_key_id';
/** `name=value` or `"name": "value"`, also percent-encoded once or twice, as in a quoted string to sign. */
const PAIRS = new RegExp(`(${NAMES})("?\\s*(?:=|:|%3D|%253D)\\s*"?)(?:(?!%26|%2526)[^&\\s,;"'])+`, 'g');
const SIGNED_URL = /(https?:\/\/[^\s?"']+)\?[^\s"']+/g;
/** The format of access key ids. */
const KEY_IDS = /\b(?:LTAI|STS\.)[0-9A-Za-z]{8,}/g;
const CUT = '[redacted]';

/** Removes credentials from an external text: the given secrets, values with the name of a credential, and the query of each URL. */
export function redact(text: string, secrets: Iterable<string> = []): string {
  let clean = text;
  for (const secret of secrets) {
    // Shorter values are no real secrets, and their removal would damage ordinary words.
    if (secret.length >= 6) clean = clean.replaceAll(secret, CUT).replaceAll(encodeURIComponent(secret), CUT);
  }
  return clean.replace(SIGNED_URL, `$1?${CUT}`).replace(PAIRS, `$1$2${CUT}`).replace(KEY_IDS, CUT);
}
