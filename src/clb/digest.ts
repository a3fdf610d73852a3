import { createHash } from 'node:crypto';
import type { Desired, Wanted } from './state.ts';

/** Plain data with the keys of every object in order, so that equal values have equal texts. */
function inOrder(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(inOrder);
  const members = value as Readonly<Record<string, unknown>>;
  const ordered: Record<string, unknown> = {};
  for (const key of Object.keys(members).sort()) {
    const member = inOrder(members[key]);
    // The name of a tag may be anything, and this one is no property when it is assigned to.
    if (key === '__proto__') Object.defineProperty(ordered, key, { value: member, enumerable: true });
    else ordered[key] = member;
  }
  return ordered;
}

/** SHA-256 of a value, 64 hexadecimal digits. */
export const hash = (value: unknown): string =>
  createHash('sha256')
    .update(JSON.stringify(inOrder(value)))
    .digest('hex');

/** What a Service asks of the cloud, as 40 hexadecimal digits that fit into a label. Equal digests ask for the same. */
export const digestOf = (desired: Desired | Wanted, ...also: readonly string[]): string =>
  hash(also.length === 0 ? desired : [desired, ...also]).slice(0, 40);
