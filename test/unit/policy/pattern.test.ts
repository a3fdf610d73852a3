import assert from 'node:assert/strict';
import fc from 'fast-check';
import { patternsOf, unknownVariable } from '../../../src/policy/pattern.ts';

const NAMES = { cluster: 'c1', namespace: 'shop', name: 'web' };
const isLike = (pattern: string, text: string) => patternsOf([pattern]).matches(text, NAMES);

/** Administrators write patterns, and tenants write the matched texts, so a backtracking match could block the webhook. */
describe('a pattern', () => {
  const rows: readonly (readonly [pattern: string, text: string, matches: boolean])[] = [
    ['slb.s1.small', 'slb.s1.small', true],
    ['slb.s1.small', 'slb.s1.smal', false],
    ['slb.s1.*', 'slb.s1.small', true],
    ['slb.s1.*', 'slb.s1.', true],
    ['slb.s1.*', 'slb.s2.small', false],
    ['*', '', true],
    ['*-prod', 'shop-prod', true],
    ['*-prod', 'shop-prod-2', false],
    ['a*a', 'a', false],
    ['a*a', 'aa', true],
    ['a*b*c', 'a-b-b-c', true],
    ['a*bb*c', 'a-b-c', false],
    ['a*b*b', 'ab', false],
    ['**', 'x', true],
    ['.*', 'x', false],
    ['a+', 'aa', false],
    ['*.example.com:*', '*.example.com:1_c', true],
  ];
  for (const [pattern, text, matches] of rows) {
    it(`${pattern} ${matches ? 'matches' : 'does not match'} ${JSON.stringify(text)}`, () => {
      assert.equal(isLike(pattern, text), matches);
    });
  }

  it('matches like the equivalent regular expression', () => {
    const anyText = fc.string({ unit: fc.constantFrom('a', 'b'), maxLength: 8 });
    const anyPattern = fc.string({ unit: fc.constantFrom('a', 'b', '*'), maxLength: 6 });
    fc.assert(
      fc.property(anyPattern, anyText, (pattern, text) => {
        assert.equal(isLike(pattern, text), new RegExp(`^${pattern.replaceAll('*', '.*')}$`).test(text));
      }),
      { numRuns: 2_000, seed: 1 },
    );
  });

  it('needs linear time in text and parts', () => {
    const text = 'a'.repeat(200_000);
    assert.equal(isLike(`${'a*'.repeat(100)}b`, text), false);
  });
});

describe('patterns with variables', () => {
  it('refer to the evaluated object', () => {
    const patterns = patternsOf(['${cluster}-${namespace}-*']);
    assert.equal(patterns.matches('c1-shop-web', NAMES), true);
    assert.equal(patterns.matches('c1-bank-web', NAMES), false);
    assert.equal(patternsOf(['*-${name}-*${namespace}']).matches('x-web--shop', NAMES), true);
    assert.equal(patternsOf(['*-${name}-*${namespace}']).matches('x-web-shopping', NAMES), false);
    assert.equal(patterns.isConstant, false);
  });

  it('refer to each of several objects', () => {
    const patterns = patternsOf(['${namespace}-${name}']);
    for (const [namespace, name] of [
      ['shop', 'web'],
      ['bank', 'web'],
      ['bank', 'api'],
      ['shop', 'web'],
    ] as const) {
      assert.equal(patterns.matches(`${namespace}-${name}`, { ...NAMES, namespace, name }), true);
      assert.equal(patterns.matches('shop-api', { ...NAMES, namespace, name }), false);
    }
  });

  it('are undecided with an unknown name, unless another pattern matches', () => {
    const unknown = { ...NAMES, cluster: '' };
    assert.equal(patternsOf(['${cluster}-*']).matches('c1-x', unknown), undefined);
    assert.equal(patternsOf(['${cluster}-*', 'c1-*']).matches('c1-x', unknown), true);
  });

  it('have no other variables', () => {
    assert.equal(unknownVariable('${cluster}-${user}'), 'user');
    assert.equal(unknownVariable('${constructor}'), 'constructor');
    assert.equal(unknownVariable('${name}'), undefined);
  });
});
