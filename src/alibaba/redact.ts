/** The names of fields with credentials: in signed requests, and in responses of RAM and the metadata service. */
const NAMES =
  'AccessKeyId|AccessKeySecret|accessKeySecret|SecurityToken|security-token|x-acs-security-token|x-acs-accesskey-id|Signature|SignatureNonce|Credential|access_key_id';
/** A field and its value, as `name=value` or `"name": "value"`, percent-encoded at most twice. */
const PAIRS = new RegExp(`(${NAMES})("?\\s*(?:=|:|%3D|%253D)\\s*"?)(?:(?!%26|%2526)[^&\\s,;"'])+`, 'g');
const SIGNED_URL = /(https?:\/\/[^\s?"']+)\?[^\s"']+/g;
/** The formats of access key ids. */
const KEY_IDS = /\b(?:LTAI|STS\.)[0-9A-Za-z]{8,}/g;
const CUT = '[redacted]';

/** Removes credentials from a text about a cloud call: known secrets, named fields, access key ids, and queries of URLs. */
export function redact(text: string, secrets: Iterable<string> = []): string {
  let clean = text;
  for (const secret of secrets) {
    // The removal of shorter values would damage ordinary words.
    if (secret.length >= 6) clean = clean.replaceAll(secret, CUT).replaceAll(encodeURIComponent(secret), CUT);
  }
  return clean.replace(SIGNED_URL, `$1?${CUT}`).replace(PAIRS, `$1$2${CUT}`).replace(KEY_IDS, CUT);
}
