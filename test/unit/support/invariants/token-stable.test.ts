import { called, testInvariant, OWNER } from '../../../support/invariants/history-builders.ts';
import { tokenStable } from '../../../support/invariants/invariants/token-stable.ts';
import { OWNER_TAG } from '../../../support/invariants/ownership.ts';

const create = (token: string, over: Parameters<typeof called>[1] = {}, name = 'a') =>
  called('CreateLoadBalancer', {
    ...over,
    parameters: { 'Tag.1.Key': OWNER_TAG, 'Tag.1.Value': OWNER, LoadBalancerName: name, ClientToken: token },
  });
const lost = { fault: 'cut-after-commit' };

/** A repeated creation with another token makes a second resource, and a new creation with an old token returns the old resource. */
testInvariant(tokenStable, {
  keep: {
    'a lost creation is repeated': [...create('t1', lost), ...create('t1', { at: 2 })],
    'a second creation follows when the outcome of the lost creation is final': [
      ...create('t1', lost),
      ...create('t2', { at: 95 }),
    ],
    'a second creation follows a rejected creation': [
      ...create('t1', { outcome: 'InvalidParameter' }),
      ...create('t2', { at: 1 }),
    ],
  },
  break: {
    'the creation is repeated with other parameters': [...create('t1', lost), ...create('t1', { at: 2 }, 'b')],
    'the creation is repeated with another token': [...create('t1', lost), ...create('t2', { at: 2 })],
    'the creation has no token': called('CreateLoadBalancer', {}),
  },
});
