import { PortcullisError, messageOf } from '../../src/base/errors.ts';

const POLLUTER = '__proto__';

/** Deletes every key `__proto__` at any depth. Uses no recursion, because the sender chooses the depth. */
function deletePolluters(root: unknown): void {
  const pending = [root];
  for (let value = pending.pop(); value !== undefined; value = pending.pop()) {
    if (typeof value !== 'object' || value === null) continue;
    if (Object.hasOwn(value, POLLUTER)) Reflect.deleteProperty(value, POLLUTER);
    for (const child of Object.values(value) as unknown[]) {
      if (typeof child === 'object' && child !== null) pending.push(child);
    }
  }
}

/** Parses the body of a review as JSON, without keys `__proto__`. Throws `Invalid` if the body is not JSON. */
export function parseBody(body: Buffer): unknown {
  // Replaces invalid UTF-8 instead of throwing, because keys of `fieldsV1` can contain any bytes.
  const text = body.toString('utf8');
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw new PortcullisError('Invalid', `the body is not JSON: ${messageOf(error).slice(0, 200)}`);
  }
  // JSON can also write the key with escapes, such as `\u005f` for an underscore.
  if (text.includes(POLLUTER) || text.includes('\\u')) deletePolluters(value);
  return value;
}
