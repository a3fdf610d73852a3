import assert from 'node:assert/strict';
import fc from 'fast-check';
import { ENTRIES } from '../../../src/annotation/catalogue.ts';
import { currentKeyOf, deprecatedFormsOf } from '../../../src/annotation/deprecated-key-index.ts';
import { parseAnnotations, type ParsedAnnotations } from '../../../src/annotation/parse.ts';
import { entriesOf } from '../../support/option-entries.ts';

const PREFIXES = ['service.beta.kubernetes.io/alibaba-cloud-loadbalancer-', 'service.beta.kubernetes.io/alicloud-'];
const KEYS = ENTRIES.flatMap(([, entry]) => [entry.key, ...entry.deprecated]);
const EXAMPLES = ENTRIES.map(([, entry]) => entry.example);

const someKey = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom(...KEYS) },
  fc.tuple(fc.constantFrom(...PREFIXES), fc.string()).map(([prefix, rest]) => prefix + rest),
  fc.constantFrom('__proto__', 'constructor', 'toString', 'hasOwnProperty'),
  fc.string(),
);
const someText = fc.oneof(
  fc.constantFrom('', 'on', 'Off', 'true', '"true"', '0', '-520', 'http:80,https:443', '__proto__=x', ...EXAMPLES),
  fc.integer().map(String),
  fc.string({ unit: 'binary' }),
);
const somePairs = fc.array(fc.tuple(someKey, someText), { maxLength: 40 });

/** Returns a map as `JSON.parse` creates it: every key is an own property, including `__proto__`. */
const toMap = (pairs: readonly (readonly [string, string])[]): Record<string, string> => Object.fromEntries(pairs);

/** Rewrites keys as the webhook does: a deprecated key sets the current key if the current key is missing. */
function rewritten(annotations: Readonly<Record<string, string>>): Record<string, string> {
  const result = new Map(Object.entries(annotations));
  for (const [, { key }] of ENTRIES) {
    const forms = deprecatedFormsOf(key).filter((form) => result.has(form));
    const [strongest] = forms;
    if (strongest !== undefined && !result.has(key)) result.set(key, result.get(strongest) ?? '');
    for (const form of forms) result.delete(form);
  }
  return Object.fromEntries(result);
}

const comparable = (parsed: ParsedAnnotations) => ({
  ...parsed,
  keys: [...parsed.keys],
  options: entriesOf(parsed.options),
});

/** Users can write any annotation. The parser must never fail, and must report each key of ours. */
describe('the parser of annotations', () => {
  it('handles every input, and accounts for every key with our prefixes', () => {
    fc.assert(
      fc.property(somePairs, (pairs) => {
        const annotations = toMap(pairs);
        const parsed = parseAnnotations(annotations);
        for (const option of Object.keys(entriesOf(parsed.options))) assert.ok(parsed.keys.has(option as never));
        for (const [, key] of parsed.keys) assert.ok(Object.hasOwn(annotations, key));
        for (const { key, value } of parsed.issues) assert.equal(annotations[key], value);
        for (const [option] of parsed.keys) {
          assert.ok(parsed.options[option] !== undefined || parsed.issues.some((issue) => issue.option === option));
        }
      }),
      { numRuns: 500 },
    );
  });

  it('does not depend on the order of the keys', () => {
    fc.assert(
      fc.property(somePairs, fc.array(fc.nat(), { minLength: 40, maxLength: 40 }), (pairs, ranks) => {
        const entries = Object.entries(toMap(pairs));
        const ranked = entries.map((entry, at) => ({ entry, rank: ranks[at] ?? 0 }));
        const shuffled = ranked.sort((left, right) => left.rank - right.rank).map(({ entry }) => entry);
        const [left, right] = [parseAnnotations(toMap(shuffled)), parseAnnotations(toMap(entries))];
        assert.deepEqual(comparable(left), comparable(right));
      }),
    );
  });

  it('changes neither its input nor the prototype of all objects', () => {
    const inherited = Object.getOwnPropertyNames(Object.prototype);
    fc.assert(
      fc.property(somePairs, (pairs) => {
        const annotations = Object.freeze(toMap(pairs));
        parseAnnotations(annotations);
        assert.deepEqual(Object.getOwnPropertyNames(Object.prototype), inherited);
      }),
    );
  });

  it('reads the same result after the keys are rewritten, which is idempotent', () => {
    fc.assert(
      fc.property(somePairs, (pairs) => {
        const annotations = toMap(pairs);
        const once = rewritten(annotations);
        assert.deepEqual(entriesOf(parseAnnotations(once).options), entriesOf(parseAnnotations(annotations).options));
        assert.deepEqual(parseAnnotations(once).deprecated, []);
        assert.deepEqual(rewritten(once), once);
      }),
    );
  });
});

describe('a deprecated form', () => {
  it('leads to a current key without a further replacement', () => {
    for (const [, { key, deprecated }] of ENTRIES) {
      assert.equal(currentKeyOf(key), undefined);
      for (const form of deprecated) assert.equal(currentKeyOf(form), key);
      assert.deepEqual(deprecatedFormsOf(key), deprecated);
    }
  });

  it('never exists for foreign keys', () => {
    for (const key of ['__proto__', 'constructor', '', 'a/b']) {
      assert.equal(currentKeyOf(key), undefined);
      assert.deepEqual(deprecatedFormsOf(key), []);
    }
  });
});
