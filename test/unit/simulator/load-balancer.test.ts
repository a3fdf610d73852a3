import assert from 'node:assert/strict';
import { aSimulator, callerOf, type Parameters } from '../../support/simulator.ts';

const BY_LCU: Parameters = { InstanceChargeType: 'PayByCLCU', LoadBalancerName: 'demo' };
const INTRANET: Parameters = { ...BY_LCU, AddressType: 'intranet', VSwitchId: 'vsw-1' };

/** Tests of load balancers rely on the simulator, which must act as the API documentation describes. */
describe('load balancers of the simulator', () => {
  it('exist once for a repeated client token, and twice without a token', async () => {
    const { ok } = callerOf(aSimulator());
    const [first, second] = [
      await ok('CreateLoadBalancer', { ...BY_LCU, ClientToken: 't' }),
      await ok('CreateLoadBalancer', { ...BY_LCU, ClientToken: 't' }),
    ];
    assert.equal(first['LoadBalancerId'], second['LoadBalancerId']);
    await ok('CreateLoadBalancer', BY_LCU);
    assert.equal((await ok('DescribeLoadBalancers'))['TotalCount'], 2);
  });

  it('get the lowest free address of their vSwitch, or the requested address', async () => {
    const { ok } = callerOf(aSimulator());
    assert.equal((await ok('CreateLoadBalancer', INTRANET))['Address'], '10.1.0.1');
    assert.equal((await ok('CreateLoadBalancer', { ...INTRANET, Address: '10.1.7.7' }))['Address'], '10.1.7.7');
  });

  it('return the charge type as a number in the list and as text elsewhere', async () => {
    const { ok } = callerOf(aSimulator());
    const { LoadBalancerId } = await ok('CreateLoadBalancer', BY_LCU);
    const list = (await ok('DescribeLoadBalancers'))['LoadBalancers'] as { LoadBalancer: Record<string, unknown>[] };
    const [item] = list.LoadBalancer;
    assert.deepEqual([item?.['InternetChargeType'], item?.['InternetChargeTypeAlias']], ['4', 'paybytraffic']);
    const one = await ok('DescribeLoadBalancerAttribute', { LoadBalancerId: String(LoadBalancerId) });
    assert.equal(one['InternetChargeType'], 'paybytraffic');
    assert.equal(one['LoadBalancerSpec'], 'slb.lcu.elastic');
    assert.equal(one['LoadBalancerStatus'], 'active');
  });

  const rejections: Record<string, [parameters: Parameters, code: string]> = {
    'a shared instance, which is no longer sold,': [{}, 'ShareSlbHaltSales'],
    'a charge by specification without a specification': [
      { InstanceChargeType: 'PayBySpec' },
      'MissingParam.LoadBalancerSpec',
    ],
    'an intranet address without a vSwitch': [{ ...BY_LCU, AddressType: 'intranet' }, 'MissingParam.VSwitchId'],
    'a vSwitch that does not exist': [{ ...INTRANET, VSwitchId: 'vsw-9' }, 'InvalidVSwitchId.NotFound'],
    'an address in use': [{ ...INTRANET, Address: '10.1.0.11' }, 'InvalidParameter'],
    'IPv6 inside a VPC': [{ ...INTRANET, AddressIPVersion: 'ipv6' }, 'InvalidParameter.Mismatch'],
    'a bandwidth out of range': [{ ...BY_LCU, Bandwidth: 5121 }, 'InvalidParameter.Bandwidth'],
    'a name that starts with a digit': [{ ...BY_LCU, LoadBalancerName: '1st' }, 'InvalidParameter'],
    'a reserved tag key': [{ ...BY_LCU, 'Tag.1.Key': 'acs:x' }, 'InvalidParam.TagKey'],
    'a value outside its enumeration': [{ ...BY_LCU, InstanceChargeType: 'Free' }, 'IllegalParam.InstanceChargeType'],
    'a region that does not exist': [{ ...BY_LCU, RegionId: 'xx' }, '404 InvalidRegionId.NotFound'],
    'a missing region': [{ ...BY_LCU, RegionId: undefined }, 'MissingParameter'],
  };
  for (const [what, [parameters, code]] of Object.entries(rejections)) {
    it(`reject ${what} with ${code}`, async () => {
      const { rejected, ok } = callerOf(aSimulator());
      assert.equal(await rejected('CreateLoadBalancer', parameters), code);
      assert.equal((await ok('DescribeLoadBalancers'))['TotalCount'], 0);
    });
  }

  it('reject a repeated client token with other parameters', async () => {
    const { ok, rejected } = callerOf(aSimulator());
    await ok('CreateLoadBalancer', { ...BY_LCU, ClientToken: 't' });
    const code = await rejected('CreateLoadBalancer', { ...BY_LCU, LoadBalancerName: 'other', ClientToken: 't' });
    assert.equal(code, 'LX_REQUEST_TOKEN_CONFLICT');
  });

  it('reject a creation beyond the quota', async () => {
    const { ok, rejected } = callerOf(aSimulator({ settings: { loadBalancers: 1 } }));
    await ok('CreateLoadBalancer', BY_LCU);
    assert.equal(await rejected('CreateLoadBalancer', BY_LCU), 'OverQuota');
  });

  it('are not deleted while deletion protection is on', async () => {
    const { ok, rejected } = callerOf(aSimulator());
    const LoadBalancerId = String(
      (await ok('CreateLoadBalancer', { ...BY_LCU, DeleteProtection: 'on' }))['LoadBalancerId'],
    );
    assert.equal(await rejected('DeleteLoadBalancer', { LoadBalancerId }), 'OperationDenied.DeleteProtectionIsOn');
    await ok('SetLoadBalancerDeleteProtection', { LoadBalancerId, DeleteProtection: 'off' });
    await ok('DeleteLoadBalancer', { LoadBalancerId });
    assert.equal(await rejected('DeleteLoadBalancer', { LoadBalancerId }), '404 InvalidLoadBalancerId.NotFound');
  });

  it('are deleted with their server groups', async () => {
    const { ok, rejected } = callerOf(aSimulator());
    const LoadBalancerId = String((await ok('CreateLoadBalancer', BY_LCU))['LoadBalancerId']);
    const { VServerGroupId } = await ok('CreateVServerGroup', { LoadBalancerId, VServerGroupName: 'group' });
    await ok('DeleteLoadBalancer', { LoadBalancerId });
    assert.equal(
      await rejected('DescribeVServerGroupAttribute', { VServerGroupId: String(VServerGroupId) }),
      '404 InvalidParameter',
    );
  });
});
