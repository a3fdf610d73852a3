import assert from 'node:assert/strict';
import { userAgents } from '../../../src/alibaba/cloud.ts';
import { actionOf } from '../../support/used/calls.ts';
import { sent, type CallSaid } from '../../support/history/build.ts';

const AGENTS = userAgents('0.1.0', 'c1');

describe('what a call needs of RAM', () => {
  const action = (said: CallSaid, product = 'Slb'): string | undefined =>
    actionOf({ ...sent('DescribeLoadBalancers', said).call, product: product as 'Slb' });

  it('is its product and name', () => {
    assert.equal(action({}), 'slb:DescribeLoadBalancers');
  });
  it('counts for the controllers and for the inventory, whatever the SDK says before', () => {
    for (const userAgent of Object.values(AGENTS)) {
      assert.equal(action({ userAgent: `AlibabaCloud (linux) ${userAgent}` }), 'slb:DescribeLoadBalancers');
    }
  });
  it('does not count for others', () => {
    for (const userAgent of ['test', 'not-portcullis', 'portcullises', ''])
      assert.equal(action({ userAgent }), undefined);
  });
  it('is nothing for a role to be taken on, which has to trust instead', () => {
    assert.equal(action({}, 'Sts'), undefined);
  });
});
