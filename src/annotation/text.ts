const ZERO = 48;
const NINE = 57;
/** Longer ones cannot be in any range of the catalogue, and would lose digits; zeros in front do not count. */
const MOST_DIGITS = 12;

/** A whole number to the base 10, with an optional sign and leading zeros; `undefined` for anything else. */
export function wholeNumber(text: string): number | undefined {
  const first = text.charCodeAt(0);
  let start = first === 43 || first === 45 ? 1 : 0;
  while (start < text.length - 1 && text.charCodeAt(start) === ZERO) start++;
  if (text.length === start || text.length - start > MOST_DIGITS) return undefined;
  let value = 0;
  for (let at = start; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code < ZERO || code > NINE) return undefined;
    value = value * 10 + code - ZERO;
  }
  return first === 45 && value !== 0 ? -value : value;
}

/** A port of TCP or UDP in plain digits; `undefined` for anything else. */
export function portNumber(text: string): number | undefined {
  const first = text.charCodeAt(0);
  const value = text.length <= 5 && first > ZERO && first <= NINE ? wholeNumber(text) : undefined;
  return value !== undefined && value <= 65_535 ? value : undefined;
}

const LABEL = /^[a-z0-9][a-z0-9-]*$/;

/** A DNS-1123 subdomain, as the status of a Service wants it. */
export const isHostName = (text: string): boolean =>
  text.length <= 253 &&
  text.split('.').every((label) => label.length <= 63 && LABEL.test(label) && !label.endsWith('-'));

const DIGITS = /^[0-9]+$/;

/** A host name that is no IP address: the API server takes none for a name, not even with zeros in front of its numbers. */
export function isNameOfHost(text: string): boolean {
  const parts = text.split('.');
  const isAddress = parts.length === 4 && parts.every((part) => DIGITS.test(part) && Number(part) <= 255);
  return isHostName(text) && !isAddress;
}

const OCTET = /^(?:0|[1-9][0-9]{0,2})$/;

/** Four numbers to 255, without leading zeros, which some programs read as octal. */
export function isIpv4(text: string): boolean {
  if (text.length > 15) return false;
  const octets = text.split('.');
  return octets.length === 4 && octets.every((octet) => OCTET.test(octet) && Number(octet) <= 255);
}

const LABEL_NAME = /^[A-Za-z0-9][A-Za-z0-9_.-]*$/;
const isLabelName = (text: string): boolean => text.length <= 63 && LABEL_NAME.test(text) && !/[_.-]$/.test(text);

/** A label's value: empty, or up to 63 letters, digits, `-`, `_` and `.`, with a letter or digit at both ends. */
export const isLabelValue = (text: string): boolean => text === '' || isLabelName(text);

/** A label's key: a name, optionally after a DNS prefix and a slash. */
export function isLabelKey(text: string): boolean {
  const slash = text.indexOf('/');
  return slash < 0 ? isLabelName(text) : isHostName(text.slice(0, slash)) && isLabelName(text.slice(slash + 1));
}
