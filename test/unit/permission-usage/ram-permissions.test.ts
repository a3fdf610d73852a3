import assert from 'node:assert/strict';
import { userAgents } from '../../../src/alibaba/cloud.ts';
import { actionOf } from '../../support/permission-usage/calls.ts';
import { sent, type CallInput } from '../../support/invariants/history-builders.ts';

const AGENTS = userAgents('0.1.0', 'c1');

/** The RAM policy is compared with the recorded calls, so each call must be recorded under its permission. */
describe('the RAM permission of a call', () => {
  const action = (input: CallInput, product = 'Slb'): string | undefined =>
    actionOf({ ...sent('DescribeLoadBalancers', input).call, product: product as 'Slb' });

  it('is its product and name', () => {
    assert.equal(action({}), 'slb:DescribeLoadBalancers');
  });
  it('is recorded for the controllers and the inventory, with any prefix of the SDK', () => {
    for (const userAgent of Object.values(AGENTS)) {
      assert.equal(action({ userAgent: `AlibabaCloud (linux) ${userAgent}` }), 'slb:DescribeLoadBalancers');
    }
  });
  it('is not recorded for other user agents', () => {
    for (const userAgent of ['test', 'not-portcullis', 'portcullises', ''])
      assert.equal(action({ userAgent }), undefined);
  });
  it('is none for an assumed role, which needs a trust policy instead', () => {
    assert.equal(action({}, 'Sts'), undefined);
  });
});
