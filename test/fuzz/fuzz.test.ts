import assert from 'node:assert/strict';
import { ALL_RULES } from '../../webhook/admission/validate.ts';
import type { Rule } from '../../src/rules/rule.ts';
import { caseOf } from './case.ts';
import { examine } from './examine.ts';
import { factOf } from './facts.ts';
import { fuzz } from './fuzz.ts';
import { rightFor, type Right } from './oracle.ts';

const SEED = 20_260_101;

describe('generated reviews', () => {
  it('neither crash nor hang the webhook, and get the verdicts that the facts ask for', async function () {
    this.timeout(60_000);
    const report = await fuzz({ seed: SEED, count: 8_000 });
    assert.deepEqual(report.complaints, []);
    assert.ok(report.overTheWire >= 50);
    for (const decision of ['allowed', 'warned', 'denied', 'unreadable']) {
      assert.ok((report.decisions[decision] ?? 0) > 200, `${decision}: ${JSON.stringify(report.decisions)}`);
    }
  });

  it('are the same for the same seed, and others for another', () => {
    const bodies = (seed: number): string[] => Array.from({ length: 50 }, (_, at) => caseOf(seed, at).body.toString());
    assert.deepEqual(bodies(SEED), bodies(SEED));
    assert.notDeepEqual(bodies(SEED), bodies(SEED + 1));
  });

  it("in the API server's own encoding are read, whatever users have stored", () => {
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
      odd.flatMap((one) => examine(one).complaint ?? []),
      [],
    );
  });

  const withRule = (name: string, change: (rule: Rule) => Rule[]) => ({
    ...ALL_RULES,
    service: ALL_RULES.service.flatMap((rule) => (rule.name === name ? change(rule) : [rule])),
  });
  const planted = {
    'a rule for values that is missing': [withRule('annotation-value', () => []), /is to be denied, and became/],
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
    'a rule that denies what is right': [
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
      /is to be fine, and became denied/,
    ],
  } as const;
  for (const [sentence, [rules, complaint]] of Object.entries(planted)) {
    it(`would show ${sentence}`, () => {
      const complaints = Array.from({ length: 300 }, (_, at) => examine(caseOf(SEED, at), rules).complaint ?? '');
      assert.ok(complaints.some((text) => complaint.test(text)));
    });
  }
});

describe('what is right by the facts', () => {
  const rows: readonly (readonly [name: string, text: string, right: Right])[] = [
    ['address-type', 'intranet', 'fine'],
    ['address-type', 'Intranet', 'denied'],
    ['backend-type', 'ECS', 'told'],
    ['backend-type', 'pods', 'said'],
    ['proxy-protocol', 'false', 'told'],
    ['proxy-protocol', 'true', 'said'],
    ['ignore-weight-update', 'ON', 'fine'],
    ['preserve-lb-on-delete', 'false', 'told'],
    ['preserve-lb-on-delete', 'yes', 'unrefused'],
    ['bandwidth', '5120', 'fine'],
    ['bandwidth', '5121', 'denied'],
    ['bandwidth', '0', 'told'],
    ['persistence-timeout', '0', 'fine'],
    ['weight', '-1', 'denied'],
    ['weight', '１', 'denied'],
    ['health-check-connect-port', '-520', 'fine'],
    ['id', 'lb-bp1', 'fine'],
    ['id', 'lb-a,lb-b', 'denied'],
    ['id', 'lb-xxx', 'any'],
    ['name', 'n'.repeat(129), 'denied'],
    ['name', '订单', 'unrefused'],
    ['protocol-port', 'http:80,https:443', 'fine'],
    ['protocol-port', 'sctp:80', 'denied'],
    ['protocol-port', 'http:80,x', 'said'],
    ['additional-resource-tags', 'a=1,b', 'fine'],
    ['additional-resource-tags', 'a=1,acs:b=1', 'denied'],
    ['additional-resource-tags', 'a=1=2', 'any'],
    ['hostname', 'www.example.com', 'fine'],
    ['hostname', '*.example.com', 'denied'],
    ['hostname', '192.168.10.35', 'denied'],
    ['hostname', '192.168.010.35', 'denied'],
    ['hostname', '192.168.10.356', 'fine'],
    ['ip', '10.0.0.256', 'denied'],
    ['acl-id', 'acl-a,acl-b', 'told'],
    ['spec', 'slb.s9.new', 'told'],
  ];
  for (const [name, text, right] of rows) {
    it(`"${text.slice(0, 30)}" as ${name} is to be ${right}`, () => assert.equal(rightFor(factOf(name), text), right));
  }
});
