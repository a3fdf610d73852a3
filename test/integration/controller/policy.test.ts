import assert from 'node:assert/strict';
import type { LoadBalancerPolicySpec } from '../../../src/policy/resource.ts';
import { aSlice, ENDPOINT_SLICES, keyOf, NODES, SERVICES } from '../../support/cluster.ts';
import { aNode } from '../../support/node.ts';
import { attributesOf, complaint, INTRANET, ports, portsOf, requiring, ruled } from '../../support/ruled.ts';
import {
  annotated,
  annotation,
  apply,
  changes,
  events,
  ingress,
  loadBalancers,
  now,
  patch,
  standing,
} from '../../support/running.ts';
import { aService } from '../../support/service.ts';

const listeners = (limit: number): LoadBalancerPolicySpec => ({
  quotas: [{ name: 'q', per: 'namespace', listeners: limit }],
});

describe('a policy, to a controller whose webhook was away', () => {
  const CLAIMED = { 'portcullis.io/digest': 'x', 'service.k8s.alibaba/loadbalancer-id': 'lb-bp1elsewhere' };
  const CLAIMS: Readonly<Record<string, object>> = {
    'a digest, as builds before the first release': { labels: { 'portcullis.io/digest': 'x' } },
    'the id of a load balancer': { labels: { 'service.k8s.alibaba/loadbalancer-id': 'lb-bp1elsewhere' } },
    'an operation, as builds before the first release': { labels: { 'portcullis.io/dirty': 'true' } },
  };
  for (const [what, said] of Object.entries({ ...CLAIMS, nothing: {} })) {
    it(`holds for a new Service that claims ${what}`, async () => {
      const { run, lift } = await ruled(requiring(INTRANET));
      await apply(run, said);
      assert.deepEqual(changes(run), []);
      assert.equal(standing(run)[0], 'False');
      assert.match(complaint(run), /address-type.*allowed: intranet.*policy\/p\/c/);
      await lift();
      assert.equal(loadBalancers(run).length, 1, 'and is carried out once the policy has gone');
      await run.process.stop();
    });
  }

  it('holds for the quota of one that claims to be served', async () => {
    const { run } = await ruled(listeners(2));
    await apply(run, { ports: [80, 81, 82], labels: CLAIMED });
    assert.deepEqual(changes(run), []);
    assert.match(complaint(run), /listeners: used 0, requested 3, hard 2/);
    await apply(run, { name: 'api', uid: '00000000-0000-4000-8000-000000000002', ports: [80, 81] });
    assert.equal(loadBalancers(run).length, 1, 'which takes no room from others');
    await run.process.stop();
  });

  it('tells a new Service what it would have been given, and one that is served nothing', async () => {
    const { run } = await ruled({ defaults: [{ annotation: 'spec', value: 'slb.s1.small' }] });
    await apply(run);
    assert.equal(loadBalancers(run).length, 1);
    assert.deepEqual(events(run, 'DefaultsNotGiven'), [
      'The load balancer is made without what the Service would have been given: spec "slb.s1.small" by LoadBalancerPolicy p; it was stored while no webhook answered, or before the policy',
    ]);
    await patch(run, { spec: { ports: ports(80, 81) } });
    await apply(run, {
      ...{ name: 'api', uid: '00000000-0000-4000-8000-000000000002' },
      annotations: annotated({ spec: 'slb.s2.small' }),
    });
    assert.equal(events(run, 'DefaultsNotGiven').length, 1);
    await run.process.stop();
  });

  describe('about changes alone', () => {
    const CHANGES: LoadBalancerPolicySpec = {
      match: { operations: ['UPDATE'] },
      ...requiring({ field: 'port', noneOf: ['22'] }),
    };
    const fault = (action: string): object => ({
      ...{ action, effect: 'refuse', code: 'OperationFailed.Internal', status: 500 },
      ...{ nth: 1, count: 1 },
    });

    for (const action of ['CreateLoadBalancerTCPListener', 'CreateVServerGroup']) {
      it(`does not hold for a new Service whose first ${action} fails`, async () => {
        const { run } = await ruled(CHANGES);
        run.cluster.simulator.faults([fault(action)]);
        await apply(run, { ports: [22] });
        assert.deepEqual([portsOf(run), standing(run)[0]], [[22], 'True']);
        await run.process.stop();
      });
    }

    it('holds for one that is served', async () => {
      const { run } = await ruled(CHANGES);
      await apply(run);
      await patch(run, { spec: { ports: ports(80, 22) } });
      assert.deepEqual([portsOf(run), standing(run)], [[80], ['False', 'Policy']]);
      await run.process.stop();
    });

    it('holds for one that is served by the listeners of people', async () => {
      const { run } = await ruled(CHANGES, {
        loadBalancers: [{ id: 'lb-shared', name: 'shared', address: '47.1.1.1' }],
      });
      await apply(run, { annotations: annotated({ id: 'lb-shared' }) });
      await patch(run, {
        metadata: { annotations: annotated({ 'force-override-listeners': 'true' }) },
        spec: { ports: ports(80, 22) },
      });
      assert.deepEqual([portsOf(run), standing(run)], [[80], ['False', 'Policy']]);
      await run.process.stop();
    });
  });

  it('withholds from a served Service what it forbids, and that alone', async () => {
    const { run, lift } = await ruled({ ...requiring({ field: 'port', noneOf: ['22'] }) });
    await apply(run);
    await patch(run, { spec: { ports: ports(80, 22, 81) } });
    assert.deepEqual(portsOf(run), [80, 81]);
    assert.deepEqual(
      loadBalancers(run)[0]
        ?.serverGroups.map(({ name }) => name.split('/')[1])
        .sort(),
      ['30080', '30081'],
      'no group is made for what is not listened on',
    );
    assert.deepEqual(standing(run), ['False', 'Policy']);
    assert.match(complaint(run), /spec\.ports\[1\]\.port: found "22".*not done: create tcp listener 22$/);
    const since = now(run);
    await run.cluster.quiet(50 * 60_000);
    assert.equal(now(run), since, 'and costs no call while nothing changes');
    await lift();
    assert.deepEqual(portsOf(run), [22, 80, 81]);
    assert.deepEqual(standing(run)[0], 'True');
    await run.process.stop();
  });

  it('withholds from a served Service what is beyond a quota', async () => {
    const { run } = await ruled(listeners(3));
    await apply(run, { ports: [80, 81] });
    await patch(run, { spec: { ports: ports(80, 82, 83, 84) } });
    assert.deepEqual(portsOf(run), [80, 81], 'what it gives up stays until something may take its place');
    assert.match(
      complaint(run),
      /listeners: used 2, requested 2, hard 3; not done: create tcp listener 82, create tcp listener 83/,
    );
    await patch(run, { spec: { ports: ports(80, 82, 83) } });
    assert.deepEqual(portsOf(run), [80, 82, 83]);
    await run.process.stop();
  });

  it('gives the rest of a quota to the one of two served Services that comes first', async () => {
    const { run } = await ruled(listeners(4));
    const other = { name: 'api', uid: '00000000-0000-4000-8000-000000000002' };
    await apply(run);
    await apply(run, other);
    run.cluster.kubernetes.patch(SERVICES, keyOf(aService()), { spec: { ports: ports(80, 81, 82) } });
    await patch(run, { spec: { ports: ports(80, 81, 82) } }, aService(other));
    assert.deepEqual([portsOf(run, 0), portsOf(run, 1)], [[80, 81, 82], [80]]);
    await run.process.stop();
  });

  const NEWLY: Readonly<Record<string, LoadBalancerPolicySpec>> = {
    'another address type': requiring(INTRANET),
    'other ports': requiring({ field: 'port', noneOf: ['80', '81'] }),
    'an ACL': requiring({ annotation: 'acl-status', oneOf: ['on'] }),
    'a name': requiring({ annotation: 'name', present: true }),
    'fewer listeners': listeners(1),
    'no load balancers': { quotas: [{ name: 'q', per: 'policy', loadBalancers: 0, publicLoadBalancers: 0 }] },
  };
  for (const [what, spec] of Object.entries(NEWLY)) {
    it(`breaks nothing that is served when it newly asks for ${what}`, async () => {
      const { run, enforce } = await ruled();
      await apply(run, { ports: [80, 81] });
      const since = now(run);
      await enforce(spec);
      run.cluster.kubernetes.delete(NODES, keyOf(aNode('n3')));
      await run.cluster.quiet();
      const calls = changes(run, since);
      assert.deepEqual([...new Set(calls)], ['RemoveVServerGroupBackendServers'], 'backends are followed');
      await run.cluster.quiet(3 * 60 * 60_000);
      assert.deepEqual([portsOf(run), standing(run)[0]], [[80, 81], 'True']);
      await patch(run, { spec: { ports: ports(80) } });
      assert.deepEqual(portsOf(run), [80], 'what is given up goes');
      run.cluster.kubernetes.delete(SERVICES, keyOf(aService()));
      await run.cluster.quiet();
      assert.deepEqual(loadBalancers(run), [], 'and it can be deleted');
      await run.process.stop();
    });
  }

  it('lets no ACL be switched off, and everything else change', async () => {
    const { run } = await ruled(requiring({ annotation: 'acl-status', oneOf: ['on'] }), {
      accessControlLists: [{ id: 'acl-1', name: 'partners' }],
    });
    await apply(run, { annotations: annotated({ 'acl-status': 'on', 'acl-type': 'white', 'acl-id': 'acl-1' }) });
    assert.equal(ingress(run)?.length, 1);
    await patch(run, {
      metadata: {
        annotations: { ...annotated({ scheduler: 'wrr', 'acl-status': 'off' }), [annotation('name')]: 'mine' },
      },
    });
    assert.deepEqual([attributesOf(run)['AclStatus'], attributesOf(run)['Scheduler']], ['on', 'wrr']);
    assert.equal(loadBalancers(run)[0]?.name, 'mine');
    assert.match(complaint(run), /acl-status.*not done: change tcp listener 80: aclId=.*aclStatus=off/);
    await run.process.stop();
  });

  it('keeps a listener whose protocol may not become what is asked for', async () => {
    const { run } = await ruled(requiring({ field: 'protocol', oneOf: ['tcp'] }));
    await apply(run);
    await patch(run, { metadata: { annotations: annotated({ 'protocol-port': 'http:80' }) } });
    assert.equal(loadBalancers(run)[0]?.listeners[0]?.protocol, 'tcp');
    run.cluster.kubernetes.put(ENDPOINT_SLICES, aSlice(aService(), ['n1']));
    await run.cluster.quiet();
    assert.match(complaint(run), /protocol.*found "http".*not done: create http listener 80/);
    await run.process.stop();
  });

  it('withholds a new listener where what it is to be depends on something that newly is', async () => {
    const spec: LoadBalancerPolicySpec = {
      constraints: [{ name: 'c', when: [{ field: 'port', oneOf: ['22'] }], require: [INTRANET] }],
    };
    const { run } = await ruled(spec);
    await apply(run);
    await patch(run, { spec: { ports: ports(80, 22) } });
    assert.deepEqual(portsOf(run), [80]);
    await run.process.stop();
  });
});
