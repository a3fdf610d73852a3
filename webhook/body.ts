import { isUtf8 } from 'node:buffer';
import { PortcullisError, messageOf } from '../src/errors.ts';

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
 * A request's body as JSON. Keys `__proto__` are left out: any user can send them, because mutating webhooks run before keys are
 * validated, and refusing the body would let such an object pass under `failurePolicy: Ignore`. Of equal keys the last one counts, as
 * in the API server. Throws `InvalidObject` when it is no JSON in UTF-8.
 */
export function readBody(body: Buffer): unknown {
  if (!isUtf8(body)) throw new PortcullisError('InvalidObject', 'the body is not UTF-8');
  const text = body.toString('utf8');
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw new PortcullisError('InvalidObject', `the body is not JSON: ${messageOf(error).slice(0, 200)}`);
  }
  // A key can also be written with escapes: `\u005f` for an underscore.
  if (text.includes(POLLUTER) || text.includes('\\u')) withoutPolluters(value);
  return value;
}
