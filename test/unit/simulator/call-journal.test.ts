import assert from 'node:assert/strict';
import { aCall, aSimulator, callerOf } from '../../support/simulator.ts';
import { VirtualClock } from '../../support/virtual-clock.ts';

/** Tests count calls in the journal, so it must be complete and repeatable. */
describe('the journal of the simulator', () => {
  it('contains caller, call, time and outcome, numbered from 1', async () => {
    const clock = new VirtualClock();
    const simulator = aSimulator({ clock });
    const { ok, rejected } = callerOf(simulator);
    await ok('CreateLoadBalancer', { InstanceChargeType: 'PayByCLCU', LoadBalancerName: 'demo' });
    await rejected('DeleteLoadBalancer', { LoadBalancerId: 'lb-9' });
    const [first, second] = simulator.journal();
    const made = simulator.world.loadBalancers.rows()[0]?.id;
    assert.deepEqual(
      { ...first },
      {
        n: 1,
        time: '2026-01-01T00:00:00.000Z',
        finished: '2026-01-01T00:00:00.000Z',
        userAgent: 'test',
        product: 'Slb',
        action: 'CreateLoadBalancer',
        kind: 'write',
        parameters: { RegionId: 'cn-hangzhou', InstanceChargeType: 'PayByCLCU', LoadBalancerName: 'demo' },
        requestId: first?.requestId,
        subject: made,
        outcome: 'OK',
      },
    );
    assert.deepEqual([second?.n, second?.outcome], [2, 'InvalidLoadBalancerId.NotFound']);
    assert.deepEqual(simulator.journal(1), [second]);
    assert.deepEqual(simulator.journal(2), []);
  });

  it('contains neither secrets nor the parameters that authenticate a call', async () => {
    const simulator = aSimulator();
    const call = aCall('UploadServerCertificate', {
      ServerCertificate: 'x',
      PrivateKey: 'KEY',
      SecurityToken: 'TOKEN',
    });
    await simulator.execute(
      { ...call, parameters: { ...call.parameters, Signature: 'SIGNATURE', AccessKeyId: 'ID' } },
      new AbortController().signal,
    );
    assert.doesNotMatch(JSON.stringify(simulator.journal()), /KEY|TOKEN|SIGNATURE|"ID"/);
  });

  it('is the same for the same seed and calls, and different for another seed', async () => {
    const run = async (seed: number): Promise<string> => {
      const simulator = aSimulator({ clock: new VirtualClock(), randomSeed: seed });
      await callerOf(simulator).ok('CreateLoadBalancer', { InstanceChargeType: 'PayByCLCU' });
      return JSON.stringify([simulator.journal(), simulator.state()]);
    };
    assert.equal(await run(7), await run(7));
    assert.notEqual(await run(7), await run(8));
  });
});
