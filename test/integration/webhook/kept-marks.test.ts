import assert from 'node:assert/strict';
import { startAdmissionCluster, type AdmissionCluster } from '../../support/admission-cluster.ts';
import { startWebhook } from '../../support/webhook-process.ts';

const SERVICES = '/api/v1/namespaces/shop/services';
const FINALIZER = 'service.k8s.alibaba/resources';
const MARKS = { 'service.k8s.alibaba/loadbalancer-id': 'lb-1', 'portcullis.io/digest': 'd' };

const manifest = (type: string): object => ({
  apiVersion: 'v1',
  kind: 'Service',
  metadata: { name: 'web', namespace: 'shop' },
  spec: { type, ports: [{ name: 'http', port: 80 }] },
});

describe('a Service over which a manifest is written', function () {
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
    const held = { name: 'web', namespace: 'shop', finalizers: [FINALIZER], labels: MARKS };
    await cluster.plane.client.create(SERVICES, { ...manifest('LoadBalancer'), metadata: held });
  });

  after(async () => {
    await resources.disposeAsync();
  });

  const replace = (type: string) => cluster.plane.kubectlWith(JSON.stringify(manifest(type)), 'replace', '-f', '-');

  async function stored(name = 'web'): Promise<object> {
    const text = await cluster.plane.kubectl('get', 'service', name, '-n', 'shop', '-o', 'json');
    const { metadata, spec } = JSON.parse(text) as {
      metadata: { labels?: object; finalizers?: readonly string[] };
      spec: { type: string };
    };
    return { type: spec.type, labels: metadata.labels, finalizers: metadata.finalizers };
  }

  it('keeps what the controller wrote, and nobody is told to put it back', async () => {
    const { code, stderr } = await replace('LoadBalancer');
    assert.deepEqual([code, stderr], [0, '']);
    assert.deepEqual(await stored(), { type: 'LoadBalancer', labels: MARKS, finalizers: [FINALIZER] });
  });

  it('is not given up by a patch that takes the finalizer off with the type', async () => {
    const leave = '{"metadata":{"finalizers":null},"spec":{"type":"ClusterIP"}}';
    const { code, stderr } = await cluster.plane.kubectlWith(
      '',
      ...['patch', 'service', 'web', '-n', 'shop', '--type=merge', '-p', leave],
    );
    assert.deepEqual([code, stderr.includes('preserve-lb-on-delete to "true" first')], [1, true]);
    assert.deepEqual(await stored(), { type: 'LoadBalancer', labels: MARKS, finalizers: [FINALIZER] });
  });

  it('keeps it too where the load balancer is given up with it', async () => {
    const { code, stderr } = await replace('ClusterIP');
    assert.deepEqual([code, stderr.includes(`the finalizer ${FINALIZER} stays: by it`)], [0, true]);
    assert.equal(stderr.includes('put it back'), false);
    assert.deepEqual(await stored(), { type: 'ClusterIP', labels: MARKS, finalizers: [FINALIZER] });
  });

  it('keeps it as often as that is done', async () => {
    await replace('ClusterIP');
    assert.deepEqual(await stored(), { type: 'ClusterIP', labels: MARKS, finalizers: [FINALIZER] });
  });

  it('loses the finalizer to whoever takes it off by itself', async () => {
    const gone = '{"metadata":{"finalizers":null}}';
    await cluster.plane.kubectl('patch', 'service', 'web', '-n', 'shop', '--type=merge', '-p', gone);
    assert.deepEqual(await stored(), { type: 'ClusterIP', labels: MARKS, finalizers: undefined });
  });

  it('keeps it while it is being deleted, until somebody takes it off', async () => {
    const doomed = (type: string): object => ({ ...manifest(type), metadata: { name: 'doomed', namespace: 'shop' } });
    const held = { name: 'doomed', namespace: 'shop', finalizers: [FINALIZER], labels: MARKS };
    await cluster.plane.client.create(SERVICES, { ...manifest('LoadBalancer'), metadata: held });
    await cluster.plane.kubectl('delete', 'service', 'doomed', '-n', 'shop', '--wait=false');
    for (const type of ['LoadBalancer', 'ClusterIP']) {
      const { code, stderr } = await cluster.plane.kubectlWith(JSON.stringify(doomed(type)), 'replace', '-f', '-');
      assert.deepEqual([code, stderr.includes(`the finalizer ${FINALIZER} stays: by it`)], [0, true]);
      assert.deepEqual(await stored('doomed'), { type, labels: MARKS, finalizers: [FINALIZER] });
    }
    const gone = '{"metadata":{"finalizers":null}}';
    await cluster.plane.kubectl('patch', 'service', 'doomed', '-n', 'shop', '--type=merge', '-p', gone);
    const { stderr } = await cluster.plane.kubectlWith('', 'get', 'service', 'doomed', '-n', 'shop');
    assert.match(stderr, /NotFound/);
  });
});
