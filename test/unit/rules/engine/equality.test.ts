import assert from 'node:assert/strict';
import { isSame } from '../../../../src/rules/engine/equality.ts';

const json = (text: string): unknown => JSON.parse(text);

describe('two values out of JSON', () => {
  const same: Readonly<Record<string, readonly [string, string]>> = {
    'whatever the order of keys': ['{"a":1,"b":[{"c":null}]}', '{"b":[{"c":null}],"a":1}'],
    'with a key that objects inherit': ['{"__proto__":{"x":1}}', '{"__proto__":{"x":1}}'],
    'nested deeper than any stack': ['['.repeat(1e5) + ']'.repeat(1e5), '['.repeat(1e5) + ']'.repeat(1e5)],
  };
  for (const [sentence, [left, right]] of Object.entries(same)) {
    it(`are the same ${sentence}`, () => assert.ok(isSame(json(left), json(right))));
  }

  const different: Readonly<Record<string, readonly [string, string]>> = {
    'another text': ['{"a":"1"}', '{"a":"2"}'],
    'a number for a text': ['{"a":1}', '{"a":"1"}'],
    'another order in a list': ['[1,2]', '[2,1]'],
    'a list for an object': ['[]', '{}'],
    'nothing for an object': ['{"a":null}', '{"a":{}}'],
    'one key more': ['{"a":1}', '{"a":1,"b":1}'],
    'another key': ['{"a":1}', '{"b":1}'],
    'a key of its own for one that is inherited': ['{"a":1}', '{"toString":1}'],
    'a key for one that is inherited, and as empty': ['{"__proto__":{}}', '{"a":1}'],
  };
  for (const [sentence, [left, right]] of Object.entries(different)) {
    it(`differ by ${sentence}`, () => {
      assert.ok(!isSame(json(left), json(right)));
      assert.ok(!isSame(json(right), json(left)));
    });
  }
});
