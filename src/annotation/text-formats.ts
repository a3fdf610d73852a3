const ZERO = 48;
const NINE = 57;
/** The maximum number of digits without leading zeros. Longer numbers exceed every range of the catalogue. */
const MOST_DIGITS = 12;

/** Parses a decimal whole number with an optional sign and leading zeros. Returns undefined for any other text. */
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

/** Parses a TCP or UDP port in plain digits. Returns undefined for any other text. */
export function portNumber(text: string): number | undefined {
  const first = text.charCodeAt(0);
  const value = text.length <= 5 && first > ZERO && first <= NINE ? wholeNumber(text) : undefined;
  return value !== undefined && value <= 65_535 ? value : undefined;
}

const LABEL = /^[a-z0-9][a-z0-9-]*$/;

/** Returns whether a text is a DNS-1123 subdomain, as the status of a Service requires. */
export const isHostName = (text: string): boolean =>
  text.length <= 253 &&
  text.split('.').every((label) => label.length <= 63 && LABEL.test(label) && !label.endsWith('-'));

const DIGITS = /^[0-9]+$/;

/** Returns whether a text is a host name and not an IP address. */
export function isNameOfHost(text: string): boolean {
  const parts = text.split('.');
  // The API server rejects addresses as host names, even addresses with leading zeros.
  const isAddress = parts.length === 4 && parts.every((part) => DIGITS.test(part) && Number(part) <= 255);
  return isHostName(text) && !isAddress;
}

const OCTET = /^(?:0|[1-9][0-9]{0,2})$/;

/** Returns whether a text is an IPv4 address. Leading zeros are invalid, because some programs read them as octal. */
export function isIpv4(text: string): boolean {
  if (text.length > 15) return false;
  const octets = text.split('.');
  return octets.length === 4 && octets.every((octet) => OCTET.test(octet) && Number(octet) <= 255);
}

const LABEL_NAME = /^[A-Za-z0-9][A-Za-z0-9_.-]*$/;
const isLabelName = (text: string): boolean => text.length <= 63 && LABEL_NAME.test(text) && !/[_.-]$/.test(text);

/** Returns whether a text is a label value of Kubernetes. The empty text is valid. */
export const isLabelValue = (text: string): boolean => text === '' || isLabelName(text);

/** Returns whether a text is a label key of Kubernetes: a name with an optional DNS prefix before a slash. */
export function isLabelKey(text: string): boolean {
  const slash = text.indexOf('/');
  return slash < 0 ? isLabelName(text) : isHostName(text.slice(0, slash)) && isLabelName(text.slice(slash + 1));
}
