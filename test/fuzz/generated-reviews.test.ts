import assert from 'node:assert/strict';
import { ALL_RULES } from '../../webhook/admission/validate.ts';
import type { Rule } from '../../src/rules/rule.ts';
import { caseOf } from './case.ts';
import { examine } from './review-check.ts';
import { factOf } from './annotation-facts.ts';
import { fuzz } from './fuzz.ts';
import { expectedFor, type Expected } from './oracle.ts';

const SEED = 20_260_101;

/** Runs a short part of the fuzzing in each test run, so that a broken generator is noticed. */
describe('generated reviews', () => {
  it('neither crash nor block the webhook, and get the expected decisions', async function () {
    this.timeout(60_000);
    const report = await fuzz({ seed: SEED, count: 8_000 });
    assert.deepEqual(report.failures, []);
    assert.ok(report.overTheWire >= 50);
    for (const decision of ['allowed', 'warned', 'denied', 'unreadable']) {
      assert.ok((report.decisions[decision] ?? 0) > 200, `${decision}: ${JSON.stringify(report.decisions)}`);
    }
  });

  it('are the same for the same seed, and different for another seed', () => {
    const bodies = (seed: number): string[] => Array.from({ length: 50 }, (_, at) => caseOf(seed, at).body.toString());
    assert.deepEqual(bodies(SEED), bodies(SEED));
    assert.notDeepEqual(bodies(SEED), bodies(SEED + 1));
  });

  it('are readable with any stored content that the API server encodes', () => {
    const odd = Array.from({ length: 4_000 }, (_, at) => caseOf(SEED, at)).filter(
      ({ written }) => written !== undefined,
    );
    const texts = odd.map(({ body }) => body.toString('latin1'));
    for (const part of ['"time":null', '"fieldsV1":null', '\u00ff', '\\ud800', '\\u003c', '\\u2028', '"extra":{']) {
      assert.ok(
        texts.some((text) => text.includes(part)),
        part,
      );
    }
    assert.deepEqual(
      odd.flatMap((one) => examine(one).failure ?? []),
      [],
    );
  });

  const withRule = (name: string, change: (rule: Rule) => Rule[]) => ({
    ...ALL_RULES,
    service: ALL_RULES.service.flatMap((rule) => (rule.name === name ? change(rule) : [rule])),
  });
  const planted = {
    'a missing rule for values': [withRule('annotation-value', () => []), /must be denied, and was/],
    'a rule that throws': [
      withRule('controller-metadata', (rule) => [
        {
          ...rule,
          check: () => {
            throw new Error('planted');
          },
        },
      ]),
      /rule controller-metadata threw: Error: planted/,
    ],
    'a rule that denies a valid value': [
      withRule('annotation-value', (rule) => [
        {
          ...rule,
          check: ({ parsed }) =>
            [...parsed.keys].map(([, key]) => ({
              field: `metadata.annotations[${key}]`,
              reason: 'Forbidden',
              value: '',
              detail: 'no value',
            })),
        },
      ]),
      /must be valid, and was denied/,
    ],
  } as const;
  for (const [title, [rules, failure]] of Object.entries(planted)) {
    it(`report ${title}`, () => {
      const failures = Array.from({ length: 300 }, (_, at) => examine(caseOf(SEED, at), rules).failure ?? '');
      assert.ok(failures.some((text) => failure.test(text)));
    });
  }
});

/** Values, each with its `Expected` result. */
describe('the expected result of a value', () => {
  const rows: readonly (readonly [name: string, text: string, expected: Expected])[] = [
    ['address-type', 'intranet', 'valid'],
    ['address-type', 'Intranet', 'denied'],
    ['backend-type', 'ECS', 'warned'],
    ['backend-type', 'pods', 'reported'],
    ['proxy-protocol', 'false', 'warned'],
    ['proxy-protocol', 'true', 'reported'],
    ['ignore-weight-update', 'ON', 'valid'],
    ['preserve-lb-on-delete', 'false', 'warned'],
    ['preserve-lb-on-delete', 'yes', 'allowed'],
    ['bandwidth', '5120', 'valid'],
    ['bandwidth', '5121', 'denied'],
    ['bandwidth', '0', 'warned'],
    ['persistence-timeout', '0', 'valid'],
    ['weight', '-1', 'denied'],
    ['weight', '１', 'denied'],
    ['health-check-connect-port', '-520', 'valid'],
    ['id', 'lb-bp1', 'valid'],
    ['id', 'lb-a,lb-b', 'denied'],
    ['id', 'lb-xxx', 'any'],
    ['name', 'n'.repeat(129), 'denied'],
    ['name', '订单', 'allowed'],
    ['protocol-port', 'http:80,https:443', 'valid'],
    ['protocol-port', 'sctp:80', 'denied'],
    ['protocol-port', 'http:80,x', 'reported'],
    ['additional-resource-tags', 'a=1,b', 'valid'],
    ['additional-resource-tags', 'a=1,acs:b=1', 'denied'],
    ['additional-resource-tags', 'a=1=2', 'any'],
    ['hostname', 'www.example.com', 'valid'],
    ['hostname', '*.example.com', 'denied'],
    ['hostname', '192.168.10.35', 'denied'],
    ['hostname', '192.168.010.35', 'denied'],
    ['hostname', '192.168.10.356', 'valid'],
    ['ip', '10.0.0.256', 'denied'],
    ['acl-id', 'acl-a,acl-b', 'warned'],
    ['spec', 'slb.s9.new', 'warned'],
  ];
  for (const [name, text, expected] of rows) {
    it(`is ${expected} for "${text.slice(0, 30)}" in ${name}`, () =>
      assert.equal(expectedFor(factOf(name), text), expected));
  }
});
