import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { PortcullisError } from '../../../../src/base/errors.ts';
import { Kubelet } from '../../../../src/local/kubelet/kubelet.ts';
import { launchFile, tokenFile } from '../../../../src/local/kubelet/launch-spec.ts';
import { Tokens } from '../../../../src/local/kubelet/tokens.ts';
import { aDeployment } from '../../../support/deployment.ts';
import { temporaryFolder } from '../../../support/folder.ts';
import { aClient } from '../../../support/strict-api-client.ts';
import { VirtualClock } from '../../../support/virtual-clock.ts';

const never = new AbortController().signal;
const deployment = aDeployment(
  {
    args: ['webhook', '--tls-cert-dir=/tls'],
    ports: [
      { name: 'https', containerPort: 9443 },
      { name: 'health', containerPort: 10259 },
    ],
    readinessProbe: { httpGet: { path: '/readyz', port: 'health' } },
    volumeMounts: [{ name: 'tls', mountPath: '/tls' }],
  },
  { volumes: [{ name: 'tls', secret: { secretName: 'tls' } }] },
);
const pod = {
  metadata: { name: 'webhook-1', labels: { app: 'webhook' } },
  status: { phase: 'Running', podIP: '10.64.1.2', conditions: [{ type: 'Ready', status: 'True' }] },
};

/** Creates a kubelet with the objects of its API server, and records its actions. */
function aKubelet(folder: string, health: number) {
  const clock = new VirtualClock();
  const objects: Record<string, readonly object[]> = {
    deployments: [deployment],
    daemonsets: [],
    pods: [pod],
    secrets: [],
    configmaps: [],
  };
  const patches: { path: string; body: unknown }[] = [];
  const warnings: string[] = [];
  let failure: Error | undefined;
  let issued = 0;
  const client = aClient({
    get: async (path) => {
      if (failure !== undefined) throw failure;
      return { items: objects[path.split('/').at(-1) ?? ''] };
    },
    create: async () => {
      issued += 1;
      return { status: { token: issued === 1 ? 'a token' : 'another token' } };
    },
    patch: async (path, body) => void patches.push({ path, body }),
  });
  const kubelet = new Kubelet({
    client,
    clock,
    folder,
    namespace: 'portcullis-system',
    tokens: new Tokens(client, 'portcullis-system', clock),
    machine: () => ({
      entrypoint: ['node', 'main.js'],
      kubeconfig: '/kubeconfig',
      ports: { https: 20001, health },
      environment: {},
    }),
    warn: (message) => void warnings.push(message),
    restarted: () => undefined,
  });
  const failWith = (error: Error | undefined): void => void (failure = error);
  return { kubelet, objects, patches, warnings, failWith };
}

const SECRET = { metadata: { name: 'tls' }, data: { 'tls.crt': Buffer.from('C').toString('base64') } };

/** The sandbox runs the shipped Deployments, so with a wrong volume, token or probe, it would test another installation. */
describe('the kubelet of the sandbox', () => {
  it('writes the launch file when all mounted objects exist', async () => {
    using folder = temporaryFolder();
    const { kubelet, objects } = aKubelet(folder.path, 1);
    await kubelet.reconcile(never);
    assert.equal(existsSync(launchFile(folder.path, 'webhook')), false);
    assert.equal(readFileSync(tokenFile(folder.path, 'webhook'), 'utf8'), 'a token');
    objects['secrets'] = [SECRET];
    await kubelet.reconcile(never);
    const launch = JSON.parse(readFileSync(launchFile(folder.path, 'webhook'), 'utf8')) as { args: string[] };
    const [, , directory = ''] = launch.args;
    assert.equal(readFileSync(join(directory.replace('--tls-cert-dir=', ''), 'tls.crt'), 'utf8'), 'C');
    assert.equal(existsSync(launchFile(folder.path, 'controller')), false);
  });

  it('gets a new token for a Deployment that was deleted and created again', async () => {
    using folder = temporaryFolder();
    const { kubelet, objects } = aKubelet(folder.path, 1);
    await kubelet.reconcile(never);
    await kubelet.reconcile(never);
    assert.equal(readFileSync(tokenFile(folder.path, 'webhook'), 'utf8'), 'a token');
    objects['deployments'] = [];
    await kubelet.reconcile(never);
    objects['deployments'] = [deployment];
    await kubelet.reconcile(never);
    assert.equal(readFileSync(tokenFile(folder.path, 'webhook'), 'utf8'), 'another token');
  });

  it('runs a DaemonSet like a Deployment', async () => {
    using folder = temporaryFolder();
    const { kubelet, objects } = aKubelet(folder.path, 1);
    objects['daemonsets'] = [{ ...aDeployment(), metadata: { name: 'portcullis-controller' } }];
    await kubelet.reconcile(never);
    assert.equal(existsSync(launchFile(folder.path, 'controller')), true);
  });

  it('sets the readiness of a pod from its probe on this machine', async () => {
    using folder = temporaryFolder();
    let status = 200;
    const server = createServer((request, response) =>
      response.writeHead(request.url === '/readyz' ? status : 404).end(),
    );
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { kubelet, patches } = aKubelet(folder.path, (server.address() as AddressInfo).port);
    status = 503;
    await kubelet.reconcile(never);
    assert.equal(patches[0]?.path, '/api/v1/namespaces/portcullis-system/pods/webhook-1/status');
    assert.match(JSON.stringify(patches[0].body), /"type":"Ready","status":"False"/);
    status = 200;
    await kubelet.reconcile(never);
    assert.match(JSON.stringify(patches[1]?.body), /"type":"ContainersReady","status":"True"/);
    server.close();
    server.closeAllConnections();
  });

  it('finds the route to a pod that was created after the last list of pods', async () => {
    using folder = temporaryFolder();
    const { kubelet, objects } = aKubelet(folder.path, 1);
    objects['pods'] = [];
    await kubelet.reconcile(never);
    objects['pods'] = [pod];
    assert.equal(await kubelet.route('10.64.1.2:9443', never), 20001);
    assert.equal(await kubelet.route('10.64.9.9:9443', never), undefined);
  });

  it('logs an error once, and continues when it is fixed', async () => {
    using folder = temporaryFolder();
    const { kubelet, objects, warnings, failWith } = aKubelet(folder.path, 1);
    objects['secrets'] = [SECRET];
    failWith(new PortcullisError('Unavailable', 'connection refused'));
    await kubelet.reconcile(never);
    await kubelet.reconcile(never);
    assert.deepEqual(warnings, ['connection refused']);
    failWith(undefined);
    await kubelet.reconcile(never);
    assert.equal(existsSync(launchFile(folder.path, 'webhook')), true);
  });

  it('runs a Deployment although another Deployment is unsupported', async () => {
    using folder = temporaryFolder();
    const { kubelet, objects, warnings } = aKubelet(folder.path, 1);
    const broken = { ...aDeployment({ envFrom: [{}] }), metadata: { name: 'portcullis-webhook' } };
    const fine = { ...aDeployment(), metadata: { name: 'portcullis-controller', namespace: 'portcullis-system' } };
    objects['deployments'] = [broken, fine];
    await kubelet.reconcile(never);
    assert.equal(existsSync(launchFile(folder.path, 'controller')), true);
    assert.match(warnings.join(), /envFrom/);
  });
});
