import assert from 'node:assert/strict';
import { cloudPicture } from '../../support/cloud-picture.ts';
import { keyOf, NODES, SERVICES } from '../../support/cluster.ts';
import { aNode } from '../../support/node.ts';
import {
  annotation,
  apply,
  changes,
  events,
  ingress,
  loadBalancers,
  messageOf,
  now,
  patch,
  running,
  standing,
  type Running,
} from '../../support/running.ts';
import { aService } from '../../support/service.ts';

const KEY = keyOf(aService());
const REUSING = { [annotation('id')]: 'lb-shared', [annotation('force-override-listeners')]: 'true' };

describe('a load balancer that people brought', () => {
  const SHARED = { loadBalancers: [{ id: 'lb-shared', name: 'shared', address: '47.1.1.1', tags: { cost: '7' } }] };
  const foreign = (run: Running) => {
    const [{ name, deleteProtection, tags } = { name: '', deleteProtection: '', tags: {} }] = loadBalancers(run);
    return { name, deleteProtection, tags };
  };

  it('gets the groups of a Service, and is as before once the Service is gone', async () => {
    const run = await running({}, SHARED);
    const before = cloudPicture(run.cluster.simulator);
    await apply(run, { annotations: { [annotation('id')]: 'lb-shared' }, ports: [80, 443] });
    assert.deepEqual(ingress(run), [{ ip: '47.1.1.1' }]);
    assert.equal(loadBalancers(run)[0]?.serverGroups.length, 2);
    assert.deepEqual(loadBalancers(run)[0]?.listeners, []);
    run.cluster.kubernetes.delete(SERVICES, KEY);
    await run.cluster.quiet();
    assert.deepEqual(cloudPicture(run.cluster.simulator), before);
    assert.equal(run.cluster.service(), undefined);
    await run.process.stop();
  });

  it('gives a port to one Service; the other changes nothing, waits, is told whose it is, and takes over when it is free', async () => {
    const run = await running({}, SHARED);
    await apply(run, { annotations: REUSING });
    const since = now(run);
    const second = { name: 'api', uid: '00000000-0000-4000-8000-000000000002', annotations: REUSING };
    await apply(run, {
      ...second,
      ports: [{ name: 'http', port: 80, protocol: 'TCP', targetPort: 80, nodePort: 31_000 }],
    });
    assert.deepEqual(changes(run, since), []);
    assert.equal(ingress(run, 'api'), undefined);
    assert.match(
      events(run, 'SyncLoadBalancerFailed')[0] ?? '',
      /port 80\/tcp of the load balancer is held by Service shop\/web/,
    );
    run.cluster.kubernetes.delete(SERVICES, KEY);
    await run.cluster.quiet(10_000);
    const [listener] = loadBalancers(run)[0]?.listeners ?? [];
    assert.equal(listener?.attributes['Description'], 'k8s/80/api/shop/c1');
    assert.deepEqual(ingress(run, 'api'), [{ ip: '47.1.1.1' }]);
    await run.process.stop();
  });

  it('is left alone when it is the API server’s, another’s, protected, or not there', async () => {
    const seed = {
      loadBalancers: [
        { id: 'lb-api', tags: { 'ack.aliyun.com': 'c1' } },
        { id: 'lb-other', tags: { 'kubernetes.do.not.delete': 'a1', 'ack.aliyun.com': 'c2' } },
        { id: 'lb-kept' },
      ],
    };
    const run = await running({ protectedIds: ['lb-kept'] }, seed);
    for (const id of ['lb-api', 'lb-other', 'lb-kept', 'lb-none']) {
      const uid = `00000000-0000-4000-8000-00000000${String(id.length)}${id.length}${id.length}0`;
      await apply(run, { name: id, uid, annotations: { [annotation('id')]: id } });
      assert.equal(run.cluster.service(id)?.metadata.finalizers, undefined);
    }
    assert.deepEqual(changes(run), []);
    assert.equal(new Set(run.cluster.kubernetes.told.map(({ target }) => target.name)).size, 4);
    assert.deepEqual(
      new Set(run.cluster.kubernetes.told.map(({ reason }) => reason)),
      new Set(['SyncLoadBalancerFailed']),
    );
    await run.process.stop();
  });

  const notToBeHad = {
    'the API server’s': [{ tags: { 'ack.aliyun.com': 'c1' } }, {}],
    'another cluster’s': [{ tags: { 'kubernetes.do.not.delete': 'a1', 'ack.aliyun.com': 'c2' } }, {}],
    'one of another resource group': [
      { resourceGroupId: 'rg-finance0000001' },
      { [annotation('resource-group-id')]: 'rg-acfmxazb4ph6aiy' },
    ],
  } as const;
  for (const [whose, [what, annotations]] of Object.entries(notToBeHad)) {
    it(`gives no address and no label while it is ${whose}, and both once a good id is named`, async () => {
      const good = { ...SHARED.loadBalancers[0], resourceGroupId: 'rg-acfmxazb4ph6aiy' };
      const run = await running({}, { loadBalancers: [good, { id: 'lb-bad', address: '47.1.1.2', ...what }] });
      await apply(run, { annotations: { ...annotations, [annotation('id')]: 'lb-bad' } });
      const labelled = () => run.cluster.service()?.metadata.labels?.['service.k8s.alibaba/loadbalancer-id'];
      assert.deepEqual([ingress(run), labelled(), changes(run)], [undefined, undefined, []]);
      assert.equal(events(run, 'SyncLoadBalancerFailed').length > 0, true);
      await patch(run, { metadata: { annotations: { [annotation('id')]: 'lb-shared' } } });
      assert.deepEqual([ingress(run), labelled()], [[{ ip: '47.1.1.1' }], 'lb-shared']);
      await run.process.stop();
    });
  }

  it('is not taken in place of its own, and the Service is told what it has and what to do', async () => {
    const run = await running({}, SHARED);
    await apply(run);
    const [{ ip = '' } = {}] = ingress(run) ?? [];
    const since = now(run);
    await patch(run, { metadata: { annotations: { [annotation('id')]: 'lb-shared' } } });
    assert.deepEqual([changes(run, since), ingress(run)], [[], [{ ip }]]);
    assert.match(events(run, 'SyncLoadBalancerFailed').join(), /names load balancer lb-shared, but nothing has moved/);
    await run.process.stop();
  });

  const HOST_NAME = { [annotation('hostname')]: 'web.example' };
  const ELASTIC = { [annotation('external-ip-type')]: 'eip' };
  const OTHER = { [annotation('id')]: 'lb-other' };
  /** What a Service asks for at first, and what is changed. */
  const swaps: Readonly<Record<string, readonly [object, object]>> = {
    'for another one that has groups of people': [REUSING, OTHER],
    'for another one while a host name is told': [{ ...REUSING, ...HOST_NAME }, OTHER],
    'for another one while an elastic address is asked for': [{ ...REUSING, ...ELASTIC }, OTHER],
    'in place of its own while a host name is told': [HOST_NAME, { ...REUSING, ...OTHER }],
    'in place of its own as an elastic address is asked for': [{}, { ...REUSING, ...OTHER, ...ELASTIC }],
    'for one of its own while a host name is told': [{ ...REUSING, ...HOST_NAME }, { [annotation('id')]: null }],
  };
  for (const [how, [first, second]] of Object.entries(swaps)) {
    it(`is not changed ${how}, and nothing is left behind once the Service is gone`, async () => {
      const other = { id: 'lb-other', address: '47.1.1.2', serverGroups: [{ id: 'rsp-people', name: 'people' }] };
      const run = await running({}, { loadBalancers: [...SHARED.loadBalancers, other] });
      const left = () => loadBalancers(run).map(({ id, listeners, serverGroups }) => ({ id, listeners, serverGroups }));
      const before = left();
      await apply(run, { annotations: { ...first } });
      const [said, since] = [ingress(run), now(run)];
      await patch(run, { metadata: { annotations: second } });
      await run.cluster.quiet(10 * 60_000);
      assert.deepEqual([changes(run, since), ingress(run)], [[], said]);
      assert.deepEqual(standing(run), ['False', 'LoadBalancerChangeNotSupported']);
      run.cluster.kubernetes.delete(SERVICES, KEY);
      await run.cluster.quiet(5 * 60_000);
      assert.equal(run.cluster.service(), undefined);
      assert.deepEqual(left(), before);
      await run.process.stop();
    });
  }

  it('stays what the Service uses when it is no longer named, and the Service is told what to do', async () => {
    const run = await running({}, SHARED);
    await apply(run, { annotations: REUSING });
    const since = now(run);
    await patch(run, { metadata: { annotations: null } });
    assert.deepEqual([changes(run, since), ingress(run)], [[], [{ ip: '47.1.1.1' }]]);
    assert.match(events(run, 'SyncLoadBalancerFailed')[0] ?? '', /set the annotation id back to lb-shared;/);
    await patch(run, { metadata: { annotations: REUSING } });
    assert.deepEqual([changes(run, since), standing(run)[0]], [[], 'True']);
    await run.process.stop();
  });

  it('is found by the published address if neither annotation nor label names it', async () => {
    const run = await running({}, SHARED);
    await apply(run, { annotations: REUSING });
    await run.process.stop();
    const since = now(run);
    run.cluster.kubernetes.patch(SERVICES, KEY, { metadata: { annotations: null, labels: null } });
    const next = run.cluster.start();
    await run.cluster.quiet();
    assert.deepEqual([changes(run, since), standing(run)[1]], [[], 'LoadBalancerChangeNotSupported']);
    await next.stop();
  });

  it('keeps a group that a listener of people uses when its port goes, tells the Service so, and deletes it when it is free', async () => {
    const run = await running({}, SHARED);
    await apply(run, { annotations: { [annotation('id')]: 'lb-shared' }, ports: [80, 443] });
    const groups = loadBalancers(run)[0]?.serverGroups as unknown as readonly { readonly id: string; name: string }[];
    const group = groups.find(({ name }) => name.startsWith('k8s/30080/'))?.id ?? '';
    const listener = { LoadBalancerId: 'lb-shared', ListenerPort: 80 };
    await run.cluster.ask('CreateLoadBalancerTCPListener', { ...listener, Bandwidth: -1, VServerGroupId: group });
    await patch(run, { spec: aService({ ports: [443] }).spec as object });
    assert.match(
      events(run, 'SyncLoadBalancerFailed')[0] ?? '',
      /tcp listener 80, which this Service has not made, uses server group \S+; delete the listener, or have it use another group/,
    );
    assert.deepEqual(standing(run), ['False', 'GroupInUse']);
    assert.deepEqual(changes(run).includes('DeleteVServerGroup'), false);
    await run.cluster.ask('DeleteLoadBalancerListener', listener);
    await run.cluster.quiet(10 * 60_000);
    assert.deepEqual([loadBalancers(run)[0]?.serverGroups.length, standing(run)[0]], [1, 'True']);
    await run.process.stop();
  });

  it('keeps a listener that people made for a group of the Service, which goes once the listener does', async () => {
    const run = await running({}, SHARED);
    await apply(run, { annotations: { [annotation('id')]: 'lb-shared' } });
    const [group] = loadBalancers(run)[0]?.serverGroups as unknown as readonly { readonly id: string }[];
    const listener = { LoadBalancerId: 'lb-shared', ListenerPort: 80, ListenerProtocol: 'tcp' };
    await run.cluster.ask('CreateLoadBalancerTCPListener', {
      ...listener,
      Bandwidth: -1,
      VServerGroupId: group?.id ?? '',
    });
    run.cluster.kubernetes.delete(SERVICES, KEY);
    await run.cluster.quiet();
    assert.match(
      events(run, 'CleanLoadBalancerFailed')[0] ?? '',
      /tcp listener 80, which this Service has not made, uses server group \S+; delete the listener, or have it use another group/,
    );
    assert.equal(loadBalancers(run)[0]?.serverGroups.length, 1);
    await run.cluster.ask('DeleteLoadBalancerListener', listener);
    await run.cluster.quiet(6 * 60_000);
    assert.equal(run.cluster.service(), undefined);
    assert.deepEqual(loadBalancers(run)[0]?.serverGroups, []);
    await run.process.stop();
  });

  it('loses the listeners of the Service with it, also when they are no longer its to make', async () => {
    const run = await running({}, SHARED);
    await apply(run, { annotations: REUSING });
    await patch(run, { metadata: { annotations: { [annotation('force-override-listeners')]: null } } });
    assert.equal(loadBalancers(run)[0]?.listeners.length, 1);
    run.cluster.kubernetes.delete(SERVICES, KEY);
    await run.cluster.quiet();
    const [left] = loadBalancers(run);
    assert.deepEqual([left?.listeners, left?.serverGroups], [[], []]);
    await run.process.stop();
  });

  const OTHER_GROUP: Readonly<Record<string, object>> = {
    'the node port': { spec: { ports: [{ ...aService().spec?.ports?.[0], nodePort: 31111 }] } },
    'the backend type': { metadata: { annotations: { 'service.beta.kubernetes.io/backend-type': 'eni' } } },
    'the group of people': { metadata: { annotations: { [annotation('vgroup-port')]: 'rsp-hers:80' } } },
  };
  for (const [what, change] of Object.entries(OTHER_GROUP)) {
    it(`keeps a listener that is no longer the Service’s to change when ${what} changes, with what is behind it, and says what to do`, async () => {
      const [shared] = SHARED.loadBalancers;
      const hers = { id: 'rsp-hers', name: 'hers' };
      const run = await running({}, { loadBalancers: [{ ...shared, id: 'lb-shared', serverGroups: [hers] }] });
      await apply(run, { annotations: REUSING });
      await patch(run, { metadata: { annotations: { [annotation('force-override-listeners')]: null } } });
      const since = now(run);
      await patch(run, change);
      const made = changes(run, since);
      assert.deepEqual(
        [made.includes('DeleteLoadBalancerListener'), made.includes('DeleteVServerGroup')],
        [false, false],
      );
      assert.deepEqual([loadBalancers(run)[0]?.listeners.length, standing(run)], [1, ['False', 'GroupInUse']]);
      assert.match(
        messageOf(run),
        /tcp listener 80, which is not the Service's to change any more, .* have it use \S+, or set force-override-listeners to "true"/,
      );
      await patch(run, { metadata: { annotations: { [annotation('force-override-listeners')]: 'true' } } });
      assert.deepEqual([standing(run)[0], changes(run, since).includes('DeleteLoadBalancerListener')], ['True', false]);
      await run.process.stop();
    });
  }

  it('follows the Nodes while it does not have what the Service it serves asks for, and does nothing else', async () => {
    const run = await running({}, SHARED);
    await apply(run, { annotations: REUSING });
    const since = now(run);
    await patch(run, { metadata: { annotations: { [annotation('resource-group-id')]: 'rg-other' } } });
    assert.deepEqual(standing(run), ['False', 'Immutable']);
    run.cluster.kubernetes.delete(NODES, keyOf(aNode('n3')));
    await run.cluster.quiet();
    assert.deepEqual(changes(run, since), ['RemoveVServerGroupBackendServers']);
    assert.deepEqual(standing(run), ['False', 'Immutable']);
    await run.process.stop();
  });

  it('keeps its name, protection and tags', async () => {
    const run = await running({}, SHARED);
    const before = foreign(run);
    await apply(run, { annotations: REUSING });
    run.cluster.kubernetes.delete(SERVICES, KEY);
    await run.cluster.quiet();
    const tags = { ...before.tags, 'kubernetes.reused.by.user': 'true' };
    assert.deepEqual(foreign(run), { ...before, tags });
    await run.process.stop();
  });
});
