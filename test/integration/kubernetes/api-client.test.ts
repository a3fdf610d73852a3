import assert from 'node:assert/strict';
import { mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Registry } from 'prom-client';
import { systemClock } from '../../../src/base/clock.ts';
import { hasReason } from '../../../src/base/errors.ts';
import { pluginConnection } from '../../../src/kubernetes/credential-plugin.ts';
import { inClusterConnection, type Connection } from '../../../src/kubernetes/connection.ts';
import { kubeconfigConnection } from '../../../src/kubernetes/kubeconfig.ts';
import { transportMetrics } from '../../../src/kubernetes/metrics.ts';
import { Transport } from '../../../src/kubernetes/transport.ts';
import { Writer } from '../../../src/kubernetes/writer.ts';
import { CONFIG_MAPS, NODES, SERVICES, objectKey, type ConfigMap } from '../../../src/base/kubernetes-objects.ts';
import { borrowControlPlane } from '../../support/borrowed-control-plane.ts';
import type { TestControlPlane } from '../../support/control-plane.ts';
import { follow, until } from '../../support/kubernetes-access.ts';

const never = new AbortController().signal;

/** Tokens and certificates expire. Without a reload, a process would lose its access until a restart. */
describe('access to a real API server', function () {
  this.timeout(120_000);
  let plane: TestControlPlane;
  let folder: string;
  const open: AsyncDisposable[] = [];

  before(async () => {
    plane = await borrowControlPlane();
    folder = await mkdtemp(join(tmpdir(), 'portcullis-access-'));
    await writeFile(join(folder, 'ca.crt'), plane.certificateAuthority);
  });
  afterEach(async () => {
    for (const one of open.splice(0)) await one[Symbol.asyncDispose]();
  });
  after(async () => {
    await rm(folder, { recursive: true, force: true });
    await plane[Symbol.asyncDispose]();
  });

  const transport = (connection: Connection): Transport => {
    const made = new Transport({
      connection,
      clock: systemClock,
      userAgent: 'portcullis-test/1',
      rate: { perSecond: Infinity, burst: 1 },
      metrics: transportMetrics(new Registry()),
    });
    open.push(made);
    return made;
  };
  const account = async (name: string): Promise<string> => {
    await plane.kubectl('create', 'serviceaccount', name);
    return plane.createToken(`default/${name}`);
  };
  /** Replaces the file with a new one, as the kubelet does. */
  const store = async (token: string): Promise<void> => {
    await writeFile(join(folder, 'next'), `${token}\n`);
    await rename(join(folder, 'next'), join(folder, 'token'));
  };
  const inCluster = (): Promise<Connection> => {
    const { hostname, port } = new URL(plane.server);
    return inClusterConnection(
      { KUBERNETES_SERVICE_HOST: hostname, KUBERNETES_SERVICE_PORT: port },
      systemClock,
      folder,
    );
  };

  it('continues with a new token at once after the old one is revoked', async () => {
    await store(await account('rotated'));
    await plane.kubectl(
      'create',
      'rolebinding',
      'rotated',
      '--clusterrole=cluster-admin',
      '--serviceaccount=default:rotated',
      '--serviceaccount=default:fresh',
    );
    const requests = transport(await inCluster());
    const writer = new Writer(requests);
    await writer.create<ConfigMap>(CONFIG_MAPS, { metadata: { name: 'rotated', namespace: 'default' } }, never);
    await using maps = follow<ConfigMap>(requests, { resource: CONFIG_MAPS, select: { namespace: 'default' } });
    await until('the first list', () => maps.cache.hasSynced());
    await plane.kubectl('delete', 'serviceaccount', 'rotated');
    const isRejected = () =>
      writer.get(CONFIG_MAPS, objectKey('rotated', 'default'), never).then(
        () => false,
        (error: unknown) => hasReason(error, 'Unauthorized') && error.code === '401',
      );
    await until('the token to be rejected', isRejected);
    await store(await account('fresh'));
    assert.equal((await writer.get(CONFIG_MAPS, objectKey('rotated', 'default'), never)).metadata.name, 'rotated');
    await using again = follow<ConfigMap>(requests, { resource: CONFIG_MAPS, select: { namespace: 'default' } });
    await until('a list with the new token', () => again.cache.hasSynced());
  });

  it('delays a cache without a valid token, reports the cause, and syncs it later', async () => {
    await store('not-a-token');
    const requests = transport(await inCluster());
    await using maps = follow<ConfigMap>(requests, { resource: CONFIG_MAPS, select: { namespace: 'default' } });
    await until('a problem', () => (maps.reflector.problem() ?? '').includes('the credentials were rejected'));
    const token = await account('late');
    await plane.kubectl(
      'create',
      'rolebinding',
      'late',
      '--clusterrole=cluster-admin',
      '--serviceaccount=default:late',
    );
    await store(token);
    await until('the first list', () => maps.cache.hasSynced());
  });

  it('reports which permission is missing', async () => {
    await store(await account('powerless'));
    const writer = new Writer(transport(await inCluster()));
    await assert.rejects(
      writer.get(NODES, objectKey('a'), never),
      (error) =>
        hasReason(error, 'Forbidden') && /default:powerless.*cannot get resource "nodes".*RBAC/.test(error.message),
    );
  });

  it('reports a wrong certificate authority', async () => {
    const connection = { server: plane.server };
    const writer = new Writer(transport(connection));
    await assert.rejects(
      writer.get(NODES, objectKey('a'), never),
      (error) => hasReason(error, 'Unavailable') && error.message.includes('check that the certificate authority'),
    );
  });

  it('gets credentials from a plug-in through the official client', async () => {
    const token = await account('plugged');
    await plane.kubectl(
      'create',
      'clusterrolebinding',
      'plugged',
      '--clusterrole=cluster-admin',
      '--serviceaccount=default:plugged',
    );
    const credential = { apiVersion: 'client.authentication.k8s.io/v1', kind: 'ExecCredential', status: { token } };
    const ca = Buffer.from(plane.certificateAuthority).toString('base64');
    const exec = {
      apiVersion: 'client.authentication.k8s.io/v1',
      command: process.execPath,
      args: ['-e', `process.stdout.write(${JSON.stringify(JSON.stringify(credential))})`],
      interactiveMode: 'Never',
    };
    const path = join(folder, 'plugged.kubeconfig');
    const config = {
      clusters: [{ name: 'c', cluster: { server: plane.server, 'certificate-authority-data': ca } }],
      users: [{ name: 'u', user: { exec } }],
      contexts: [{ name: 'x', context: { cluster: 'c', user: 'u' } }],
      'current-context': 'x',
    };
    await writeFile(path, JSON.stringify(config));
    const connection = await kubeconfigConnection({ path, clock: systemClock, plugins: pluginConnection });
    const writer = new Writer(transport(connection));
    assert.equal((await writer.get(SERVICES, objectKey('kubernetes', 'default'), never)).metadata.name, 'kubernetes');
  });

  describe('writing', () => {
    let writer: Writer;
    beforeEach(async () => {
      writer = new Writer(transport(await kubeconfigConnection({ path: plane.kubeconfig, clock: systemClock })));
    });
    const service = (name: string) => ({
      metadata: { name, namespace: 'default' },
      spec: { type: 'LoadBalancer', ports: [{ port: 80 }] },
    });
    const made = (name: string) => writer.create(SERVICES, service(name), never);

    it('patches an object only if it has the expected resource version', async () => {
      const { metadata } = await made('patched');
      const key = objectKey('patched', 'default');
      const patch = (label: string) => ({ metadata: { resourceVersion: metadata.resourceVersion, labels: { label } } });
      assert.equal((await writer.mergePatch(SERVICES, key, patch('one'), {}, never)).metadata.labels?.['label'], 'one');
      await assert.rejects(writer.mergePatch(SERVICES, key, patch('two'), {}, never), (error) =>
        hasReason(error, 'Conflict'),
      );
    });

    it('patches the status subresource', async () => {
      await made('status');
      const status = { loadBalancer: { ingress: [{ ip: '203.0.113.7' }] } };
      const after = await writer.mergePatch(
        SERVICES,
        objectKey('status', 'default'),
        { status },
        { subresource: 'status' },
        never,
      );
      assert.equal(after.status?.loadBalancer?.ingress?.[0]?.ip, '203.0.113.7');
    });

    it('fails to create an existing object, and to find or delete a missing one', async () => {
      await made('twice');
      await assert.rejects(made('twice'), (error) => hasReason(error, 'Conflict'));
      const missing = objectKey('missing', 'default');
      await assert.rejects(writer.get(SERVICES, missing, never), (error) => hasReason(error, 'NotFound'));
      await assert.rejects(writer.delete(SERVICES, missing, {}, never), (error) => hasReason(error, 'NotFound'));
    });

    it('reports the cause of the API server', async () => {
      const wrong = { ...service('wrong'), spec: { type: 'Nonsense', ports: [{ port: 80 }] } };
      await assert.rejects(
        writer.create(SERVICES, wrong, never),
        (error) => hasReason(error, 'Rejected') && error.message.includes('Unsupported value: "Nonsense"'),
      );
    });

    it('deletes only the object with the UID, and no other of the same name', async () => {
      const { metadata } = await made('deleted');
      const key = objectKey('deleted', 'default');
      await assert.rejects(writer.delete(SERVICES, key, { uid: 'another' }, never), (error) =>
        hasReason(error, 'Conflict'),
      );
      await writer.delete(SERVICES, key, { uid: metadata.uid }, never);
      await assert.rejects(writer.get(SERVICES, key, never), (error) => hasReason(error, 'NotFound'));
    });
  });
});
