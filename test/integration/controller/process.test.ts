import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { stringify } from 'yaml';
import type { LoadBalancerBinding } from '../../../src/inventory/binding.ts';
import { freePorts } from '../../../src/local/free-ports.ts';
import type { Lease, Service } from '../../../src/base/kubernetes-objects.ts';
import { answered } from '../../support/eventually.ts';
import { startControllerCluster, type ControllerCluster } from '../../support/controller-cluster.ts';
import type { SpawnedController } from '../../support/spawned-controller.ts';

const service = (name: string, port: number): string =>
  stringify({
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name, namespace: 'default' },
    spec: { type: 'LoadBalancer', selector: { app: 'web' }, ports: [{ port, targetPort: 8080 }] },
  });

interface CoreEvents {
  readonly items: readonly { readonly reason: string; readonly source: { readonly component: string } }[];
}

interface Rejection {
  readonly flags?: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
  readonly code: number;
  readonly message: RegExp;
}

const REJECTIONS: Readonly<Record<string, Rejection>> = {
  'an unknown flag': {
    flags: ['--cluster-cidrs=x'],
    code: 2,
    message: /^error: unknown option '--cluster-cidrs=x' \(did you mean --cluster-cidr\?\)\n$/,
  },
  'a wrong value': {
    flags: ['--network=vcp'],
    code: 2,
    message: /^error: --network "vcp": expected one of vpc, public \(perhaps vpc\)\n$/,
  },
  'a missing cloud-config': {
    flags: ['--cloud-config=/nowhere'],
    code: 2,
    message: /^error: cloud-config file \/nowhere: file not found/,
  },
  'a missing access key': {
    environment: { ACCESS_KEY_ID: '', ACCESS_KEY_SECRET: '' },
    code: 2,
    message:
      /^error: no access key found in: cloud-config file, .*, environment variable ACCESS_KEY_ID, RAM role of the instance; assign/,
  },
  'an incomplete access key': {
    environment: { ACCESS_KEY_SECRET: '' },
    code: 2,
    message: /ACCESS_KEY_ID is set and ACCESS_KEY_SECRET is not/,
  },
};

/** Runs the real process: its flags, health, metrics and Lease, and its messages for wrong configurations. */
describe('the controller process', function () {
  this.timeout(300_000);
  const resources = new AsyncDisposableStack();
  let cluster: ControllerCluster;
  let controller: SpawnedController;
  let unreachable: SpawnedController;
  /** Processes that exit by themselves, in parallel to the tests of other processes. */
  const ending = new Map<string, SpawnedController>();

  const start = (...flags: string[]): Promise<SpawnedController> => cluster.start(flags);
  const read = async (name: string): Promise<Service | undefined> =>
    (await cluster.plane.client.find(`/api/v1/namespaces/default/services/${name}`)) as Service | undefined;
  const served = (name: string) =>
    answered(async () => (await read(name))?.status?.loadBalancer?.ingress?.[0]?.ip, `${name} has an address`);

  /** Writes a kubeconfig of an address at which no API server runs. */
  async function nowhere(): Promise<string> {
    const closed = createServer().listen(0, '127.0.0.1');
    await once(closed, 'listening');
    const { port } = closed.address() as AddressInfo;
    closed.close();
    const path = join(cluster.folder, 'nowhere.kubeconfig');
    writeFileSync(
      path,
      stringify({
        clusters: [{ name: 'c', cluster: { server: `https://127.0.0.1:${port}` } }],
        users: [{ name: 'u', user: { token: 'x' } }],
        contexts: [{ name: 'x', context: { cluster: 'c', user: 'u' } }],
        'current-context': 'x',
      }),
    );
    return path;
  }

  before(async () => {
    cluster = resources.use(await startControllerCluster());
    controller = resources.use(await start());
    // Started before all tests, because its timeout takes half a minute.
    unreachable = resources.use(await start(`--kubeconfig=${await nowhere()}`));
    for (const [what, { flags = [], environment = {} }] of Object.entries(REJECTIONS))
      ending.set(what, resources.use(await cluster.start(flags, environment)));
  });
  after(async () => {
    await resources.disposeAsync();
  });

  it('serves and cleans up a Service with the shipped RBAC', async () => {
    await controller.ready();
    await cluster.plane.kubectlWith(service('web', 80), 'apply', '-f', '-');
    const address = await served('web');
    const [loadBalancer] = (cluster.cloud.simulator.state() as { loadBalancers: { address: string }[] }).loadBalancers;
    assert.equal(loadBalancer?.address, address);
    await cluster.plane.kubectl('wait', '--for=condition=LoadBalancerReady', 'service/web', '--timeout=60s');
    const { metadata } = (await read('web')) ?? {};
    const binding = (await cluster.plane.client.get(
      `/apis/portcullis.io/v1alpha1/loadbalancerbindings/${metadata?.uid ?? ''}`,
    )) as LoadBalancerBinding;
    assert.match(binding.spec.syncedDigest ?? '', /^[0-9a-f]{40}$/);
    assert.deepEqual(binding.spec.operation, undefined);
    assert.match(metadata?.labels?.['service.beta.kubernetes.io/hash'] ?? '', /^[0-9a-f]{56}$/);
    assert.deepEqual(
      Object.keys(metadata?.labels ?? {}).filter((label) => label.startsWith('portcullis.io/')),
      [],
    );
    const ensured = await answered(async () => {
      const { items } = (await cluster.plane.client.get('/api/v1/namespaces/default/events')) as CoreEvents;
      return items.find(({ reason }) => reason === 'EnsuredLoadBalancer');
    }, 'the event is written');
    assert.equal(ensured.source.component, 'service-controller');
    await cluster.plane.kubectl('delete', 'service', 'web', '--timeout=60s');
    assert.deepEqual((cluster.cloud.simulator.state() as { loadBalancers: unknown[] }).loadBalancers, []);
    await answered(
      () => cluster.plane.client.find('/apis/portcullis.io/v1alpha1/cloudinventories/default'),
      'the inventory is published',
    );
  });

  it('serves health and the metrics of the existing controller, and releases the Lease', async () => {
    assert.equal((await controller.probe('/healthz')).text, 'ok');
    const text = await answered(async () => {
      const metrics = await controller.probe('/metrics');
      return metrics.text.includes('ccm_slb_operation_result') ? metrics.text : undefined;
    }, 'the controllers run');
    assert.match(text, /leader_election_master_status\{name="ccm"\} 1/);
    for (const name of ['ccm_slb_latencies_duration_milliseconds', 'ccm_slb_operation_result', 'portcullis_build_info'])
      assert.match(text, new RegExp(name));
    controller.signal('SIGTERM');
    assert.equal(await controller.ended, 0, controller.output());
    const lease = (await cluster.plane.client.get(
      '/apis/coordination.k8s.io/v1/namespaces/kube-system/leases/ccm',
    )) as Lease;
    assert.equal(lease.spec?.holderIdentity, '');
  });

  it('ends when another process acquires the Lease', async () => {
    await using leader = await start();
    await leader.ready();
    await answered(
      async () => ((await leader.probe('/metrics')).text.includes('master_status{name="ccm"} 1') ? true : undefined),
      'it leads',
    );
    const patch = JSON.stringify({ spec: { holderIdentity: 'another' } });
    await cluster.plane.kubectl('patch', 'lease', 'ccm', '-n', 'kube-system', '--type=merge', '-p', patch);
    assert.equal(await leader.ended, 2);
    assert.match(leader.output(), /error: the lease was not renewed in time, or another replica holds the lease/);
    await cluster.plane.kubectl('delete', 'lease', 'ccm', '-n', 'kube-system');
  });

  it('is not ready while it lacks the permission to read policies, and reports that', async () => {
    const path = '/apis/rbac.authorization.k8s.io/v1/clusterroles/portcullis-controller';
    const { rules } = (await cluster.plane.client.get(path)) as { rules: { resources: readonly string[] }[] };
    const without = rules.filter(({ resources }) => !resources.includes('loadbalancerpolicies'));
    await cluster.plane.client.patch(path, { rules: without });
    await using other = await start();
    await answered(async () => {
      const { status, text } = (await other.probe('/readyz?verbose').catch(() => undefined)) ?? { text: '' };
      const isReported = /\[-\]informer-loadbalancerpolicies failed: .*forbidden/i.test(text);
      return status !== 200 && isReported && text.includes('[+]informer-services ok') ? true : undefined;
    }, 'the process reports what it cannot read');
    await cluster.plane.client.patch(path, { rules });
    await other.ready();
    other.signal('SIGTERM');
    assert.equal(await other.ended, 0, other.output());
  });

  it('is ready without the custom resource definitions of portcullis.io', async () => {
    await cluster.plane.kubectl('delete', 'crd', 'classicloadbalancers.portcullis.io');
    // Older manifests of the Alibaba Cloud Controller Manager set the probe address by these flags.
    const [port = 0] = await freePorts(1);
    await using other = await start('--address=127.0.0.1', `--port=${port}`);
    await answered(async () => {
      const answer = await fetch(`http://127.0.0.1:${port}/readyz`).catch(() => undefined);
      return answer?.ok === true ? true : undefined;
    }, 'it is ready');
    other.signal('SIGTERM');
    assert.equal(await other.ended, 0, other.output());
  });

  for (const [what, { code, message }] of Object.entries(REJECTIONS)) {
    it(`rejects ${what} in one line`, async () => {
      const rejected = ending.get(what);
      const output = (): string => rejected?.output() ?? '';
      assert.equal(await rejected?.ended, code, output());
      assert.match(output(), message);
      assert.equal(output().trimEnd().split('\n').length, 1);
    });
  }

  it('reports that its port is in use', async () => {
    const other = createServer().listen(0, '127.0.0.1');
    await once(other, 'listening');
    const { port } = other.address() as AddressInfo;
    await using late = await start(`--health-probe-bind-addr=127.0.0.1:${port}`);
    assert.equal(await late.ended, 2);
    assert.match(
      late.output(),
      new RegExp(`error: the probe server cannot listen on 127.0.0.1:${port}, because another process uses the port`),
    );
    other.close();
  });

  it('ends with a message that has the cause if the API server cannot be reached', async () => {
    assert.equal(await unreachable.ended, 2);
    assert.match(unreachable.output(), /error: failed to read the cluster .*informer-services: .*ECONNREFUSED/);
  });
});
