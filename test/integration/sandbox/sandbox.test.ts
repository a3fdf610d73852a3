import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { X509Certificate } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { systemClock } from '../../../src/base/clock.ts';
import { tokenFile } from '../../../src/local/kubelet/launch-spec.ts';
import { isRunning } from '../../../src/local/process-identity.ts';
import { silent } from '../../../src/local/progress.ts';
import { MACHINES } from '../../../src/local/seed.ts';
import { attachSandbox } from '../../../src/local/sandbox-handle.ts';
import { environmentFile } from '../../../src/local/sandbox-files.ts';
import { addPart } from '../../../src/local/up/add-controller-or-webhook.ts';
import { down, up } from '../../../src/local/up/up.ts';
import { eventually } from '../../support/eventually.ts';
import { startSandbox, type TestSandbox } from '../../support/sandbox.ts';

const PROCESSES = [
  ...['cert-manager', 'controller', 'etcd', 'kube-apiserver', 'kube-controller-manager', 'kube-scheduler'],
  ...['kubelet', 'kwok', 'simulator', 'webhook'],
];
const LEASE = '/apis/coordination.k8s.io/v1/namespaces/kube-system/leases/ccm';
const DENIED = JSON.stringify({
  apiVersion: 'v1',
  kind: 'Service',
  metadata: {
    name: 'refused',
    namespace: 'default',
    annotations: { 'service.beta.kubernetes.io/alibaba-cloud-loadbalancer-address-type': 'nowhere' },
  },
  spec: { type: 'LoadBalancer', ports: [{ port: 80 }] },
});

/** Contributors and the demo need a sandbox that behaves like a cluster with an installed Portcullis. */
describe('a sandbox', function () {
  this.timeout(180_000);
  let sandbox: TestSandbox;
  const options = () => ({
    name: sandbox.name,
    progress: silent,
    signal: new AbortController().signal,
    clock: systemClock,
  });
  const readiness = (component: string): Promise<string> =>
    sandbox.kubectl(
      ...['get', 'pods', '-n', 'portcullis-system', '-l', `app.kubernetes.io/component=${component}`],
      ...['-o', 'jsonpath={.items[*].status.conditions[?(@.type=="Ready")].status}'],
    );

  before(async () => {
    sandbox = await startSandbox();
  });
  after(async () => {
    const { folder } = sandbox;
    const running = [...sandbox.processes().values()];
    await sandbox[Symbol.asyncDispose]();
    assert.deepEqual(
      running.filter(({ identity }) => isRunning(identity)),
      [],
      'nothing runs any more',
    );
    assert.equal(existsSync(folder), false);
  });

  it('runs all parts, each with a log', () => {
    assert.deepEqual([...sandbox.processes().keys()].sort(), PROCESSES);
    const logs = readdirSync(sandbox.logs);
    for (const name of [...PROCESSES, 'audit']) assert.ok(logs.includes(`${name}.log`), name);
  });

  it('has the Nodes of its cloud, ready, with their ranges', async () => {
    const shown = await sandbox.kubectl(
      'get',
      'nodes',
      '-o',
      'jsonpath={range .items[*]}{.metadata.name} {.spec.podCIDR} {end}',
    );
    assert.equal(shown.trim(), MACHINES.map(({ nodeName, podCidr }) => `${nodeName} ${podCidr}`).join(' '));
  });

  it('is used from any shell through its environment file', () => {
    const script = `. '${environmentFile(sandbox.folder)}' && kubectl get namespace portcullis-system -o name && test -s "$CLOUD_CONFIG" && node --version`;
    const printed = execFileSync('sh', ['-eu', '-c', script], {
      env: { PATH: '/usr/bin:/bin', HOME: sandbox.folder },
      encoding: 'utf8',
    });
    assert.equal(printed.trim(), `namespace/portcullis-system\n${process.version}`);
  });

  it('calls the webhook through its shipped Service, with a certificate of cert-manager', async () => {
    const { code, stderr } = await sandbox.kubectlWith(DENIED, 'create', '-f', '-');
    assert.equal(code, 1);
    assert.match(stderr, /The Service "refused" is invalid/);
  });

  it('authenticates the processes by their service accounts', async () => {
    for (const part of ['CONTROLLER', 'WEBHOOK']) {
      const kubeconfig = sandbox.record.environment[`${part}_KUBECONFIG`] ?? '';
      const { stdout } = await sandbox.kubectlWith('', `--kubeconfig=${kubeconfig}`, 'auth', 'whoami');
      assert.match(stdout, new RegExp(`system:serviceaccount:portcullis-system:portcullis-${part.toLowerCase()}`));
    }
  });

  it('reports in the pod of a process whether the process is ready', async () => {
    assert.equal(await readiness('controller'), 'True');
    await sandbox.killController();
    assert.equal(sandbox.pid('controller'), undefined);
    await eventually(async () => assert.equal(await readiness('controller'), 'False'));
    await sandbox.startController();
    await sandbox.ready('controller');
    await eventually(async () => assert.equal(await readiness('controller'), 'True'));
  });

  it('restarts a part that ends, and counts the restart in its pod', async () => {
    const pid = sandbox.pid('controller') ?? 0;
    process.kill(pid, 'SIGKILL');
    await eventually(async () => assert.notEqual(sandbox.pid('controller') ?? pid, pid));
    await sandbox.ready('controller');
    const counted = (): Promise<string> =>
      sandbox.kubectl(
        ...['get', 'pods', '-n', 'portcullis-system', '-l', 'app.kubernetes.io/component=controller'],
        ...['-o', 'jsonpath={.items[*].status.containerStatuses[*].restartCount}'],
      );
    await eventually(async () => assert.equal(await counted(), '1'));
  });

  it('applies the failure policy while the webhook is stopped', async () => {
    await sandbox.stop('webhook');
    const { stdout } = await sandbox.kubectlWith(DENIED, 'create', '-f', '-', '--dry-run=server');
    assert.match(stdout, /service\/refused created/);
    await sandbox.start('webhook');
    await sandbox.ready('webhook');
    await eventually(async () =>
      assert.equal((await sandbox.kubectlWith(DENIED, 'create', '-f', '-', '--dry-run=server')).code, 1),
    );
  });

  it('delivers a renewed certificate to the running webhook', async () => {
    const file = join(sandbox.folder, 'pods', 'webhook', 'volumes', 'tls', 'tls.crt');
    const serial = (): string => new X509Certificate(readFileSync(file)).serialNumber;
    const before = serial();
    const pid = sandbox.pid('webhook');
    await sandbox.kubectl('delete', 'secret', 'portcullis-webhook-tls', '-n', 'portcullis-system');
    await eventually(async () => assert.notEqual(serial(), before));
    await eventually(async () =>
      assert.equal((await sandbox.kubectlWith(DENIED, 'create', '-f', '-', '--dry-run=server')).code, 1),
    );
    assert.equal(sandbox.pid('webhook'), pid);
  });

  it('does not start its controller while another controller holds the Lease', async () => {
    await sandbox.stop('controller');
    const renew = (holderIdentity: string) =>
      sandbox.client.patch(LEASE, {
        spec: { holderIdentity, renewTime: new Date().toISOString().replace('Z', '000Z') },
      });
    const timer = setInterval(() => void renew('own-controller'), 500);
    try {
      await renew('own-controller');
      await assert.rejects(addPart('controller', options()), {
        reason: 'InvalidConfiguration',
        message: /^another controller holds the Lease kube-system\/ccm: own-controller\./,
      });
      assert.equal(sandbox.pid('controller'), undefined);
    } finally {
      clearInterval(timer);
    }
    await eventually(() => renew(''));
    await addPart('controller', options());
    assert.ok(sandbox.pid('controller') !== undefined);
  });

  it('reports that its controller was stopped, and starts it again on request', async () => {
    await sandbox.stop('controller');
    await assert.rejects(up({ ...options(), without: [], env: process.env }), {
      reason: 'Unavailable',
      message: `sandbox ${sandbox.name} runs, but its controller was stopped: start it again with "SANDBOX=${sandbox.name} make controller"`,
    });
    assert.equal(await addPart('controller', options()), false);
    assert.equal(await addPart('controller', options()), true, 'the controller already runs');
    const { already } = await up({ ...options(), without: [], env: process.env });
    assert.equal(already, true);
  });

  it('does not start its webhook while another webhook has its port', async () => {
    await sandbox.kill('webhook');
    const other = createServer().listen(sandbox.record.ports.webhook['https'], '127.0.0.1');
    await once(other, 'listening');
    try {
      await assert.rejects(addPart('webhook', options()), {
        reason: 'InvalidConfiguration',
        message: /^another webhook listens on 127\.0\.0\.1:\d+\. Stop that webhook, and try again$/,
      });
    } finally {
      other.close();
    }
    assert.equal(await addPart('webhook', options()), false);
    assert.equal((await sandbox.kubectlWith(DENIED, 'create', '-f', '-', '--dry-run=server')).code, 1);
  });

  it('writes an audit log with complete Services', () => {
    const lines = readFileSync(join(sandbox.logs, 'audit.log'), 'utf8')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as AuditLine);
    const service = lines.find(({ objectRef, verb }) => objectRef?.resource === 'services' && verb === 'create');
    assert.equal(service?.level, 'RequestResponse');
    assert.ok(lines.every(({ objectRef, level }) => objectRef?.resource !== 'secrets' || level === 'Metadata'));
  });

  it('writes no secret to a log', () => {
    const { environment } = sandbox.record;
    const tokens = (['controller', 'webhook'] as const).map((part) =>
      readFileSync(tokenFile(sandbox.folder, part), 'utf8').trim(),
    );
    const secrets = [environment['ACCESS_KEY_SECRET'], ...tokens, 'PRIVATE KEY'];
    for (const secret of secrets) assert.ok((secret?.length ?? 0) > 8);
    for (const log of readdirSync(sandbox.logs)) {
      const text = readFileSync(join(sandbox.logs, log), 'utf8');
      for (const secret of secrets) assert.ok(!text.includes(secret ?? ''), `${log} holds a secret`);
    }
  });

  it('can be found from its folder by any process', () => {
    const attached = attachSandbox(sandbox.folder);
    assert.equal(attached.pid('etcd'), sandbox.pid('etcd'));
    assert.equal(attached.environment['KUBECONFIG'], sandbox.record.environment['KUBECONFIG']);
  });

  it('is unchanged by a second start, and rejects a start with other parts', async () => {
    const pids = [...sandbox.processes().values()].map(({ identity }) => identity.pid);
    const { already } = await up({ ...options(), without: [], env: process.env });
    assert.equal(already, true);
    assert.deepEqual(
      [...sandbox.processes().values()].map(({ identity }) => identity.pid),
      pids,
    );
    await assert.rejects(up({ ...options(), without: ['controller'], env: process.env }), {
      reason: 'InvalidConfiguration',
      message: /already runs, .*: stop the sandbox with "SANDBOX=[a-z0-9-]+ make down", or/,
    });
  });

  it('can be stopped without an error if no process runs', async () => {
    assert.equal(await down({ ...options(), name: 'never-started' }), false);
  });
});

interface AuditLine {
  readonly level: string;
  readonly verb: string;
  readonly objectRef?: { readonly resource?: string };
}
