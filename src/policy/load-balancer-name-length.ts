import { createHash } from 'node:crypto';

/** The maximum length of a load balancer name, in characters, although some documentation pages of Alibaba Cloud allow longer names. */
const LONGEST_NAME = 80;
const HASH_LENGTH = 8;

/** Cuts a load balancer name that is too long. A hash of the full name keeps the cut name unique. */
export function cutName(name: string): string {
  if (name.length <= LONGEST_NAME) return name;
  const hash = createHash('sha256').update(name).digest('hex').slice(0, HASH_LENGTH);
  return `${name.slice(0, LONGEST_NAME - HASH_LENGTH - 1)}-${hash}`;
}
