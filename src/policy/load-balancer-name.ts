import { createHash } from 'node:crypto';

/** Names of load balancers that every console and tool takes. */
const LONGEST_NAME = 80;
const HASH_LENGTH = 8;

/** A name that is too long is cut, and told apart from others that begin alike by a hash of all of it. */
export function cutName(name: string): string {
  if (name.length <= LONGEST_NAME) return name;
  const hash = createHash('sha256').update(name).digest('hex').slice(0, HASH_LENGTH);
  return `${name.slice(0, LONGEST_NAME - HASH_LENGTH - 1)}-${hash}`;
}
