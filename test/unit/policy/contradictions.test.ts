import assert from 'node:assert/strict';
import type { Condition, LoadBalancerPolicySpec } from '../../../src/policy/resource.ts';
import { standing } from '../../support/policy-condition.ts';

const requiring = (...require: Condition[]): LoadBalancerPolicySpec => ({ constraints: [{ name: 'c', require }] });
const INTRANET: Condition = { annotation: 'address-type', oneOf: ['intranet'] };

const ROWS: Readonly<Record<string, readonly [LoadBalancerPolicySpec, string]>> = {
  'says that a number is asked for that its annotation cannot have': [
    requiring({ annotation: 'bandwidth', min: 6_000 }),
    'False Conflicted: policy/p/c: no value of bandwidth meets this constraint',
  ],
  'says that a number below all is asked for': [
    requiring({ annotation: 'bandwidth', present: true, max: 0 }),
    'False Conflicted: policy/p/c: no value of bandwidth meets this constraint',
  ],
  'says that a port is asked for that there is not': [
    requiring({ field: 'port', min: 70_000 }),
    'False Conflicted: policy/p/c: no value of port meets this constraint',
  ],
  'says that a condition asks for a port that there is not': [
    { constraints: [{ name: 'c', when: [{ field: 'port', min: 70_000 }], require: [INTRANET] }] },
    'False Conflicted: policy/p/c: never applies: no value of port meets its conditions',
  ],
  'says that a condition asks for a number that its annotation cannot have': [
    { constraints: [{ name: 'c', when: [{ annotation: 'bandwidth', min: 9_000 }], require: [INTRANET] }] },
    'False Conflicted: policy/p/c: never applies: no value of bandwidth meets its conditions',
  ],
  'holds nothing against a number that means something of its own': [
    requiring({ annotation: 'health-check-connect-port', max: 0 }),
    'True Accepted: in force in 2 namespaces',
  ],
  'holds nothing against a part of what its annotation can have': [
    requiring({ annotation: 'bandwidth', min: 5_000 }, { field: 'port', max: 1 }),
    'True Accepted: in force in 2 namespaces',
  ],
  'says that conditions ask for a tag of what is reused where nothing is': [
    {
      constraints: [
        {
          name: 'c',
          when: [
            { annotation: 'id', present: false },
            { reusedTag: 'x', present: true },
          ],
          require: [INTRANET],
        },
      ],
    },
    'False Conflicted: policy/p/c: never applies: its conditions require a reused load balancer, and forbid one',
  ],
};

describe('the status of a policy that asks for what cannot be', () => {
  for (const [what, [spec, line]] of Object.entries(ROWS)) {
    it(what, () => {
      assert.equal(standing(spec), line);
    });
  }
});
