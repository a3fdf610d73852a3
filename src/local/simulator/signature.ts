import { createHash, createHmac } from 'node:crypto';

export const ACS3 = 'ACS3-HMAC-SHA256';

const hex = (data: string | Uint8Array): string => createHash('sha256').update(data).digest('hex');

/** Encodes a text by RFC 3986 in UTF-8. Only letters, digits, `-`, `_`, `.` and `~` stay. */
export const encode = (text: string): string =>
  encodeURIComponent(text).replace(/[!'()*]/g, (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`);

const byName = ([left]: readonly [string, string], [right]: readonly [string, string]): number =>
  left < right ? -1 : Number(left > right);

/** Returns the pairs sorted by name (code units), encoded and joined. A name without a value keeps its `=`. */
export const canonicalQuery = (pairs: Iterable<readonly [string, string]>): string =>
  [...pairs]
    .sort(byName)
    .map(([name, value]) => `${encode(name)}=${encode(value)}`)
    .join('&');

export interface Acs3Request {
  readonly method: string;
  readonly path: string;
  readonly query: Iterable<readonly [string, string]>;
  /** The names are in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly signedHeaders: readonly string[];
  readonly body: Uint8Array | string;
}

export interface Signed {
  readonly stringToSign: string;
  readonly signature: string;
}

/** Returns the hash for `x-acs-content-sha256`. */
export const contentHash = (body: Uint8Array | string): string => hex(body);

/** Signs by the newer scheme: the secret is the key, and the result is hexadecimal. */
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

/** Signs all parameters of query and form except `Signature` by the older scheme: `secret&` is the key, and the result is base64. */
export function signRpc(method: string, parameters: Iterable<readonly [string, string]>, secret: string): Signed {
  const pairs = [...parameters].filter(([name]) => name !== 'Signature');
  const stringToSign = `${method}&%2F&${encode(canonicalQuery(pairs))}`;
  return { stringToSign, signature: createHmac('sha1', `${secret}&`).update(stringToSign).digest('base64') };
}
