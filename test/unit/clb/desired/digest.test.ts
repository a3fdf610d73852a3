import assert from 'node:assert/strict';
import { hash } from '../../../../src/clb/desired/digest.ts';

/** Values with the first 16 digits of their digests, which must be the same in every version. */
const DIGESTS: Readonly<Record<string, readonly [value: unknown, digest: string]>> = {
  'lists, nested objects, null and text beyond ASCII': [
    { b: [{ d: 1, c: 'ü' }], a: null, n: undefined, e: {} },
    '6a70d046460ced04',
  ],
  'a tag with an unusual name': [JSON.parse('{"b":1,"__proto__":"x","a":2}'), 'b6df1142b8268f08'],
  'names that are numbers': [{ '10': 1, a: 2, '9': 3, '-': 4 }, '6c209251d97a4dbb'],
  'a text': ['text', '1e1d0f251d3a76fa'],
  'a value without a JSON form': [[undefined, Infinity, true], '1cc61e13539ce66b'],
};

/** Bindings store digests, so with other digests after an upgrade, the controller would read every Service again. */
describe('a digest', () => {
  for (const [title, [value, digest]] of Object.entries(DIGESTS))
    it(`of ${title} stays the same`, () => assert.equal(hash(value).slice(0, 16), digest));

  it('does not depend on the order of names', () =>
    assert.equal(hash({ a: { b: 1, c: 2 }, d: 3 }), hash({ d: 3, a: { c: 2, b: 1 } })));
});
