import assert from 'node:assert/strict';
import type { LoadBalancerPolicySpec } from '../../../../src/policy/custom-resources.ts';
import { putOnNodes } from '../../../support/backends.ts';
import { keyOf, NODES, SERVICES } from '../../../support/simulated-cluster.ts';
import { aNode } from '../../../support/node.ts';
import {
  attributesOf,
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
  ingress,
  loadBalancers,
  callCount,
  patch,
  statusAndReason,
} from '../../../support/running-controller.ts';
import { aService } from '../../../support/service.ts';

const BLOCKED = ['False', 'PolicyViolation'];
const ACL_ON = requiring({ annotation: 'acl-status', oneOf: ['on'] });

/** A new policy must not interrupt the traffic of existing Services. It blocks only forbidden changes. */
describe('a policy for a Service that is served', () => {
  it('blocks only forbidden changes, without calls, until the policy is deleted', async () => {
    const { run, lift } = await ruled(requiring({ field: 'port', noneOf: ['22'] }));
    await apply(run);
    await patch(run, { spec: { ports: ports(80, 22, 81) } });
    const groups = loadBalancers(run)[0]?.serverGroups.map(({ name }) => name.split('/')[1]);
    assert.deepEqual([portsOf(run), groups?.toSorted(), statusAndReason(run)], [[80, 81], ['30080', '30081'], BLOCKED]);
    assert.match(lastFailure(run), /spec\.ports\[1\]\.port: Invalid value: 22: .*blocked: create tcp listener 22$/);
    const since = callCount(run);
    await run.cluster.quiet(50 * 60_000);
    assert.equal(callCount(run), since);
    await lift();
    assert.deepEqual([portsOf(run), statusAndReason(run)[0]], [[22, 80, 81], 'True']);
    await run.process.stop();
  });

  it('blocks a port as an update when the Service starts to manage its listeners', async () => {
    const forbidden = { match: { operations: ['UPDATE' as const] }, ...requiring({ field: 'port', noneOf: ['22'] }) };
    const { run } = await ruled(forbidden, { loadBalancers: [{ id: 'lb-shared', address: '47.1.1.1' }] });
    await apply(run, { annotations: annotated({ id: 'lb-shared' }) });
    const metadata = { annotations: annotated({ 'force-override-listeners': 'true' }) };
    await patch(run, { metadata, spec: { ports: ports(80, 22) } });
    assert.deepEqual([portsOf(run), statusAndReason(run)], [[80], BLOCKED]);
    await run.process.stop();
  });

  it('blocks listeners over a quota, and keeps the listeners that they would replace', async () => {
    const { run } = await ruled(listenerQuota(3));
    await apply(run, { ports: [80, 81] });
    await patch(run, { spec: { ports: ports(80, 82, 83, 84) } });
    assert.deepEqual(portsOf(run), [80, 81]);
    assert.match(
      lastFailure(run),
      /listeners: used 2, requested 2, hard 3; blocked: create tcp listener 82, create tcp listener 83/,
    );
    await patch(run, { spec: { ports: ports(80, 82, 83) } });
    assert.deepEqual(portsOf(run), [80, 82, 83]);
    await run.process.stop();
  });

  it('gives the rest of a quota to the first of two Services', async () => {
    const { run } = await ruled(listenerQuota(4));
    await apply(run);
    await apply(run, OTHER);
    run.cluster.kubernetes.patch(SERVICES, keyOf(aService()), { spec: { ports: ports(80, 81, 82) } });
    await patch(run, { spec: { ports: ports(80, 81, 82) } }, aService(OTHER));
    assert.deepEqual([portsOf(run, 0), portsOf(run, 1)], [[80, 81, 82], [80]]);
    await run.process.stop();
  });

  it('blocks the removal of an ACL, and no other change', async () => {
    const { run } = await ruled(ACL_ON, { accessControlLists: [{ id: 'acl-1', name: 'partners' }] });
    await apply(run, { annotations: annotated({ 'acl-status': 'on', 'acl-type': 'white', 'acl-id': 'acl-1' }) });
    assert.equal(ingress(run)?.length, 1);
    const change = { scheduler: 'wrr', 'acl-status': 'off', name: 'mine' };
    await patch(run, { metadata: { annotations: annotated(change) } });
    assert.deepEqual([attributesOf(run)['AclStatus'], attributesOf(run)['Scheduler']], ['on', 'wrr']);
    assert.equal(loadBalancers(run)[0]?.name, 'mine');
    assert.match(lastFailure(run), /acl-status.*blocked: change tcp listener 80: aclId=.*aclStatus=off/);
    await run.process.stop();
  });

  it('keeps a listener if its new protocol is forbidden', async () => {
    const { run } = await ruled(requiring({ field: 'protocol', oneOf: ['tcp'] }));
    await apply(run);
    await patch(run, { metadata: { annotations: annotated({ 'protocol-port': 'http:80' }) } });
    assert.equal(loadBalancers(run)[0]?.listeners[0]?.protocol, 'tcp');
    putOnNodes(run, ['n1']);
    await run.cluster.quiet();
    assert.match(lastFailure(run), /protocol.*Invalid value: "http": .*blocked: create http listener 80/);
    await run.process.stop();
  });

  const NEW: Readonly<Record<string, LoadBalancerPolicySpec>> = {
    'another address type': requiring(INTRANET),
    'other ports': requiring({ field: 'port', noneOf: ['80', '81'] }),
    'an ACL': ACL_ON,
    'a name': requiring({ annotation: 'name', present: true }),
    'fewer listeners': listenerQuota(1),
    'no load balancers': { quotas: [{ name: 'q', per: 'policy', loadBalancers: 0, publicLoadBalancers: 0 }] },
  };
  for (const [what, spec] of Object.entries(NEW))
    it(`leaves the Service served, with current backends, if the policy newly requires ${what}`, async () => {
      const { run, enforce } = await ruled();
      await apply(run, { ports: [80, 81] });
      const since = callCount(run);
      await enforce(spec);
      run.cluster.kubernetes.delete(NODES, keyOf(aNode('n3')));
      await run.cluster.quiet();
      assert.deepEqual([...new Set(changes(run, since))], ['RemoveVServerGroupBackendServers']);
      await run.cluster.quiet(3 * 60 * 60_000);
      assert.deepEqual([portsOf(run), statusAndReason(run)[0]], [[80, 81], 'True']);
      await patch(run, { spec: { ports: ports(80) } });
      assert.deepEqual(portsOf(run), [80]);
      run.cluster.kubernetes.delete(SERVICES, keyOf(aService()));
      await run.cluster.quiet();
      assert.deepEqual(loadBalancers(run), []);
      await run.process.stop();
    });
});
