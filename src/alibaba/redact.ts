/** The names under which credentials travel in the two signature schemes and in the documents that carry them. */
const NAMES =
  'AccessKeyId|AccessKeySecret|accessKeySecret|SecurityToken|security-token|x-acs-security-token|x-acs-accesskey-id|Signature|SignatureNonce|Credential|access_key_id';
/** `name=value` or `"name": "value"`, also percent-encoded once or twice, as a quoted string to sign has it. */
const PAIRS = new RegExp(`(${NAMES})("?\\s*(?:=|:|%3D|%253D)\\s*"?)(?:(?!%26|%2526)[^&\\s,;"'])+`, 'g');
const SIGNED_URL = /(https?:\/\/[^\s?"']+)\?[^\s"']+/g;
/** How access key ids look. */
const KEY_IDS = /\b(?:LTAI|STS\.)[0-9A-Za-z]{8,}/g;
const CUT = '[redacted]';

/**
 * Takes credentials out of a text that came from outside: the given secrets wherever they stand, what is named like one,
 * and the query of every URL.
 */
export function redact(text: string, secrets: Iterable<string> = []): string {
  let clean = text;
  for (const secret of secrets) {
    // Shorter ones cannot be real and would cut holes into ordinary words.
    if (secret.length >= 6) clean = clean.replaceAll(secret, CUT).replaceAll(encodeURIComponent(secret), CUT);
  }
  return clean.replace(SIGNED_URL, `$1?${CUT}`).replace(PAIRS, `$1$2${CUT}`).replace(KEY_IDS, CUT);
}
