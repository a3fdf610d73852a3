import assert from 'node:assert/strict';
import { parseCidr, type Cidr } from '../../src/node/cidr.ts';

/** A range that is written right. */
export const range = (text: string): Cidr => {
  const cidr = parseCidr(text);
  assert.ok(cidr !== undefined, text);
  return cidr;
};
