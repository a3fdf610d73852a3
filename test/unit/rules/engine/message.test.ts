import assert from 'node:assert/strict';
import type { Finding } from '../../../../src/rules/engine/evaluate.ts';
import { violationMessage } from '../../../../src/rules/engine/message.ts';

const FAULT = { field: 'spec.ports[0].port', found: '0', allowed: 'a port', fix: 'write one' };
const RULE = { name: 'port', tier: 'hygiene', tunable: true } as const;

const finding = (changed: Partial<typeof FAULT> = {}, beside: Partial<Finding> = {}): Finding => ({
  rule: RULE,
  fault: { ...FAULT, ...changed },
  ...beside,
});

const SAID: Readonly<Record<string, readonly [Finding, string]>> = {
  'what was found': [finding(), 'found "0", allowed: a port; write one (portcullis explain port)'],
  'another value of the same field': [
    finding({ found: '-1' }),
    'found "-1", allowed: a port; write one (portcullis explain port)',
  ],
  'that nothing was': [finding({ found: '' }), 'nothing is set, allowed: a port; write one (portcullis explain port)'],
  'what else is allowed': [finding({ allowed: 'two' }), 'found "0", allowed: two; write one (portcullis explain port)'],
  'what else to do': [finding({ fix: 'wait' }), 'found "0", allowed: a port; wait (portcullis explain port)'],
  'a note': [
    finding({}, { note: 'until May' }),
    'found "0", allowed: a port; write one; until May (portcullis explain port)',
  ],
  'another rule about the same field': [
    finding({}, { rule: { ...RULE, name: 'policy/p/ports', family: 'policy' } }),
    'found "0", allowed: a port; write one (policy/p/ports)',
  ],
};

describe('the sentence of a finding', () => {
  for (const [sentenceOfIt, [said, expected]] of Object.entries(SAID)) {
    it(`says ${sentenceOfIt}, whatever was said before`, () => {
      const others = Object.values(SAID).map(([other]) => other);
      for (const other of others) {
        violationMessage(other);
        assert.equal(violationMessage(said), expected);
      }
    });
  }

  it('is right also after very many others', () => {
    for (let n = 0; n < 5_000; n++) {
      const field = `metadata.annotations[example.com/${n}]`;
      assert.match(violationMessage(finding({ field, found: String(n) })), new RegExp(`^found "${n}",`));
    }
    assert.equal(violationMessage(finding()), SAID['what was found']?.[1]);
  });
});
