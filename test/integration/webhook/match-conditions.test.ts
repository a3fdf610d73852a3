import assert from 'node:assert/strict';
import { startAdmissionCluster, type AdmissionCluster } from '../../support/admission-cluster.ts';
import { startWebhook } from '../../support/webhook-process.ts';

const TIMES = 5;
const SERVICES = '/api/v1/namespaces/shop/services';
const NODES = '/api/v1/nodes';
const LEASES = '/apis/coordination.k8s.io/v1/namespaces/shop/leases';
const OURS = /^apiserver_admission_webhook_request_total\{.*name="([a-z-]+\.portcullis\.io)".*\} (\d+)$/gm;

const service = (name: string, type: string, annotations = {}): object => ({
  apiVersion: 'v1',
  kind: 'Service',
  metadata: { name, annotations },
  spec: { type, ports: [{ name: 'http', port: 80 }] },
});
const node = { apiVersion: 'v1', kind: 'Node', metadata: { name: 'n1' } };
const at = (number: number): string => new Date(1_767_225_600_000 + number * 1_000).toISOString();
const lease = (number: number): object => ({ spec: { renewTime: at(number).replace('Z', '000Z') } });
const heartbeat = (number: number): object => ({
  status: { conditions: [{ type: 'Ready', status: 'True', lastHeartbeatTime: at(number) }] },
});
const address = (number: number): object => ({
  status: { loadBalancer: { ingress: [{ ip: `203.0.113.${number}` }] } },
});

/** A request that needs no evaluation must not reach the webhook, because each call delays the API server. */
describe('the webhook', function () {
  this.timeout(60_000);
  const resources = new AsyncDisposableStack();
  let cluster: AdmissionCluster;

  before(async () => {
    cluster = resources.use(await startAdmissionCluster());
    const webhook = resources.use(await startWebhook(cluster.flags));
    await webhook.ready();
    cluster.route(webhook.port);
    await cluster.register();
    await cluster.plane.kubectl('create', 'namespace', 'shop');
    const { client } = cluster.plane;
    await client.create(SERVICES, service('web', 'LoadBalancer'));
    await client.create(SERVICES, service('inner', 'ClusterIP'));
    await client.create(NODES, node);
    await client.create(LEASES, { apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', metadata: { name: 'leader' } });
  });

  after(async () => {
    await resources.disposeAsync();
  });

  /** Returns the API server's call counts of the product's webhooks, by name. */
  async function calls(): Promise<Readonly<Record<string, number>>> {
    const counted: Record<string, number> = {};
    for (const [, name = '', count] of (await cluster.plane.kubectl('get', '--raw', '/metrics')).matchAll(OURS)) {
      counted[name] = (counted[name] ?? 0) + Number(count);
    }
    return counted;
  }

  /** Runs kubectl as one of the product's service accounts, with every permission. */
  const as = (account: string, ...args: string[]): Promise<string> =>
    cluster.plane.kubectl(
      ...[`--as=system:serviceaccount:portcullis-system:${account}`, '--as-group=system:masters', '-n', 'shop'],
      ...args,
    );

  it('gets one mutating and one validating request about a Service of type LoadBalancer', async () => {
    const before = await calls();
    await cluster.plane.client.create(SERVICES, service('asked', 'LoadBalancer'));
    const after = await calls();
    for (const name of ['mutate-service.portcullis.io', 'validate-service.portcullis.io']) {
      assert.equal((after[name] ?? 0) - (before[name] ?? 0), 1, name);
    }
  });

  it('gets requests about a Service of another type that still has the finalizer', async () => {
    const { plane } = cluster;
    const { metadata, ...left } = service('left', 'ClusterIP') as { readonly metadata: object };
    const finalizers = ['service.k8s.alibaba/resources'];
    await plane.client.create(SERVICES, { ...left, metadata: { ...metadata, finalizers } });
    const without = JSON.stringify({ metadata: { finalizers: null } });
    const { code, stderr } = await plane.kubectlWith(
      '',
      ...['-n', 'shop', 'patch', 'service', 'left', '--type=merge', '-p', without],
    );
    assert.equal(code, 0, stderr);
    assert.match(stderr, /Warning: Service shop\/left: metadata\.finalizers\[service\.k8s\.alibaba\/resources\]/);
  });

  const patch = (path: string, body: (number: number) => object) => (number: number) =>
    cluster.plane.client.patch(path, body(number));
  const writes: Readonly<Record<string, (number: number) => Promise<unknown>>> = {
    'a new ClusterIP Service': (number) => cluster.plane.client.create(SERVICES, service(`i${number}`, 'ClusterIP')),
    'a changed ClusterIP Service': patch(`${SERVICES}/inner`, (number) => ({
      metadata: { annotations: { n: `${number}` } },
    })),
    'a NodePort Service': (number) => cluster.plane.client.create(SERVICES, service(`p${number}`, 'NodePort')),
    'the status of a Service of type LoadBalancer': patch(`${SERVICES}/web/status`, address),
    'a user label of a Service of type LoadBalancer': patch(`${SERVICES}/web`, (number) => ({
      metadata: { labels: { n: `${number}` } },
    })),
    'the deletion of a Service of type LoadBalancer': async (number) => {
      await as('portcullis-controller', 'create', 'service', 'loadbalancer', `gone${number}`, '--tcp=80');
      await cluster.plane.kubectl('delete', 'service', `gone${number}`, '-n', 'shop', '--wait=false');
    },
    'a heartbeat of a Node': patch(`${NODES}/n1/status`, heartbeat),
    'a user label or taint of a Node': patch(`${NODES}/n1`, (number) => ({
      metadata: { labels: { n: `${number}` } },
      spec: { taints: [{ key: 'n', value: `${number}`, effect: 'NoSchedule' }] },
    })),
    'a lease': patch(`${LEASES}/leader`, lease),
    'labels and finalizers that the controller writes': (number) =>
      as(
        'portcullis-controller',
        'label',
        'service',
        'web',
        '--overwrite',
        `service.beta.kubernetes.io/hash=${number}`,
      ),
    'an address that the controller writes': (number) =>
      as(
        'portcullis-controller',
        'patch',
        'service',
        'web',
        '--subresource=status',
        '-p',
        JSON.stringify(address(number)),
      ),
    'Node labels that the controller writes': (number) =>
      as('portcullis-controller', 'label', 'node', 'n1', '--overwrite', `topology.kubernetes.io/zone=z${number}`),
  };
  for (const [title, write] of Object.entries(writes)) {
    it(`gets no request about ${title}`, async () => {
      const before = await calls();
      for (let number = 1; number <= TIMES; number += 1) await write(number);
      assert.deepEqual(await calls(), before);
    });
  }
});
