import { createHash, createHmac } from 'node:crypto';

export const ACS3 = 'ACS3-HMAC-SHA256';

const hex = (data: string | Uint8Array): string => createHash('sha256').update(data).digest('hex');

/** Encodes a text by RFC 3986 in UTF-8. Only letters, digits, `-`, `_`, `.` and `~` stay. */
export const encode = (text: string): string =>
  encodeURIComponent(text).replace(/[!'()*]/g, (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`);

const byName = ([left]: readonly [string, string], [right]: readonly [string, string]): number =>
  left < right ? -1 : Number(left > right);

/** Returns the encoded parameters in the order of their names, as both signature schemes of the cloud require. */
export const canonicalQuery = (pairs: Iterable<readonly [string, string]>): string =>
  [...pairs]
    .sort(byName)
    .map(([name, value]) => `${encode(name)}=${encode(value)}`)
    .join('&');

/** The parts of a request that the signature ACS3 covers. */
export interface Acs3Request {
  readonly method: string;
  readonly path: string;
  readonly query: Iterable<readonly [string, string]>;
  /** The names are in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly signedHeaders: readonly string[];
  readonly body: Uint8Array | string;
}

/** A signature with the text that it signs. */
export interface Signed {
  readonly stringToSign: string;
  readonly signature: string;
}

/** Returns the hash for `x-acs-content-sha256`. */
export const contentHash = (body: Uint8Array | string): string => hex(body);

/** Returns the signature of a request by the newer scheme, ACS3, in hexadecimal. */
export function signAcs3(request: Acs3Request, secret: string): Signed {
  const canonical = [
    request.method,
    request.path,
    canonicalQuery(request.query),
    ...request.signedHeaders.map((name) => `${name}:${(request.headers[name] ?? '').trim()}`),
    '',
    request.signedHeaders.join(';'),
    contentHash(request.body),
  ].join('\n');
  const stringToSign = `${ACS3}\n${hex(canonical)}`;
  return { stringToSign, signature: createHmac('sha256', secret).update(stringToSign).digest('hex') };
}

/** Returns the signature of the parameters by the older scheme, RPC, in base64. The key of the hash is the secret followed by `&`. */
export function signRpc(method: string, parameters: Iterable<readonly [string, string]>, secret: string): Signed {
  const pairs = [...parameters].filter(([name]) => name !== 'Signature');
  const stringToSign = `${method}&%2F&${encode(canonicalQuery(pairs))}`;
  return { stringToSign, signature: createHmac('sha1', `${secret}&`).update(stringToSign).digest('base64') };
}
