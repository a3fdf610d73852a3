import type {
  LoadBalancerException,
  LoadBalancerPolicy,
  LoadBalancerPolicyStatus,
} from '../../../src/policy/custom-resources.ts';
import { anException, aPolicy } from '../../support/policy.ts';
import { assertLine, before, MINUTE, read, type StatusRow } from '../../support/status-command-facts.ts';

const DAY = 24 * 60 * MINUTE;

const ready = (status: Partial<LoadBalancerPolicyStatus>, reason = 'Accepted', isTrue = true) => ({
  observedGeneration: 1,
  namespaces: 1,
  conditions: [
    {
      type: 'Ready',
      status: isTrue ? ('True' as const) : ('False' as const),
      observedGeneration: 1,
      lastTransitionTime: before(DAY),
      reason,
      message: 'no such rule',
    },
  ],
  ...status,
});
const policy = (status?: LoadBalancerPolicyStatus): LoadBalancerPolicy => ({
  ...aPolicy('team', { rules: [{ rule: 'limits', mode: 'warn' }], quotas: [{ name: 'few', per: 'namespace' }] }),
  ...(status === undefined ? {} : { status }),
});
const exception = (reason: string): LoadBalancerException => ({
  ...anException('old', { rule: 'limits' }),
  status: {
    observedGeneration: 1,
    conditions: [
      { type: 'Active', status: 'True', observedGeneration: 1, lastTransitionTime: before(DAY), reason, message: '' },
    ],
  },
});
const ROWS: Readonly<Record<string, StatusRow>> = {
  'no policies': ['policies', {}, 'ok', /^none$/],
  'a policy in effect': [
    'policies',
    { policies: read([policy(ready({}))]) },
    'ok',
    /^1 policy, 0 violations.*\nteam: enforce 1, warn 1; 0 violations; Accepted$/,
  ],
  'violations of stored Services': [
    'policies',
    { policies: read([policy(ready({ violations: [{ name: 'a', services: 2, namespaces: 1, examples: [] }] }))]) },
    'notice',
    /^1 policy, 2 violations/,
  ],
  'a policy that is invalid': [
    'policies',
    { policies: read([policy(ready({}, 'Invalid', false))]) },
    'wrong',
    /Invalid: no such rule$/,
  ],
  'a policy that is not evaluated': ['policies', { policies: read([policy()]) }, 'notice', /not evaluated yet$/],
  'a policy whose present generation is not evaluated': [
    'policies',
    { policies: read([policy(ready({ observedGeneration: 0 }))]) },
    'notice',
    /not evaluated yet$/,
  ],
  'an exception in effect': ['exceptions', { exceptions: read([exception('Accepted')]) }, 'ok', /^1 exception$/],
  'an exception that ends soon': [
    'exceptions',
    { exceptions: read([exception('ExpiresSoon')]) },
    'notice',
    /\nold \(team-shop\): limits; ExpiresSoon; until 2027-01-01T00:00:00Z$/,
  ],
  'a quota that is used up': [
    'quotas',
    {
      policies: read([
        policy(ready({ usage: [{ name: 'few', namespace: 'shop', used: { listeners: 5 }, hard: { listeners: 5 } }] })),
      ]),
    },
    'notice',
    /1 nearly used up\nteam\/few in shop: listeners 5 of 5$/,
  ],
};

/** Users must see policies without effect and quotas that are full. */
describe('the policies in the status', () => {
  for (const [title, row] of Object.entries(ROWS)) it(`show ${title}`, () => assertLine(row));
});
