import assert from 'node:assert/strict';
import { CloudRecorder } from '../../../support/invariants/cloud-recorder.ts';
import { PreciseClock } from '../../../support/invariants/precise-clock.ts';
import { aSimulator, callerOf } from '../../../support/simulator.ts';

function recorded() {
  const recorder = new CloudRecorder();
  const simulator = aSimulator({ watcher: recorder });
  recorder.of(simulator);
  const ids = () => recorder.calls.at(-1)?.view?.loadBalancers;
  return { recorder, simulator, ids, ...callerOf(simulator) };
}

/** The invariants are checked on the record, so a missing call would hide a violation. */
describe('the record of a cloud', () => {
  it('contains the state before and after every call', async () => {
    const { recorder, ok } = recorded();
    const { LoadBalancerId } = await ok('CreateLoadBalancer', {
      LoadBalancerName: 'one',
      InstanceChargeType: 'PayByCLCU',
    });
    await ok('SetLoadBalancerName', { LoadBalancerId: String(LoadBalancerId), LoadBalancerName: 'two' });
    await ok('DescribeLoadBalancers');
    await ok('DeleteLoadBalancer', { LoadBalancerId: String(LoadBalancerId) });
    assert.deepEqual(
      recorder.calls.map(({ moment, view }) => {
        const names = [...(view?.loadBalancers.values() ?? [])].map(({ name }) => name).join();
        return `${moment.kind} ${moment.call.action} of ${moment.target?.name ?? 'none'}: ${names}`;
      }),
      [
        'sent CreateLoadBalancer of none: ',
        'ended CreateLoadBalancer of one: one',
        'sent SetLoadBalancerName of one: one',
        'ended SetLoadBalancerName of two: two',
        'sent DescribeLoadBalancers of none: two',
        'ended DescribeLoadBalancers of none: two',
        'sent DeleteLoadBalancer of two: two',
        'ended DeleteLoadBalancer of none: ',
      ],
    );
  });

  it('contains changes that no call made', async () => {
    const { simulator, ok, ids } = recorded();
    simulator.seed({ loadBalancers: [{ id: 'lb-1' }, { id: 'lb-2' }] });
    await ok('DescribeLoadBalancers');
    assert.deepEqual([...(ids()?.keys() ?? [])], ['lb-1', 'lb-2']);
    simulator.world.loadBalancers.remove('lb-1', Date.now());
    await ok('DescribeLoadBalancers');
    assert.deepEqual([...(ids()?.keys() ?? [])], ['lb-2']);
  });

  it('has times of the wall clock in fractions of a millisecond, which never decrease', () => {
    const clock = new PreciseClock();
    const times = Array.from({ length: 1_000 }, () => [Date.now(), clock.now(), Date.now()] as const);
    assert.ok(times.every(([before, at, after]) => before <= at && at < after + 1));
    assert.ok(times.every(([, at], index) => index === 0 || at >= (times[index - 1]?.[1] ?? 0)));
    assert.ok(times.some(([, at]) => !Number.isInteger(at)));
  });
});
