import assert from 'node:assert/strict';
import { pack, packJson, unpack, unpackJson } from '../../../src/base/object-packing.ts';

const json: Readonly<Record<string, object>> = {
  'an empty object': {},
  'a list': [1, 'two', null, { three: [] }],
  'text beyond Latin-1': { name: '负载均衡 ☃ 🚦', empty: '', key: '\u0000\u00ff' },
  'a value that is large enough for compression': { names: Array.from({ length: 1_000 }, (_, at) => `节点-${at}`) },
};
const values: Readonly<Record<string, object>> = {
  ...json,
  'maps, sets, and values without a JSON form': {
    map: new Map([['a', undefined]]),
    set: new Set(['b']),
    never: Infinity,
    nothing: undefined,
  },
};

/** Caches pack objects to save memory. A packed object must be restored without a difference. */
describe('packing', () => {
  for (const [title, value] of Object.entries(values))
    it(`restores ${title}`, () => assert.deepEqual(unpack(pack(value)), value));

  for (const [title, value] of Object.entries(json))
    it(`restores ${title} as JSON`, () => assert.deepEqual(unpackJson(packJson(value)), value));

  it('compresses repetitive values', () => {
    const value = Array.from({ length: 100 }, (_, at) => ({ serverId: `i-${at}`, port: 30_080, weight: 100 }));
    for (const packed of [pack(value), packJson(value)]) assert.ok(packed.length < JSON.stringify(value).length / 5);
  });
});
