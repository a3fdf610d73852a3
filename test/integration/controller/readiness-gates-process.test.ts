import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { stringify } from 'yaml';
import type { Pod } from '../../../src/base/kubernetes-objects.ts';
import { answered } from '../../support/eventually.ts';
import { startControllerCluster, type ControllerCluster } from '../../support/controller-cluster.ts';
import { addressOf, interfacesOf } from '../../support/pods.ts';

const GATE = 'service.readiness.alibabacloud.com/';
const service = (name: string): object => ({
  apiVersion: 'v1',
  kind: 'Service',
  metadata: { name, annotations: { 'service.beta.kubernetes.io/backend-type': 'eni' } },
  spec: { type: 'LoadBalancer', selector: { app: name }, ports: [{ name: 'web', port: 80, targetPort: 8080 }] },
});
const pod = (name: string, gate: string): object => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name },
  spec: {
    nodeName: 'n1',
    automountServiceAccountToken: false,
    readinessGates: [{ conditionType: GATE + gate }],
    containers: [{ name: 'web', image: 'web' }],
  },
});
const reference = (name: string, uid: string): object => ({ kind: 'Pod', namespace: 'default', name, uid });
const slice = (name: string, ip: string, target: object): object => ({
  apiVersion: 'discovery.k8s.io/v1',
  kind: 'EndpointSlice',
  metadata: { name: `${name}-1`, labels: { 'kubernetes.io/service-name': name } },
  addressType: 'IPv4',
  ports: [{ name: 'web', port: 8080, protocol: 'TCP' }],
  endpoints: [{ addresses: [ip], nodeName: 'n1', conditions: { ready: false }, targetRef: target }],
});
const endpoints = (name: string, ip: string, target: object): object => ({
  apiVersion: 'v1',
  kind: 'Endpoints',
  metadata: { name },
  subsets: [{ notReadyAddresses: [{ ip, nodeName: 'n1', targetRef: target }], ports: [{ name: 'web', port: 8080 }] }],
});

/** Runs the real process, because only a real API server enforces RBAC on pods and their status. */
describe('the controller process with pods as backends', function () {
  this.timeout(120_000);
  const resources = new AsyncDisposableStack();
  let cluster: ControllerCluster;
  const create = (object: object): Promise<unknown> =>
    cluster.plane.kubectlWith(stringify(object), 'create', '-f', '-');
  const read = async (name: string): Promise<Pod> =>
    JSON.parse(await cluster.plane.kubectl('get', 'pod', name, '-o', 'json')) as Pod;

  before(async () => {
    cluster = resources.use(await startControllerCluster());
    cluster.cloud.simulator.seed({ networkInterfaces: interfacesOf(2) });
    await cluster.plane.kubectl('create', 'serviceaccount', 'default');
  });
  after(async () => {
    await resources.disposeAsync();
  });

  /** Creates a pod with a readiness gate for the Service of the same name. All other conditions are true. */
  async function waiting(name: string, index: number): Promise<{ readonly ip: string; readonly target: object }> {
    await create(pod(name, name));
    const conditions = ['ContainersReady', 'Initialized'].map((type) => ({ type, status: 'True' }));
    const status = JSON.stringify({ status: { conditions, podIP: addressOf(index) } });
    await cluster.plane.kubectl('patch', 'pod', name, '--subresource=status', '--type=merge', '-p', status);
    return { ip: addressOf(index), target: reference(name, (await read(name)).metadata.uid) };
  }

  const hasCondition = (name: string): Promise<Pod> =>
    answered(async () => {
      const found = await read(name);
      const condition = found.status?.conditions?.find(({ type }) => type === GATE + name);
      return condition?.status === 'True' && condition.reason === 'ServerRegistered' ? found : undefined;
    }, `the readiness gate of ${name} is set`);

  const backends = (): readonly string[] =>
    (
      cluster.cloud.simulator.state() as {
        loadBalancers: { serverGroups: { backends: { serverIp: string }[] }[] }[];
      }
    ).loadBalancers.flatMap(({ serverGroups }) =>
      serverGroups.flatMap((group) => group.backends.map(({ serverIp }) => serverIp)),
    );

  it('sets only the readiness gate of a pod, with the shipped RBAC', async () => {
    await using controller = await cluster.start();
    await controller.ready();
    const { ip, target } = await waiting('web', 1);
    await create(service('web'));
    await create(slice('web', ip, target));
    const { status } = await hasCondition('web');
    assert.deepEqual(backends(), [ip]);
    assert.deepEqual(status?.conditions?.map(({ type }) => type).sort(), [
      'ContainersReady',
      'Initialized',
      `${GATE}web`,
    ]);
    await cluster.plane.kubectl('delete', 'service', 'web', '--timeout=30s');
    assert.deepEqual(backends(), []);
    controller.signal('SIGTERM');
    assert.equal(await controller.ended, 0, controller.output());
  });

  it('sets the readiness gate by Endpoints if the feature gate of EndpointSlices is off', async () => {
    const config = join(cluster.folder, 'endpoints.conf');
    const global = { clusterID: 'c1', region: 'cn-hangzhou', vpcid: 'vpc-1', featureGates: 'EndpointSlice=false' };
    await writeFile(config, JSON.stringify({ Global: global }));
    await using controller = await cluster.start([`--cloud-config=${config}`]);
    await controller.ready();
    const { ip, target } = await waiting('old', 2);
    await create(service('old'));
    await create(endpoints('old', ip, target));
    await hasCondition('old');
    assert.deepEqual(backends(), [ip]);
    await cluster.plane.kubectl('delete', 'service', 'old', '--timeout=30s');
  });
});
