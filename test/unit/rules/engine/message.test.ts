import assert from 'node:assert/strict';
import type { Finding } from '../../../../src/rules/engine/evaluate.ts';
import { violationMessage } from '../../../../src/rules/engine/message.ts';

const WITHOUT_REMEDY: Finding['violation'] = {
  field: 'spec.ports[0].port',
  reason: 'Invalid',
  value: '0',
  detail: 'must be a port',
};
const VIOLATION: Finding['violation'] = { ...WITHOUT_REMEDY, remedy: 'use another' };
const RULE = { name: 'port', tier: 'hygiene', tunable: true } as const;

const finding = (changed: Partial<Finding['violation']> = {}, more: Partial<Finding> = {}): Finding => ({
  rule: RULE,
  violation: { ...VIOLATION, ...changed },
  ...more,
});

const MESSAGES: Readonly<Record<string, readonly [Finding, string]>> = {
  'the value': [finding(), 'Invalid value: "0": must be a port; use another [port]'],
  'another value of the same field': [
    finding({ value: '-1' }),
    'Invalid value: "-1": must be a port; use another [port]',
  ],
  'a number without quotes': [finding({ value: 0 }), 'Invalid value: 0: must be a port; use another [port]'],
  'the requirement of a value': [finding({ value: '' }), 'Required value: must be a port; use another [port]'],
  'another reason': [finding({ reason: 'Forbidden' }), 'Forbidden: must be a port; use another [port]'],
  'another detail': [finding({ detail: 'must be 1' }), 'Invalid value: "0": must be 1; use another [port]'],
  'another remedy': [finding({ remedy: 'wait' }), 'Invalid value: "0": must be a port; wait [port]'],
  'no remedy': [{ rule: RULE, violation: WITHOUT_REMEDY }, 'Invalid value: "0": must be a port [port]'],
  'a note': [
    finding({}, { note: 'denied from May on' }),
    'Invalid value: "0": must be a port; use another; denied from May on [port]',
  ],
  'another rule about the same field': [
    finding({}, { rule: { ...RULE, name: 'policy/p/ports', family: 'policy' } }),
    'Invalid value: "0": must be a port; use another [policy/p/ports]',
  ],
};

/** Messages are cached, so a wrong entry in the cache would show the text of another violation. */
describe('the message of a finding', () => {
  for (const [part, [one, expected]] of Object.entries(MESSAGES)) {
    it(`contains ${part}, whatever the previous message was`, () => {
      for (const [other] of Object.values(MESSAGES)) {
        violationMessage(other);
        assert.equal(violationMessage(one), expected);
      }
    });
  }

  it('is unchanged after very many other messages', () => {
    for (let n = 0; n < 5_000; n++) {
      const field = `metadata.annotations[example.com/${n}]`;
      assert.match(violationMessage(finding({ field, value: String(n) })), new RegExp(`^Invalid value: "${n}": `));
    }
    assert.equal(violationMessage(finding()), MESSAGES['the value']?.[1]);
  });
});
