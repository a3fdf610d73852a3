import assert from 'node:assert/strict';
import { parseCidr, type Cidr } from '../../src/node/cidr.ts';

/** Parses a range of addresses in CIDR notation, which must be valid. */
export const range = (text: string): Cidr => {
  const cidr = parseCidr(text);
  assert.ok(cidr !== undefined, text);
  return cidr;
};
