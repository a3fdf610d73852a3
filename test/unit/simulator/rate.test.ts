import assert from 'node:assert/strict';
import { aSimulator, callerOf, type SimulatorSetup } from '../../support/simulator.ts';
import { VirtualClock } from '../../support/virtual-clock.ts';

function bench(setup: SimulatorSetup = {}) {
  const clock = new VirtualClock();
  const simulator = aSimulator({ clock, world: { loadBalancers: [{ id: 'lb-1' }] }, ...setup });
  const caller = callerOf(simulator);
  const rename = async (): Promise<number> =>
    (await caller.send('SetLoadBalancerName', { LoadBalancerId: 'lb-1', LoadBalancerName: 'x' })).status;
  /** Returns how many of `calls` calls at this instant are accepted. */
  const burst = async (calls: number, call = rename): Promise<number> => {
    const statuses = await Promise.all(Array.from({ length: calls }, call));
    return statuses.filter((status) => status === 200).length;
  };
  return { ...caller, simulator, clock, rename, burst };
}

/** Tests of rate limits rely on windows like those of the cloud. */
describe('rate limits of the simulator', () => {
  it('allow 90 changes per minute and reject the rest as throttled, with 400', async () => {
    const { burst, rejected } = bench();
    assert.equal(await burst(100), 90);
    const code = await rejected('SetLoadBalancerName', { LoadBalancerId: 'lb-1', LoadBalancerName: 'x' });
    assert.equal(code, 'Throttling.User');
  });

  it('reset at the next full minute, not a minute after the call', async () => {
    const { burst, clock } = bench();
    await clock.advance(59_000);
    assert.equal(await burst(91), 90);
    await clock.advance(999);
    assert.equal(await burst(1), 0);
    await clock.advance(1);
    assert.equal(await burst(1), 1);
  });

  it('count rejected calls, and each operation separately', async () => {
    const { burst, ok, rejected } = bench();
    for (let call = 0; call < 90; call += 1)
      await rejected('SetLoadBalancerName', { LoadBalancerId: 'lb-9', LoadBalancerName: 'x' });
    assert.equal(await burst(1), 0);
    await ok('SetLoadBalancerDeleteProtection', { LoadBalancerId: 'lb-1', DeleteProtection: 'on' });
  });

  it('allow 5 calls per second to change tags', async () => {
    const { burst, send, clock } = bench();
    const tag = async (): Promise<number> =>
      (await send('TagResources', { ResourceType: 'instance', 'ResourceId.1': 'lb-1', 'Tag.1.Key': 'k' })).status;
    assert.equal(await burst(9, tag), 5);
    await clock.advance(1_000);
    assert.equal(await burst(9, tag), 5);
  });

  it('can be set for a single operation, and scaled for all operations', async () => {
    const one = bench({ settings: { rates: { 'Slb.SetLoadBalancerName': { calls: 3, seconds: 60 } } } });
    assert.equal(await one.burst(9), 3);
    const half = bench({ settings: { rateFactor: 0.5 } });
    assert.equal(await half.burst(90), 45);
  });

  it('reject an operation until its window ends if a fault requests that', async () => {
    const { simulator, burst, clock } = bench();
    simulator.faults([{ action: 'SetLoadBalancerName', effect: 'throttle', wholeWindow: true }]);
    assert.equal(await burst(3), 0);
    await clock.advance(60_000);
    assert.equal(await burst(3), 3);
  });
});
