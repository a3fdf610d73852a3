import { hash as digestOfText } from 'node:crypto';
import type { Desired, WantedResources } from '../model/desired-and-observed-state.ts';

/** Returns whether an object contains no other objects and has sorted keys, so that `inOrder` need not copy the object. */
function isPlainAndInOrder(members: Readonly<Record<string, unknown>>): boolean {
  let last = '';
  for (const key in members) {
    if (key < last || typeof members[key] === 'object') return false;
    last = key;
  }
  return true;
}

/** Returns plain data with sorted keys in every object, so that equal values have equal texts. */
function inOrder(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(inOrder);
  const members = value as Readonly<Record<string, unknown>>;
  if (isPlainAndInOrder(members)) return members;
  const keys = Object.keys(members).sort();
  return Object.fromEntries(keys.map((key) => [key, inOrder(members[key])]));
}

/** Returns the SHA-256 of a value as 64 hexadecimal digits. Equal values have equal digests, regardless of the order of keys. */
export const hash = (value: unknown): string => digestOfText('sha256', JSON.stringify(inOrder(value)));

/** Returns the digest of a desired state, 40 hexadecimal digits. `also` contains requested properties that `desired` omits. */
export const digestOf = (desired: Desired | WantedResources, ...also: readonly string[]): string =>
  hash(also.length === 0 ? desired : [desired, ...also]).slice(0, 40);
