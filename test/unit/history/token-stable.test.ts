import { called, judges, OWNER } from '../../support/history/build.ts';
import { tokenStable } from '../../support/history/invariants/token-stable.ts';
import { OWNER_TAG } from '../../support/history/ownership.ts';

const create = (token: string, over: Parameters<typeof called>[1] = {}, name = 'a') =>
  called('CreateLoadBalancer', {
    ...over,
    parameters: { 'Tag.1.Key': OWNER_TAG, 'Tag.1.Value': OWNER, LoadBalancerName: name, ClientToken: token },
  });
const lost = { fault: 'cut-after-commit' };

judges(tokenStable, {
  keep: {
    'a lost creation is repeated': [...create('t1', lost), ...create('t1', { at: 2 })],
    'another follows when the first must have shown': [...create('t1', lost), ...create('t2', { at: 95 })],
    'another follows one that was refused': [
      ...create('t1', { outcome: 'InvalidParameter' }),
      ...create('t2', { at: 1 }),
    ],
  },
  break: {
    'it is repeated with other parameters': [...create('t1', lost), ...create('t1', { at: 2 }, 'b')],
    'it is repeated with another token': [...create('t1', lost), ...create('t2', { at: 2 })],
    'it has no token': called('CreateLoadBalancer', {}),
  },
});
