import assert from 'node:assert/strict';
import {
  lastFailure,
  INTRANET,
  ports,
  portsOf,
  requiring,
  ruled,
  listenerQuota,
  OTHER,
} from '../../../support/policy-controller.ts';
import {
  annotated,
  apply,
  changes,
  events,
  loadBalancers,
  patch,
  statusAndReason,
} from '../../../support/running-controller.ts';

/** The labels of the Alibaba Cloud Controller Manager, and of builds before the first release. */
const ID_LABEL = { 'service.k8s.alibaba/loadbalancer-id': 'lb-bp1elsewhere' };
const DIGEST_LABEL = { 'portcullis.io/digest': 'x' };

/** A Service stored without the webhook must not evade policies: the controller evaluates them again. */
describe('a policy for a new Service that was stored without the webhook', () => {
  const LABELS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
    'without labels': {},
    'with the label of a digest': DIGEST_LABEL,
    'with the label of an operation': { 'portcullis.io/dirty': 'true' },
    'with the label of a load balancer': ID_LABEL,
  };
  for (const [which, labels] of Object.entries(LABELS))
    it(`denies a Service ${which}, and permits it after the policy is deleted`, async () => {
      const { run, lift } = await ruled(requiring(INTRANET));
      await apply(run, { labels });
      assert.deepEqual([changes(run), statusAndReason(run)[0]], [[], 'False']);
      assert.match(lastFailure(run), /address-type\]: Required value: must be intranet; .*\[policy\/p\/c\]/);
      await lift();
      assert.equal(loadBalancers(run).length, 1);
      await run.process.stop();
    });

  it('counts a Service with labels of a served Service as new, so other Services get the quota', async () => {
    const { run } = await ruled(listenerQuota(2));
    await apply(run, { ports: [80, 81, 82], labels: { ...DIGEST_LABEL, ...ID_LABEL } });
    assert.deepEqual(changes(run), []);
    assert.match(lastFailure(run), /listeners: used 0, requested 3, hard 2/);
    await apply(run, { ...OTHER, ports: [80, 81] });
    assert.equal(loadBalancers(run).length, 1);
    await run.process.stop();
  });

  it('reports the defaults that it would have set, once', async () => {
    const { run } = await ruled({ defaults: [{ annotation: 'spec', value: 'slb.s1.small' }] });
    await apply(run);
    assert.equal(loadBalancers(run).length, 1);
    assert.deepEqual(events(run, 'DefaultsNotApplied'), [
      'Creating the load balancer without policy defaults: spec "slb.s1.small" by LoadBalancerPolicy p. The Service was stored while the webhook was unavailable, or before the policy existed. If you need the values, add them to the Service',
    ]);
    await patch(run, { spec: { ports: ports(80, 81) } });
    await apply(run, { ...OTHER, annotations: annotated({ spec: 'slb.s2.small' }) });
    assert.equal(events(run, 'DefaultsNotApplied').length, 1);
    await run.process.stop();
  });

  for (const action of ['CreateLoadBalancerTCPListener', 'CreateVServerGroup'])
    it(`permits a Service after a failed ${action}, if the policy applies only to updates`, async () => {
      const { run } = await ruled({
        match: { operations: ['UPDATE'] },
        ...requiring({ field: 'port', noneOf: ['22'] }),
      });
      const failure = { action, effect: 'reject', code: 'OperationFailed.Internal', status: 500 };
      run.cluster.simulator.faults([{ ...failure, nth: 1, count: 1 }]);
      await apply(run, { ports: [22] });
      assert.deepEqual([portsOf(run), statusAndReason(run)[0]], [[22], 'True']);
      await run.process.stop();
    });
});
