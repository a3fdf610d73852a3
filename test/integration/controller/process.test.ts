import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { stringify } from 'yaml';
import type { Service } from '../../../src/objects.ts';
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

describe('the controller as a process', function () {
  this.timeout(120_000);
  const resources = new AsyncDisposableStack();
  let cluster: ControllerCluster;
  let unreachable: SpawnedController;

  const start = (...flags: string[]): Promise<SpawnedController> => cluster.start(flags);
  const read = async (name: string): Promise<Service | undefined> => {
    const { code, stdout } = await cluster.plane.kubectlWith('', 'get', 'service', name, '-o', 'json');
    return code === 0 ? (JSON.parse(stdout) as Service) : undefined;
  };
  const served = (name: string) =>
    answered(async () => (await read(name))?.status?.loadBalancer?.ingress?.[0]?.ip, `${name} has an address`);

  /** A kubeconfig of a cluster that nobody runs. */
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
    // It takes half a minute to give up, in which the others can go on.
    unreachable = resources.use(await start(`--kubeconfig=${await nowhere()}`));
  });
  after(async () => {
    await resources.disposeAsync();
  });

  it('gives a Service an address with the rights that it is shipped with, and takes everything away again', async () => {
    await using controller = await start();
    await controller.ready();
    await cluster.plane.kubectlWith(service('web', 80), 'apply', '-f', '-');
    const address = await served('web');
    const [loadBalancer] = (cluster.cloud.simulator.state() as { loadBalancers: { address: string }[] }).loadBalancers;
    assert.equal(loadBalancer?.address, address);
    await cluster.plane.kubectl('wait', '--for=condition=LoadBalancerReady', 'service/web', '--timeout=20s');
    const { metadata } = (await read('web')) ?? {};
    assert.match(metadata?.labels?.['portcullis.io/digest'] ?? '', /^[0-9a-f]{40}$/);
    assert.match(metadata?.labels?.['service.beta.kubernetes.io/hash'] ?? '', /^[0-9a-f]{56}$/);
    assert.equal(metadata?.labels?.['portcullis.io/dirty'], undefined);
    const events = await answered(async () => {
      const text = await cluster.plane.kubectl('get', 'events', '-o', 'custom-columns=R:.reason,S:.source.component');
      return text.includes('EnsuredLoadBalancer') ? text : undefined;
    }, 'the event is written');
    assert.match(events, /EnsuredLoadBalancer\s+service-controller/);
    await cluster.plane.kubectl('delete', 'service', 'web', '--timeout=30s');
    assert.deepEqual((cluster.cloud.simulator.state() as { loadBalancers: unknown[] }).loadBalancers, []);
    await answered(
      async () =>
        (await cluster.plane.kubectl('get', 'cloudinventory', '-o', 'name')).includes('default') ? true : undefined,
      'the inventory is published',
    );
    controller.signal('SIGTERM');
    assert.equal(await controller.ended, 0, controller.output());
  });

  it('serves health and the figures of the existing controller, and releases the Lease when it is told to stop', async () => {
    await using controller = await start();
    await controller.ready();
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
    const holder = await cluster.plane.kubectl(
      'get',
      'lease',
      'ccm',
      '-n',
      'kube-system',
      '-o',
      'jsonpath={.spec.holderIdentity}',
    );
    assert.equal(holder, '');
  });

  it('ends when another has taken the Lease', async () => {
    await using controller = await start();
    await controller.ready();
    await answered(
      async () =>
        (await controller.probe('/metrics')).text.includes('master_status{name="ccm"} 1') ? true : undefined,
      'it leads',
    );
    const patch = JSON.stringify({ spec: { holderIdentity: 'another' } });
    await cluster.plane.kubectl('patch', 'lease', 'ccm', '-n', 'kube-system', '--type=merge', '-p', patch);
    assert.equal(await controller.ended, 1);
    assert.match(controller.output(), /error: the lease could not be renewed in time or another replica has it/);
    await cluster.plane.kubectl('delete', 'lease', 'ccm', '-n', 'kube-system');
  });

  it('is ready without the kinds that we bring ourselves', async () => {
    await cluster.plane.kubectl('delete', 'crd', 'classicloadbalancers.portcullis.io');
    await using controller = await start();
    await controller.ready();
    controller.signal('SIGTERM');
    assert.equal(await controller.ended, 0, controller.output());
  });

  const refusals: Record<
    string,
    { flags?: string[]; environment?: Record<string, string>; code: number; says: RegExp }
  > = {
    'an unknown flag': {
      flags: ['--cluster-cidrs=x'],
      code: 2,
      says: /^error: unknown option '--cluster-cidrs=x' \(did you mean --cluster-cidr\?\)\n$/,
    },
    'a wrong value': {
      flags: ['--network=vcp'],
      code: 2,
      says: /^error: --network "vcp": expected one of vpc, public \(perhaps vpc\)\n$/,
    },
    'a missing cloud-config': {
      flags: ['--cloud-config=/nowhere'],
      code: 2,
      says: /^error: cloud-config file \/nowhere: there is no such file/,
    },
    'a missing access key': {
      environment: { ACCESS_KEY_ID: '', ACCESS_KEY_SECRET: '' },
      code: 1,
      says: /^error: no access key was found; looked at: cloud-config file, .*, environment ACCESS_KEY_ID, RAM role of the instance: give/,
    },
    'half an access key': {
      environment: { ACCESS_KEY_SECRET: '' },
      code: 1,
      says: /ACCESS_KEY_ID is set and ACCESS_KEY_SECRET is not/,
    },
  };
  for (const [what, { flags = [], environment = {}, code, says }] of Object.entries(refusals)) {
    it(`refuses ${what} in one line`, async () => {
      await using controller = await cluster.start(flags, environment);
      assert.equal(await controller.ended, code, controller.output());
      assert.match(controller.output(), says);
      assert.equal(controller.output().trimEnd().split('\n').length, 1);
    });
  }

  it('says that its port is taken', async () => {
    const other = createServer().listen(0, '127.0.0.1');
    await once(other, 'listening');
    const { port } = other.address() as AddressInfo;
    await using controller = await start(`--health-probe-bind-addr=127.0.0.1:${port}`);
    assert.equal(await controller.ended, 2);
    assert.match(
      controller.output(),
      new RegExp(`error: the probes cannot listen on 127.0.0.1:${port}, because another process does`),
    );
    other.close();
  });

  it('says which cluster it cannot read, and why, and ends', async () => {
    assert.equal(await unreachable.ended, 1);
    assert.match(unreachable.output(), /error: the cluster could not be read .*informer-services: .*ECONNREFUSED/);
  });
});
