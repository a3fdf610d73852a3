import assert from 'node:assert/strict';
import type { Condition, LoadBalancerPolicySpec } from '../../../src/policy/custom-resources.ts';
import { conditionText } from '../../support/policy-condition.ts';

const requiring = (...require: Condition[]): LoadBalancerPolicySpec => ({ constraints: [{ name: 'c', require }] });
const INTRANET: Condition = { annotation: 'address-type', oneOf: ['intranet'] };

const ROWS: Readonly<Record<string, readonly [LoadBalancerPolicySpec, string]>> = {
  'reports a number that its annotation cannot have': [
    requiring({ annotation: 'bandwidth', min: 6_000 }),
    'False Conflicted: policy/p/c: no value of bandwidth meets this constraint',
  ],
  'reports a number below the range': [
    requiring({ annotation: 'bandwidth', present: true, max: 0 }),
    'False Conflicted: policy/p/c: no value of bandwidth meets this constraint',
  ],
  'reports a port out of range': [
    requiring({ field: 'port', min: 70_000 }),
    'False Conflicted: policy/p/c: no value of port meets this constraint',
  ],
  'reports a condition on a port out of range': [
    { constraints: [{ name: 'c', when: [{ field: 'port', min: 70_000 }], require: [INTRANET] }] },
    'False Conflicted: policy/p/c: never applies: no value of port meets its conditions',
  ],
  'reports a condition on a number that its annotation cannot have': [
    { constraints: [{ name: 'c', when: [{ annotation: 'bandwidth', min: 9_000 }], require: [INTRANET] }] },
    'False Conflicted: policy/p/c: never applies: no value of bandwidth meets its conditions',
  ],
  'accepts a limit of 0, which is a valid value of the annotation': [
    requiring({ annotation: 'health-check-connect-port', max: 0 }),
    'True Accepted: applies to 2 namespaces',
  ],
  'accepts a part of the valid range of an annotation': [
    requiring({ annotation: 'bandwidth', min: 5_000 }, { field: 'port', max: 1 }),
    'True Accepted: applies to 2 namespaces',
  ],
  'reports conditions that require a tag of a reused load balancer, but exclude reuse': [
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
    'False Conflicted: policy/p/c: never applies: its conditions both require and forbid a reused load balancer',
  ],
};

/** A policy that no Service can satisfy would deny all of them, so its status must report the contradiction. */
describe('the status of a policy', () => {
  for (const [what, [spec, line]] of Object.entries(ROWS)) {
    it(what, () => {
      assert.equal(conditionText(spec), line);
    });
  }
});
