import assert from 'node:assert/strict';
import { inLocalMode, putOnNodes, weightsOf } from '../../../support/backends.ts';
import { AN_AUDIT_MS, keyOf, SERVICES } from '../../../support/simulated-cluster.ts';
import { served } from '../../../support/leadership.ts';
import {
  annotated,
  apply,
  changes,
  loadBalancers,
  callCount,
  patch,
  running,
  statusAndReason,
} from '../../../support/running-controller.ts';
import { aService } from '../../../support/service.ts';

const SEED = {
  loadBalancers: [{ id: 'lb-a', name: 'a', serverGroups: [{ id: 'rsp-1', name: 'user-managed', backends: [] }] }],
};

/** A server group must get its backends again after an interruption. Otherwise the Service would stay without traffic. */
describe('an empty user-managed server group of a served Service', () => {
  const CAUSES: Readonly<Record<string, Readonly<Record<string, string>>>> = {
    'a rule denies the Service': { 'delete-protection': 'nonsense' },
    'a change of the Service is blocked': { 'resource-group-id': 'rg-other' },
  };
  for (const [cause, annotations] of Object.entries(CAUSES))
    it(`gets the backends of new pods although ${cause}`, async () => {
      const run = await running({}, SEED);
      const service = inLocalMode(aService({ annotations: annotated({ id: 'lb-a', 'vgroup-port': 'rsp-1:80' }) }));
      putOnNodes(run, ['n1'], service);
      run.cluster.kubernetes.put(SERVICES, service);
      await run.cluster.quiet();
      const before = weightsOf(run, 'user-managed');
      await patch(run, { metadata: { annotations: annotated(annotations) } });
      putOnNodes(run, [], service);
      await run.cluster.quiet(20_000);
      putOnNodes(run, ['n2'], service);
      await run.cluster.quiet(30_000);
      assert.equal(statusAndReason(run)[0], 'False');
      const after = weightsOf(run, 'user-managed');
      assert.deepEqual(Object.keys(after).length, Object.keys(before).length);
      assert.notDeepEqual(after, before);
      await run.process.stop();
    });
});

describe('a Service that is no longer denied', () => {
  it('gets the server group that was deleted while a rule denied the Service', async () => {
    const run = await running({}, SEED);
    await apply(run, { annotations: annotated({ id: 'lb-a' }) });
    const own = () => loadBalancers(run)[0]?.serverGroups.find(({ name }) => name.startsWith('k8s/'));
    await patch(run, { metadata: { annotations: annotated({ 'delete-protection': 'nonsense' }) } });
    await run.cluster.ask('DeleteVServerGroup', { VServerGroupId: own()?.id ?? '' });
    await run.cluster.quiet(AN_AUDIT_MS);
    await patch(run, { metadata: { annotations: annotated({ 'delete-protection': null }) } });
    await run.cluster.quiet(60_000);
    assert.deepEqual(statusAndReason(run), ['True', 'EnsuredLoadBalancer']);
    assert.notEqual(own(), undefined);
    await run.process.stop();
  });

  it('gets a listener back that another leader deleted before the denial', async () => {
    const all = await served();
    const id = all.cluster.binding()?.spec.loadBalancer?.id ?? '';
    const key = keyOf(aService());
    await all.another(async () => {
      await all.cluster.ask('DeleteLoadBalancerListener', { LoadBalancerId: id, ListenerPort: 80 });
      all.cluster.kubernetes.patch(SERVICES, key, { metadata: { annotations: annotated({ weight: 'nonsense' }) } });
    });
    const next = await all.start();
    await all.cluster.quiet(5 * 60_000);
    const since = callCount(all);
    all.cluster.kubernetes.patch(SERVICES, key, { metadata: { annotations: annotated({ weight: null }) } });
    await all.cluster.quiet(60_000);
    assert.deepEqual(changes(next, since), ['CreateLoadBalancerTCPListener', 'StartLoadBalancerListener']);
    await next.stop();
  });
});
