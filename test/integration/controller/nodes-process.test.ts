import assert from 'node:assert/strict';
import { stringify } from 'yaml';
import { hasReason, type Reason } from '../../../src/base/errors.ts';
import { Writer } from '../../../src/kubernetes/writer.ts';
import { NODES, objectKey, type Node } from '../../../src/base/kubernetes-objects.ts';
import { answered } from '../../support/eventually.ts';
import { startControllerCluster, type ControllerCluster } from '../../support/controller-cluster.ts';
import { transportFor } from '../../support/kubernetes-access.ts';
import type { SpawnedController } from '../../support/spawned-controller.ts';

const UNINITIALIZED = 'node.cloudprovider.kubernetes.io/uninitialized';
const NETWORK_UNAVAILABLE = 'node.kubernetes.io/network-unavailable';
const never = new AbortController().signal;

interface CoreEvents {
  readonly items: readonly { readonly reason: string; readonly source: { readonly component: string } }[];
}

/** Returns a Node as a kubelet with `--cloud-provider=external` registers it, with the pod range of kube-controller-manager. */
const newcomer = (
  index: number,
  input: { readonly providerID?: string; readonly addresses: readonly object[] },
): object => ({
  apiVersion: 'v1',
  kind: 'Node',
  metadata: { name: `n${index}`, labels: { 'kubernetes.io/hostname': `n${index}`, 'kubernetes.io/os': 'linux' } },
  spec: {
    podCIDR: `10.244.${index}.0/24`,
    podCIDRs: [`10.244.${index}.0/24`],
    ...(input.providerID === undefined ? {} : { providerID: input.providerID }),
    taints: [
      { key: UNINITIALIZED, value: 'true', effect: 'NoSchedule' },
      { key: 'example.com/dedicated', value: 'gpu', effect: 'NoExecute' },
    ],
  },
  status: {
    addresses: input.addresses,
    conditions: ['MemoryPressure', 'DiskPressure', 'Ready'].map((type) => ({
      type,
      status: type === 'Ready' ? 'True' : 'False',
      reason: 'KubeletSays',
      message: `${type} as the kubelet sees it`,
    })),
  },
});

/** Runs the real process, because only a real API server enforces RBAC, taints and conflicts of Nodes. */
describe('the controller process with Nodes and routes', function () {
  this.timeout(120_000);
  const resources = new AsyncDisposableStack();
  let cluster: ControllerCluster;
  let controller: SpawnedController;
  let kubeconfig = '';

  const read = async (name: string): Promise<Node> => (await cluster.plane.client.get(`/api/v1/nodes/${name}`)) as Node;
  const register = async (node: object): Promise<void> => {
    const { code, stderr } = await cluster.plane.kubectlWith(stringify(node), 'create', '-f', '-');
    assert.equal(code, 0, stderr);
  };
  const routed = (name: string): Promise<Node> =>
    answered(async () => {
      const node = await read(name);
      const condition = node.status?.conditions?.find(({ type }) => type === 'NetworkUnavailable');
      const isUninitialized = node.spec?.taints?.some(({ key }) => key === UNINITIALIZED) === true;
      return condition?.status === 'False' && !isUninitialized ? node : undefined;
    }, `the network of ${name} is available`);

  before(async () => {
    cluster = resources.use(await startControllerCluster());
    const addresses = ['10.1.0.14', '10.1.0.15'];
    cluster.cloud.simulator.seed({
      instances: addresses.map((address, index) => ({
        id: `i-${index + 4}`,
        name: `machine-${index + 4}`,
        vSwitchId: 'vsw-1',
        privateAddresses: [address],
        publicAddresses: [`47.0.0.${index + 4}`],
      })),
    });
    kubeconfig = await cluster.plane.kubeconfigFor('portcullis-system/portcullis-controller');
    controller = resources.use(await cluster.start(['--controllers=node,route']));
    await controller.ready();
  });
  after(async () => {
    await resources.disposeAsync();
  });

  it('initializes a new Node with the shipped RBAC', async () => {
    const addresses = [
      { type: 'Hostname', address: 'n4' },
      { type: 'InternalIP', address: '192.0.2.1' },
    ];
    await register(newcomer(4, { providerID: 'cn-hangzhou.i-4', addresses }));
    const node = await routed('n4');
    assert.deepEqual(node.spec?.taints?.map(({ key }) => key).sort(), [
      'example.com/dedicated',
      NETWORK_UNAVAILABLE,
      'node.kubernetes.io/not-ready',
    ]);
    assert.deepEqual(node.status?.addresses, [
      { type: 'ExternalIP', address: '47.0.0.4' },
      { type: 'InternalIP', address: '10.1.0.14' },
      { type: 'Hostname', address: 'n4' },
    ]);
    assert.equal(node.metadata.labels?.['topology.kubernetes.io/zone'], 'cn-hangzhou-a');
    assert.equal(node.metadata.labels['kubernetes.io/os'], 'linux');
    const entries = [...(cluster.cloud.simulator.world.routeTables.get('vtb-1')?.entries.values() ?? [])];
    assert.deepEqual(
      entries.map(({ destination, nextHopId }) => `${destination} ${nextHopId}`),
      ['10.244.4.0/24 i-4'],
    );
  });

  it('keeps the conditions that the kubelet reports', async () => {
    const { status } = await routed('n4');
    assert.deepEqual(
      status?.conditions
        ?.filter(({ type }) => type !== 'NetworkUnavailable')
        .map(({ type, message }) => `${type}: ${message}`),
      ['MemoryPressure', 'DiskPressure', 'Ready'].map((type) => `${type}: ${type} as the kubelet sees it`),
    );
  });

  it('finds the instance of a Node without a provider ID by its address', async () => {
    await register(newcomer(5, { addresses: [{ type: 'InternalIP', address: '10.1.0.15' }] }));
    const node = await routed('n5');
    assert.equal(node.spec?.providerID, 'cn-hangzhou.i-5');
    const events = await answered(async () => {
      const { items } = (await cluster.plane.client.get('/api/v1/namespaces/default/events')) as CoreEvents;
      const emitted = items.map(({ source, reason }) => `${source.component} ${reason}`);
      return emitted.includes('route-controller CreatedRoute') && emitted.includes('node-controller InitializedNode')
        ? emitted
        : undefined;
    }, 'the events are emitted');
    assert.ok(events.includes('node-controller NodeProviderIDSet'), events.join());
  });

  it('deletes the route of a Node that is deleted', async () => {
    await cluster.plane.kubectl('delete', 'node', 'n5');
    await answered(async () => {
      const entries = [...(cluster.cloud.simulator.world.routeTables.get('vtb-1')?.entries.values() ?? [])];
      return entries.some(({ destination, status }) => destination === '10.244.5.0/24' && status.state !== 'Deleting')
        ? undefined
        : true;
    }, 'the route of n5 is gone');
  });

  it('cannot change or delete a Node by an outdated UID or resource version', async () => {
    await using transport = await transportFor(kubeconfig);
    const writer = new Writer(transport);
    const stale = await read('n4');
    await cluster.plane.kubectl('annotate', 'node', 'n4', 'example.com/heartbeat=1');
    const key = objectKey('n4');
    const assertRejected = async (act: () => Promise<unknown>, ...reasons: readonly Reason[]): Promise<void> => {
      await assert.rejects(act, (error) => reasons.some((reason) => hasReason(error, reason)));
    };
    const uid = '00000000-0000-0000-0000-000000000000';
    const status = { metadata: { uid }, status: { conditions: [{ type: 'NetworkUnavailable', status: 'True' }] } };
    await assertRejected(
      () => writer.mergePatch(NODES, key, status, { subresource: 'status', strategic: true }, never),
      'Conflict',
      'Rejected',
    );
    const { resourceVersion } = stale.metadata;
    await assertRejected(
      () => writer.mergePatch(NODES, key, { metadata: { resourceVersion }, spec: { taints: [] } }, {}, never),
      'Conflict',
    );
    await assertRejected(() => writer.delete(NODES, key, { uid }, never), 'Conflict');
    await assertRejected(
      () => writer.delete(NODES, key, { uid: stale.metadata.uid, resourceVersion }, never),
      'Conflict',
    );
    const now = await read('n4');
    assert.equal(now.status?.conditions?.find(({ type }) => type === 'NetworkUnavailable')?.status, 'False');
    await writer.delete(NODES, key, { uid: now.metadata.uid, resourceVersion: now.metadata.resourceVersion }, never);
  });

  it('needs no further permission, and ends without an error', async () => {
    assert.doesNotMatch(controller.output(), /forbidden/i);
    controller.signal('SIGTERM');
    assert.equal(await controller.ended, 0, controller.output());
  });
});
