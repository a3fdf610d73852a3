import { hash as digestOfText } from 'node:crypto';
import type { Desired, Wanted } from '../model/state.ts';

/** Whether an object holds no others, and its keys are in order: most of what is digested are such. */
function isPlainAndInOrder(members: Readonly<Record<string, unknown>>): boolean {
  let last = '';
  for (const key in members) {
    if (key < last || typeof members[key] === 'object') return false;
    last = key;
  }
  return true;
}

/** Plain data with the keys of every object in order, so that equal values have equal texts. */
function inOrder(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(inOrder);
  const members = value as Readonly<Record<string, unknown>>;
  if (isPlainAndInOrder(members)) return members;
  const keys = Object.keys(members).sort();
  return Object.fromEntries(keys.map((key) => [key, inOrder(members[key])]));
}

/** SHA-256 of a value, 64 hexadecimal digits. */
export const hash = (value: unknown): string => digestOfText('sha256', JSON.stringify(inOrder(value)));

/** What a Service asks of the cloud, as 40 hexadecimal digits that fit into a label. Equal digests ask for the same. */
export const digestOf = (desired: Desired | Wanted, ...also: readonly string[]): string =>
  hash(also.length === 0 ? desired : [desired, ...also]).slice(0, 40);
