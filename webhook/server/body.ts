import { PortcullisError, messageOf } from '../../src/base/errors.ts';

const POLLUTER = '__proto__';

/** Deletes every key `__proto__`, at any depth, without recursion: depth is the sender's choice. */
function withoutPolluters(root: unknown): void {
  const pending = [root];
  for (let value = pending.pop(); value !== undefined; value = pending.pop()) {
    if (typeof value !== 'object' || value === null) continue;
    if (Object.hasOwn(value, POLLUTER)) Reflect.deleteProperty(value, POLLUTER);
    for (const child of Object.values(value) as unknown[]) {
      if (typeof child === 'object' && child !== null) pending.push(child);
    }
  }
}

/**
 * Parses a request body as JSON. Invalid bytes become U+FFFD: keys of `fieldsV1` contain any bytes that users wrote. Keys `__proto__` are
 * dropped. The last of equal keys takes effect, as in the API server. Throws `Invalid` if the body is not JSON.
 */
export function readBody(body: Buffer): unknown {
  const text = body.toString('utf8');
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw new PortcullisError('Invalid', `the body is not JSON: ${messageOf(error).slice(0, 200)}`);
  }
  // A key can also be written with escapes: `\u005f` for an underscore.
  if (text.includes(POLLUTER) || text.includes('\\u')) withoutPolluters(value);
  return value;
}
