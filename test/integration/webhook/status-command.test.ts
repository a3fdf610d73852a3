import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { parse, stringify } from 'yaml';
import { printProgress } from '../../../src/local/progress.ts';
import { obtainTools } from '../../../src/local/tools/find-or-build-tools.ts';
import { startAdmissionCluster, type AdmissionCluster } from '../../support/admission-cluster.ts';
import { COMPILED } from '../../support/compile-cache.ts';
import { failing } from '../../support/webhook-rollouts.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { root } from '../../support/manifests.ts';
import { startWebhook, type WebhookProcess } from '../../support/webhook-process.ts';

const MAIN = join(import.meta.dirname, '..', '..', '..', 'src', 'main.ts');

const SERVICE = stringify({
  apiVersion: 'v1',
  kind: 'Service',
  metadata: { name: 'web', namespace: 'default' },
  spec: { type: 'LoadBalancer', selector: { app: 'web' }, ports: [{ port: 80 }] },
});
const LEASE = {
  apiVersion: 'coordination.k8s.io/v1',
  kind: 'Lease',
  metadata: { name: 'ccm', namespace: 'kube-system' },
};
/** The ClusterRole of the documentation. */
const READER = parse(
  /```yaml\n(apiVersion: rbac[^`]*name: portcullis-status\n[^`]*)```/.exec(
    readFileSync(join(root, 'docs/tasks/troubleshoot.md'), 'utf8'),
  )?.[1] ?? '',
) as object;
const READER_BINDING = {
  apiVersion: 'rbac.authorization.k8s.io/v1',
  kind: 'ClusterRoleBinding',
  metadata: { name: 'portcullis-status' },
  roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'portcullis-status' },
  subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: 'reader' }],
};

interface Printed {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

const runFile = (file: string, args: readonly string[], env: NodeJS.ProcessEnv): Promise<Printed> =>
  new Promise((resolve) => {
    execFile(file, args, { env }, (error, stdout, stderr) =>
      resolve({ code: error === null ? 0 : Number(error.code), stdout, stderr }),
    );
  });

/** Installs an executable of this name that runs the program through a link of the same name, as npm does. */
function installPlugin(folder: string, name: string): void {
  const link = join(folder, 'links', name);
  mkdirSync(join(folder, 'links'), { recursive: true });
  symlinkSync(MAIN, link);
  writeFileSync(join(folder, name), `#!/bin/sh\nexec '${process.execPath}' '${link}' "$@"\n`, { mode: 0o755 });
}

/** Returns level and text of a line of the status. */
function lineIn({ stdout, stderr }: Printed, name: string): readonly string[] {
  const [, level = '', text = ''] = new RegExp(`^(\\w+) +${name} +(.*)$`, 'm').exec(stdout) ?? [];
  assert.notEqual(level, '', `no line ${name}:\n${stdout}${stderr}`);
  return [level, text];
}

/** Users diagnose an installation with `portcullis status`, which must find what is wrong in a real cluster. */
describe('the status of a cluster with a webhook', function () {
  this.timeout(120_000);
  const resources = new AsyncDisposableStack();
  let cluster: AdmissionCluster;
  let webhook: WebhookProcess;

  const status = (kubeconfig: string, ...args: readonly string[]): Promise<Printed> =>
    runFile(process.execPath, [MAIN, 'status', '--kubeconfig', kubeconfig, ...args], { ...process.env, ...COMPILED });

  before(async () => {
    cluster = resources.use(await startAdmissionCluster());
    await cluster.inventory({ observedAt: new Date().toISOString() });
    webhook = resources.use(await startWebhook(cluster.flags));
    await webhook.ready();
    cluster.route(webhook.port);
    await cluster.register();
    await cluster.plane.kubectlWith(SERVICE, 'apply', '-f', '-');
    await cluster.applyObjects([READER, READER_BINDING]);
  });
  after(() => resources.disposeAsync());

  it('shows who leads, what is wrong, and that the API server reaches the webhook', async () => {
    const early = await status(cluster.plane.kubeconfig);
    assert.equal(early.code, 1, early.stderr);
    assert.deepEqual(lineIn(early, 'leader')[0], 'wrong');
    const now = new Date().toISOString().replace('Z', '000Z');
    const spec = { holderIdentity: 'ccm-test-1', leaseDurationSeconds: 60, acquireTime: now, renewTime: now };
    await cluster.applyObjects([{ ...LEASE, spec }]);
    const found = await status(cluster.plane.kubeconfig);
    assert.equal(found.code, 0, found.stdout);
    assert.match(lineIn(found, 'leader').join(' '), /^ok ccm-test-1 has led for \d+s$/);
    assert.match(lineIn(found, 'admission').join(' '), /^ok the API server reaches the webhook/);
    assert.match(lineIn(found, 'authority').join(' '), /^ok the trusted authority is valid for \d+ days$/);
    assert.match(lineIn(found, 'resources').join(' '), /^ok classicloadbalancers 0, /);
    assert.match(found.stderr, /^\d+ lines: nothing is wrong\n$/);
    assert.equal(await cluster.plane.kubectl('get', 'service', '-o', 'name'), 'service/kubernetes\nservice/web\n');
  });

  it('needs only read permissions, and names the missing permissions', async () => {
    const reader = await status(await cluster.plane.kubeconfigOfUser('reader'));
    assert.equal(reader.code, 0, reader.stdout);
    assert.match(lineIn(reader, 'admission').join(' '), /^skipped the right to create services in namespace default/);
    assert.match(
      lineIn(reader, 'certificate').join(' '),
      /^skipped the right to get secrets portcullis-webhook-tls in/,
    );
    const nothing = await status(await cluster.plane.kubeconfigOfUser('stranger'));
    assert.equal(nothing.code, 2);
    assert.match(
      lineIn(nothing, 'services').join(' '),
      /^unknown the right to list services in all namespaces is missing$/,
    );
  });

  it('shows the state, the events and the load balancer of a Service', async () => {
    const web = await status(cluster.plane.kubeconfig, 'service', 'web', '-n', 'default');
    assert.equal(web.code, 0, web.stderr);
    assert.deepEqual(lineIn(web, 'requested'), ['ok', 'type LoadBalancer, ports TCP 80']);
    assert.deepEqual(lineIn(web, 'bound'), ['notice', 'no load balancer is bound']);
    assert.deepEqual(lineIn(web, 'events'), ['ok', 'none in the last hour']);
  });

  it('is a command of kubectl, and kubectl completes it', async () => {
    const { kubectl } = await obtainTools(['kubectl'], { env: process.env, progress: printProgress(process.stderr) });
    using folder = temporaryFolder();
    for (const name of ['kubectl-portcullis', 'kubectl_complete-portcullis']) installPlugin(folder.path, name);
    const env = {
      ...{ ...process.env, ...COMPILED, KUBECONFIG: cluster.plane.kubeconfig },
      PATH: [folder.path, process.env['PATH'] ?? ''].join(delimiter),
    };
    const shown = await runFile(kubectl, ['portcullis', 'status', '-o', 'json'], env);
    assert.equal((JSON.parse(shown.stdout) as { isComplete: boolean }).isComplete, true, shown.stderr);
    const completed = await runFile(kubectl, ['__complete', 'portcullis', 'status', '-o', ''], env);
    assert.match(completed.stdout, /^text\njson\n:4\n/, completed.stderr);
  });

  it('shows that the API server does not reach the webhook, with failurePolicy Ignore and Fail', async () => {
    webhook.signal('SIGKILL');
    await webhook.ended;
    const ignored = await status(cluster.plane.kubeconfig);
    await cluster.register({ change: failing });
    const failed = await status(cluster.plane.kubeconfig);
    assert.match(lineIn(ignored, 'admission').join(' '), /^wrong the API server admits a Service without an answer/);
    assert.match(lineIn(failed, 'admission').join(' '), /^wrong .*failed calling webhook ".*portcullis\.io"/);
    assert.deepEqual([ignored.code, failed.code], [1, 1]);
  });

  it('prints one line if the API server cannot be reached', async () => {
    const gone = await status(cluster.unreachable);
    assert.deepEqual([gone.code, gone.stdout], [2, '']);
    assert.match(gone.stderr, /^error: GET \/version: the API server did not respond [^\n]*\n$/);
  });
});
