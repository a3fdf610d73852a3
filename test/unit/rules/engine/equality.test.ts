import assert from 'node:assert/strict';
import { isSame } from '../../../../src/rules/engine/equality.ts';

const json = (text: string): unknown => JSON.parse(text);

/** The comparison decides whether a violation is new. */
describe('two JSON values', () => {
  const same: Readonly<Record<string, readonly [string, string]>> = {
    'with any order of keys': ['{"a":1,"b":[{"c":null}]}', '{"b":[{"c":null}],"a":1}'],
    'with a key that objects inherit': ['{"__proto__":{"x":1}}', '{"__proto__":{"x":1}}'],
    'with nesting deeper than any stack': ['['.repeat(1e5) + ']'.repeat(1e5), '['.repeat(1e5) + ']'.repeat(1e5)],
  };
  for (const [title, [left, right]] of Object.entries(same)) {
    it(`are equal ${title}`, () => assert.ok(isSame(json(left), json(right))));
  }

  const different: Readonly<Record<string, readonly [string, string]>> = {
    'another text': ['{"a":"1"}', '{"a":"2"}'],
    'a number instead of a text': ['{"a":1}', '{"a":"1"}'],
    'another order in a list': ['[1,2]', '[2,1]'],
    'a list instead of an object': ['[]', '{}'],
    'null instead of an object': ['{"a":null}', '{"a":{}}'],
    'an additional key': ['{"a":1}', '{"a":1,"b":1}'],
    'another key': ['{"a":1}', '{"b":1}'],
    'an own key instead of an inherited key': ['{"a":1}', '{"toString":1}'],
    'an own key with an empty object instead of an inherited key': ['{"__proto__":{}}', '{"a":1}'],
  };
  for (const [title, [left, right]] of Object.entries(different)) {
    it(`differ by ${title}`, () => {
      assert.ok(!isSame(json(left), json(right)));
      assert.ok(!isSame(json(right), json(left)));
    });
  }
});
