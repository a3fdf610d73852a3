import { createHash } from 'node:crypto';
import type { Desired, Wanted } from './state.ts';

/** JSON with the keys of every object in order, so that equal values have equal texts. */
const canonical = (value: unknown): string =>
  JSON.stringify(value, (_key, item: unknown) =>
    typeof item === 'object' && item !== null && !Array.isArray(item)
      ? Object.fromEntries(Object.entries(item).sort(([left], [right]) => (left < right ? -1 : 1)))
      : item,
  );

/** SHA-256 of a value, 64 hexadecimal digits. */
export const hash = (value: unknown): string => createHash('sha256').update(canonical(value)).digest('hex');

/** What a Service asks of the cloud, as 40 hexadecimal digits that fit into a label. Equal digests ask for the same. */
export const digestOf = (desired: Desired | Wanted, ...also: readonly string[]): string =>
  hash(also.length === 0 ? desired : [desired, ...also]).slice(0, 40);
