import assert from 'node:assert/strict';
import type { Constraint, LoadBalancerPolicySpec } from '../../../src/policy/custom-resources.ts';
import { gatherStatusInputs, policyStatus } from '../../../src/policy/status.ts';
import { StoredLabels } from '../../../src/policy/stored-labels.ts';
import { aPolicyCache } from '../../support/policy-cache.ts';
import { aPolicy } from '../../support/policy.ts';

const NOW = '2026-11-01T00:00:00Z';
const LATER = '2026-11-02T00:00:00Z';
const CONSTRAINT: Constraint = { name: 'c', require: [{ field: 'port', noneOf: ['22'] }] };
const AUDITED: LoadBalancerPolicySpec = { rules: [{ rule: 'target-port', mode: 'audit' }] };

function modeOf(spec: LoadBalancerPolicySpec, warnOnly: boolean): string | undefined {
  const { policyCache } = aPolicyCache({ policies: { p: spec }, now: NOW, warnOnly });
  const inputs = gatherStatusInputs(policyCache, new StoredLabels(policyCache, ['shop']), Date.parse(NOW));
  return policyStatus(aPolicy('p', spec), inputs)?.mode;
}

/** The mode shows users of `kubectl get` whether a policy denies, warns or only records. */
describe('the mode in the status of a policy', () => {
  const cases: Readonly<Record<string, readonly [LoadBalancerPolicySpec, string | undefined, warnOnly?: boolean]>> = {
    'is enforce by default': [{ constraints: [CONSTRAINT] }, 'enforce'],
    'is the mode of a rule': [AUDITED, 'audit'],
    'lists the modes of all parts, the strictest first': [
      {
        ...AUDITED,
        constraints: [{ ...CONSTRAINT, mode: 'warn' }],
        quotas: [{ name: 'q', per: 'policy', listeners: 1 }],
      },
      'enforce,warn,audit',
    ],
    'is warn before a date': [{ constraints: [{ ...CONSTRAINT, enforceAfter: LATER }] }, 'warn'],
    'is enforce from the date': [{ constraints: [{ ...CONSTRAINT, enforceAfter: NOW }] }, 'enforce'],
    'is at most warn if all policies only warn': [{ ...AUDITED, constraints: [CONSTRAINT] }, 'warn,audit', true],
    'is absent for defaults alone': [{ defaults: [{ annotation: 'spec', value: 'slb.s1.small' }] }, undefined],
  };
  for (const [title, [spec, mode, warnOnly = false]] of Object.entries(cases)) {
    it(title, () => assert.equal(modeOf(spec, warnOnly), mode));
  }
});
