import assert from 'node:assert/strict';
import type { ClusterSettings } from '../../../../src/clb/model/cluster-settings.ts';
import { objectKey, type EndpointSlice, type Service } from '../../../../src/base/kubernetes-objects.ts';
import { ADD, inLocalMode, putOnNodes, REMOVE } from '../../../support/backends.ts';
import { ENDPOINT_SLICES, NODES, SERVICES } from '../../../support/simulated-cluster.ts';
import { aNode } from '../../../support/node.ts';
import { aPodSlice, interfacesOf } from '../../../support/pods.ts';
import {
  annotated,
  annotation,
  apply,
  changes,
  events,
  loadBalancers,
  callCount,
  running,
  type Running,
} from '../../../support/running-controller.ts';
import { aService } from '../../../support/service.ts';

/** Covers Nodes as backends: which Nodes are selected, their weights, and virtual Nodes, whose pods are the backends. */
describe('the backends of a Service', () => {
  it('follow its pods and their number in Local mode', async () => {
    const run = await running();
    const service = aService();
    putOnNodes(run, ['n1', 'n1', 'n2'], service);
    run.cluster.kubernetes.put(SERVICES, inLocalMode(service));
    await run.cluster.quiet();
    const backends = () =>
      loadBalancers(run)[0]?.serverGroups[0]?.backends.map(({ serverId, weight }) => [serverId, weight]);
    assert.deepEqual(backends(), [
      ['i-1', 2],
      ['i-2', 1],
    ]);
    const since = callCount(run);
    putOnNodes(run, ['n2', 'n3'], service);
    await run.cluster.quiet();
    assert.deepEqual(backends(), [
      ['i-2', 1],
      ['i-3', 1],
    ]);
    assert.deepEqual(changes(run, since), [ADD, REMOVE]);
    await run.process.stop();
  });

  it('are the Nodes with the labels of backend-label; an event reports if there are none', async () => {
    const run = await running();
    const label = (name: string, role: string | null): Promise<void> => {
      run.cluster.kubernetes.patch(NODES, objectKey(name), { metadata: { labels: { role } } });
      return run.cluster.quiet();
    };
    const servers = () => loadBalancers(run)[0]?.serverGroups[0]?.backends.map(({ serverId }) => serverId);
    await label('n1', 'ingress');
    await label('n2', 'web');
    await apply(run, { annotations: { [annotation('backend-label')]: 'role=ingress' } });
    assert.deepEqual(servers(), ['i-1']);
    const since = callCount(run);
    await label('n2', 'ingress');
    assert.deepEqual(servers(), ['i-1', 'i-2']);
    await label('n1', null);
    assert.deepEqual(servers(), ['i-2']);
    assert.deepEqual(changes(run, since), [ADD, REMOVE]);
    await label('n2', null);
    assert.deepEqual(servers(), []);
    assert.match(
      events(run, 'UnAvailableLoadBalancer')[0] ?? '',
      /no eligible Node has the labels role=ingress; label Nodes, or change the annotation backend-label$/,
    );
    await run.process.stop();
  });

  const LOSSES: Readonly<Record<string, { readonly annotations?: Record<string, string>; readonly spec: object }>> = {
    'lose a cordoned Node if the Service requests that': {
      annotations: annotated({ 'remove-unscheduled-backend': 'on' }),
      spec: { unschedulable: true },
    },
    'immediately lose a Node that the autoscaler will delete': {
      spec: { taints: [{ key: 'ToBeDeletedByClusterAutoscaler', effect: 'NoSchedule' }] },
    },
  };
  for (const [what, { annotations = {}, spec }] of Object.entries(LOSSES))
    it(what, async () => {
      const run = await running();
      await apply(run, { annotations });
      const since = callCount(run);
      run.cluster.kubernetes.put(NODES, aNode('n2', { spec: { providerID: 'cn-hangzhou.i-2', ...spec } }));
      await run.cluster.quiet();
      assert.deepEqual(changes(run, since), [REMOVE]);
      await run.process.stop();
    });

  const ipv6 = { 'ip-version': 'ipv6', 'backend-ip-version': 'ipv6', 'instance-charge-type': 'PayBySpec' };
  const gates: Readonly<Record<string, readonly [disabled: ClusterSettings['disabledIpv6Gates'], advice?: string]>> = {
    'no event about feature gates if none is off': [[]],
    'an event that names the feature gate that is off': [['EndpointSlice'], 'set EndpointSlice=true in featureGates'],
    'an event that names both feature gates if both are off': [
      ['IPv6DualStack', 'EndpointSlice'],
      'set IPv6DualStack=true,EndpointSlice=true in featureGates',
    ],
  };
  for (const [title, [disabledIpv6Gates, advice]] of Object.entries(gates)) {
    it(`of IP version 6 cause ${title}`, async () => {
      const run = await running({ settings: { disabledIpv6Gates } });
      await apply(run, { annotations: annotated(ipv6) });
      const [event = ''] = events(run, 'EnsuredLoadBalancer');
      assert.equal(/backend-ip-version ipv6 .*; (set .* in featureGates)/.exec(event)?.[1], advice, event);
      await run.process.stop();
    });
  }

  it('skip a Node without an instance, and the Service gets no event', async () => {
    const run = await running();
    run.cluster.kubernetes.put(NODES, aNode('n4', { spec: { providerID: 'k3s://n4' } }));
    await apply(run);
    assert.equal(loadBalancers(run)[0]?.serverGroups[0]?.backends.length, 3);
    assert.deepEqual(events(run, 'SkipSyncBackends'), []);
    await run.process.stop();
  });

  describe('on virtual Nodes', () => {
    const virtual = aNode('vk', {
      labels: { type: 'virtual-kubelet', 'service.alibabacloud.com/exclude-node': 'true' },
      spec: { providerID: '' },
      conditions: [],
    });
    const onNodes = (service: Service, nodes: Readonly<Record<number, string>>): EndpointSlice => {
      const slice = aPodSlice(service, Object.keys(nodes).map(Number));
      const names = Object.values(nodes);
      const endpoints = slice.endpoints?.map((endpoint, index) => ({ ...endpoint, nodeName: names[index] ?? '' }));
      return { ...slice, ...(endpoints === undefined ? {} : { endpoints }) };
    };
    const text = (run: Running): readonly string[] =>
      (loadBalancers(run)[0]?.serverGroups[0]?.backends ?? [])
        .map(({ serverId, port, weight }) => `${serverId}:${String(port)}=${String(weight)}`)
        .sort();

    for (const [policy, before, after] of [
      [
        'Cluster',
        ['eni-1:80=100', 'i-1:30080=100', 'i-2:30080=100', 'i-3:30080=100'],
        ['eni-2:80=100', 'i-1:30080=100', 'i-2:30080=100', 'i-3:30080=100'],
      ],
      ['Local', ['eni-1:80=1', 'i-1:30080=2'], ['eni-2:80=1', 'i-2:30080=1']],
    ] as const) {
      it(`are the pods in addition to Nodes, in ${policy} mode`, async () => {
        const run = await running({}, { networkInterfaces: interfacesOf(9) });
        run.cluster.kubernetes.put(NODES, virtual);
        const service = aService();
        run.cluster.kubernetes.put(ENDPOINT_SLICES, onNodes(service, { 1: 'vk', 5: 'n1', 6: 'n1' }));
        run.cluster.kubernetes.put(SERVICES, { ...service, spec: { ...service.spec, externalTrafficPolicy: policy } });
        await run.cluster.quiet();
        assert.deepEqual(text(run), before);
        run.cluster.kubernetes.put(ENDPOINT_SLICES, onNodes(service, { 2: 'vk', 7: 'n2' }));
        await run.cluster.quiet();
        assert.deepEqual(text(run), after);
        await run.process.stop();
      });
    }

    it('are not looked up if no pod is on them', async () => {
      const run = await running({}, { networkInterfaces: interfacesOf(3) });
      const service = aService();
      run.cluster.kubernetes.put(ENDPOINT_SLICES, onNodes(service, { 1: 'n1', 2: 'n2' }));
      await apply(run);
      assert.ok(!run.cluster.calls().includes('DescribeNetworkInterfaces'));
      await run.process.stop();
    });
  });
});
