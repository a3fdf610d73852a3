import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { X509Certificate } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { systemClock } from '../../../src/base/clock.ts';
import { tokenFile } from '../../../src/local/kubelet/launch.ts';
import { isRunning } from '../../../src/local/process-identity.ts';
import { silent } from '../../../src/local/progress.ts';
import { MACHINES } from '../../../src/local/seed.ts';
import { attachSandbox } from '../../../src/local/sandbox.ts';
import { environmentFile } from '../../../src/local/sandbox-files.ts';
import { down, up } from '../../../src/local/up/up.ts';
import { eventually } from '../../support/eventually.ts';
import { startStand, type TestStand } from '../../support/sandbox.ts';

const PROCESSES = [
  ...['cert-manager', 'controller', 'etcd', 'kube-apiserver', 'kube-controller-manager', 'kube-scheduler'],
  ...['kubelet', 'kwok', 'simulator', 'webhook'],
];
const REFUSED = JSON.stringify({
  apiVersion: 'v1',
  kind: 'Service',
  metadata: {
    name: 'refused',
    namespace: 'default',
    annotations: { 'service.beta.kubernetes.io/alibaba-cloud-loadbalancer-address-type': 'nowhere' },
  },
  spec: { type: 'LoadBalancer', ports: [{ port: 80 }] },
});

describe('a stand', function () {
  this.timeout(180_000);
  let stand: TestStand;
  const options = () => ({
    name: stand.name,
    progress: silent,
    signal: new AbortController().signal,
    clock: systemClock,
  });
  const readiness = (component: string): Promise<string> =>
    stand.kubectl(
      ...['get', 'pods', '-n', 'portcullis-system', '-l', `app.kubernetes.io/component=${component}`],
      ...['-o', 'jsonpath={.items[*].status.conditions[?(@.type=="Ready")].status}'],
    );

  before(async () => {
    stand = await startStand();
  });
  after(async () => {
    const { folder } = stand;
    const running = [...stand.processes().values()];
    await stand[Symbol.asyncDispose]();
    assert.deepEqual(
      running.filter(({ identity }) => isRunning(identity)),
      [],
      'nothing runs any more',
    );
    assert.equal(existsSync(folder), false);
  });

  it('runs every part, each with a log', () => {
    assert.deepEqual([...stand.processes().keys()].sort(), PROCESSES);
    const logs = readdirSync(stand.logs);
    for (const name of [...PROCESSES, 'audit']) assert.ok(logs.includes(`${name}.log`), name);
  });

  it('has the nodes of its cloud, ready, with their ranges', async () => {
    const shown = await stand.kubectl(
      'get',
      'nodes',
      '-o',
      'jsonpath={range .items[*]}{.metadata.name} {.spec.podCIDR} {end}',
    );
    assert.equal(shown.trim(), MACHINES.map(({ nodeName, podCidr }) => `${nodeName} ${podCidr}`).join(' '));
  });

  it('is used from any shell through its environment file', () => {
    const script = `. '${environmentFile(stand.folder)}' && kubectl get namespace portcullis-system -o name && test -s "$CLOUD_CONFIG" && node --version`;
    const printed = execFileSync('sh', ['-eu', '-c', script], {
      env: { PATH: '/usr/bin:/bin', HOME: stand.folder },
      encoding: 'utf8',
    });
    assert.equal(printed.trim(), `namespace/portcullis-system\n${process.version}`);
  });

  it("asks our webhook through the Service of the shipped configuration, under cert-manager's certificate", async () => {
    const { code, stderr } = await stand.kubectlWith(REFUSED, 'create', '-f', '-');
    assert.equal(code, 1);
    assert.match(stderr, /The Service "refused" is invalid/);
  });

  it('lets our processes be only what their service accounts may', async () => {
    for (const part of ['CONTROLLER', 'WEBHOOK']) {
      const kubeconfig = stand.record.environment[`${part}_KUBECONFIG`] ?? '';
      const { stdout } = await stand.kubectlWith('', `--kubeconfig=${kubeconfig}`, 'auth', 'whoami');
      assert.match(stdout, new RegExp(`system:serviceaccount:portcullis-system:portcullis-${part.toLowerCase()}`));
    }
  });

  it('says of a pod whether the process behind it is ready, and takes it out of the Service meanwhile', async () => {
    assert.equal(await readiness('controller'), 'True');
    await stand.killController();
    assert.equal(stand.pid('controller'), undefined);
    await eventually(async () => assert.equal(await readiness('controller'), 'False'));
    await stand.startController();
    await stand.ready('controller');
    await eventually(async () => assert.equal(await readiness('controller'), 'True'));
  });

  it('starts a part again that ended by itself, and counts it in its pod', async () => {
    const pid = stand.pid('controller') ?? 0;
    process.kill(pid, 'SIGKILL');
    await eventually(async () => assert.notEqual(stand.pid('controller') ?? pid, pid));
    await stand.ready('controller');
    const counted = (): Promise<string> =>
      stand.kubectl(
        ...['get', 'pods', '-n', 'portcullis-system', '-l', 'app.kubernetes.io/component=controller'],
        ...['-o', 'jsonpath={.items[*].status.containerStatuses[*].restartCount}'],
      );
    await eventually(async () => assert.equal(await counted(), '1'));
  });

  it('without its webhook lets the API server decide by the failure policy, and has it back', async () => {
    await stand.stop('webhook');
    const { stdout } = await stand.kubectlWith(REFUSED, 'create', '-f', '-', '--dry-run=server');
    assert.match(stdout, /service\/refused created/);
    await stand.start('webhook');
    await stand.ready('webhook');
    await eventually(async () =>
      assert.equal((await stand.kubectlWith(REFUSED, 'create', '-f', '-', '--dry-run=server')).code, 1),
    );
  });

  it('brings a renewed certificate to the webhook while it runs', async () => {
    const file = join(stand.folder, 'pods', 'webhook', 'volumes', 'tls', 'tls.crt');
    const serial = (): string => new X509Certificate(readFileSync(file)).serialNumber;
    const before = serial();
    const pid = stand.pid('webhook');
    await stand.kubectl('delete', 'secret', 'portcullis-webhook-tls', '-n', 'portcullis-system');
    await eventually(async () => assert.notEqual(serial(), before));
    await eventually(async () =>
      assert.equal((await stand.kubectlWith(REFUSED, 'create', '-f', '-', '--dry-run=server')).code, 1),
    );
    assert.equal(stand.pid('webhook'), pid);
  });

  it('writes down who did what, and whole Services', () => {
    const lines = readFileSync(join(stand.logs, 'audit.log'), 'utf8')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as AuditLine);
    const service = lines.find(({ objectRef, verb }) => objectRef?.resource === 'services' && verb === 'create');
    assert.equal(service?.level, 'RequestResponse');
    assert.ok(lines.every(({ objectRef, level }) => objectRef?.resource !== 'secrets' || level === 'Metadata'));
  });

  it('writes no secret into any log', () => {
    const { environment } = stand.record;
    const tokens = (['controller', 'webhook'] as const).map((part) =>
      readFileSync(tokenFile(stand.folder, part), 'utf8').trim(),
    );
    const secrets = [environment['ACCESS_KEY_SECRET'], ...tokens, 'PRIVATE KEY'];
    for (const secret of secrets) assert.ok((secret?.length ?? 0) > 8);
    for (const log of readdirSync(stand.logs)) {
      const text = readFileSync(join(stand.logs, log), 'utf8');
      for (const secret of secrets) assert.ok(!text.includes(secret ?? ''), `${log} holds a secret`);
    }
  });

  it('is known from its folder to any process', () => {
    const attached = attachSandbox(stand.folder);
    assert.equal(attached.pid('etcd'), stand.pid('etcd'));
    assert.equal(attached.environment['KUBECONFIG'], stand.record.environment['KUBECONFIG']);
  });

  it('is left as it is by a second start, and not mixed with one of other parts', async () => {
    const pids = [...stand.processes().values()].map(({ identity }) => identity.pid);
    const { already } = await up({ ...options(), without: [], env: process.env });
    assert.equal(already, true);
    assert.deepEqual(
      [...stand.processes().values()].map(({ identity }) => identity.pid),
      pids,
    );
    await assert.rejects(up({ ...options(), without: ['controller'], env: process.env }), {
      reason: 'InvalidConfiguration',
      message: /already runs, with all its parts: stop it with "STAND=[a-z0-9-]+ make down" first/,
    });
  });

  it('that does not run is stopped without a complaint', async () => {
    assert.equal(await down({ ...options(), name: 'never-started' }), false);
  });
});

interface AuditLine {
  readonly level: string;
  readonly verb: string;
  readonly objectRef?: { readonly resource?: string };
}
