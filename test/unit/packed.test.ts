import assert from 'node:assert/strict';
import { pack, unpack } from '../../src/packed.ts';

const values: Readonly<Record<string, object>> = {
  'an empty object': {},
  'a list': [1, 'two', null, { three: [] }],
  'maps, sets, and what JSON has no word for': {
    map: new Map([['a', undefined]]),
    set: new Set(['b']),
    never: Infinity,
    nothing: undefined,
  },
  'text beyond Latin-1': { name: '负载均衡 ☃ 🚦', empty: '', key: '\u0000\u00ff' },
};

describe('packing', () => {
  for (const [sentence, value] of Object.entries(values)) {
    it(`gives back ${sentence}`, () => assert.deepEqual(unpack(pack(value)), value));
  }

  it('makes what repeats itself smaller', () => {
    const value = Array.from({ length: 100 }, (_, at) => ({ serverId: `i-${at}`, port: 30_080, weight: 100 }));
    assert.ok(pack(value).length < JSON.stringify(value).length / 5);
  });
});
