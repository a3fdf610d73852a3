import { createHash, createHmac } from 'node:crypto';

export const ACS3 = 'ACS3-HMAC-SHA256';

const hex = (data: string | Uint8Array): string => createHash('sha256').update(data).digest('hex');

/** RFC 3986 on UTF-8: only letters, digits, `-`, `_`, `.` and `~` stay. */
export const encode = (text: string): string =>
  encodeURIComponent(text).replace(/[!'()*]/g, (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`);

const byName = ([left]: readonly [string, string], [right]: readonly [string, string]): number =>
  left < right ? -1 : Number(left > right);

/** Pairs sorted by name (code units), encoded, joined; a name without a value keeps its `=`. */
export const canonicalQuery = (pairs: Iterable<readonly [string, string]>): string =>
  [...pairs]
    .sort(byName)
    .map(([name, value]) => `${encode(name)}=${encode(value)}`)
    .join('&');

export interface Acs3Request {
  readonly method: string;
  readonly path: string;
  readonly query: Iterable<readonly [string, string]>;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly signedHeaders: readonly string[];
  readonly body: Uint8Array | string;
}

export interface Signed {
  readonly stringToSign: string;
  readonly signature: string;
}

/** The hash that `x-acs-content-sha256` has to carry. */
export const contentHash = (body: Uint8Array | string): string => hex(body);

/** The newer scheme: the secret as it is, hexadecimal result. */
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

/** The older scheme, over all parameters of query and form but `Signature`: `secret&` as the key, base64 result. */
export function signRpc(method: string, parameters: Iterable<readonly [string, string]>, secret: string): Signed {
  const pairs = [...parameters].filter(([name]) => name !== 'Signature');
  const stringToSign = `${method}&%2F&${encode(canonicalQuery(pairs))}`;
  return { stringToSign, signature: createHmac('sha1', `${secret}&`).update(stringToSign).digest('base64') };
}
