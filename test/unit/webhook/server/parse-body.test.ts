import assert from 'node:assert/strict';
import { parseBody } from '../../../../webhook/server/parse-body.ts';

const read = (text: string): unknown => parseBody(Buffer.from(text));

/** A tenant can send any JSON, so the parser must neither crash nor change objects of the process. */
describe('the body of a request', () => {
  const readable: Record<string, { text?: string; bytes?: number[]; value: unknown }> = {
    'is JSON': { text: '{"a":[1,"ü"]}', value: { a: [1, 'ü'] } },
    'with equal keys has the last value': { text: '{"a":1,"a":2}', value: { a: 2 } },
    'can have keys that objects inherit': {
      text: '{"constructor":"x","hasOwnProperty":"y"}',
      value: { constructor: 'x', hasOwnProperty: 'y' },
    },
    'has U+FFFD for each byte that is not UTF-8': {
      bytes: [...Buffer.from('{"f:'), 0xff, 0xfe, ...Buffer.from('":"'), 0xed, 0xa0, 0x80, ...Buffer.from('"}')],
      value: { 'f:\ufffd\ufffd': '\ufffd\ufffd\ufffd' },
    },
    'can have half of a character as an escape': { text: '{"f:\\ud800":1}', value: { 'f:\ud800': 1 } },
    'loses a __proto__ at any depth': { text: '{"a":[{"__proto__":{"x":1},"b":1}]}', value: { a: [{ b: 1 }] } },
    'loses a __proto__ written with escapes': { text: '{"\\u005f_proto__":{"x":1},"b":1}', value: { b: 1 } },
    'loses a __proto__ inside another': { text: '{"__proto__":{"__proto__":{"x":1}}}', value: {} },
  };
  for (const [title, { text = '', bytes, value }] of Object.entries(readable)) {
    it(title, () => assert.deepEqual(parseBody(Buffer.from(bytes ?? Buffer.from(text))), value));
  }

  it('leaves the prototype of all objects unchanged', () => {
    read('{"__proto__":{"polluted":true}}');
    assert.equal(({} as Record<string, unknown>)['polluted'], undefined);
  });

  it('can be nested deeper than any stack', () => {
    const deep = `{"__proto__":${'['.repeat(200_000)}${']'.repeat(200_000)},"a":${'['.repeat(200_000)}${']'.repeat(200_000)}}`;
    assert.doesNotThrow(() => read(deep));
  });

  const unreadable: Record<string, { body: Buffer; message: RegExp }> = {
    'that is truncated is rejected': { body: Buffer.from('{"a":'), message: /not JSON/ },
    'that is empty is rejected': { body: Buffer.alloc(0), message: /not JSON/ },
    'in another encoding is rejected': { body: Buffer.from('{"a":1}', 'utf16le'), message: /not JSON/ },
    'with half a character at its end is rejected': { body: Buffer.from('"ü"').subarray(0, 2), message: /not JSON/ },
  };
  for (const [title, { body, message }] of Object.entries(unreadable)) {
    it(title, () => assert.throws(() => parseBody(body), { reason: 'Invalid', message }));
  }
});
