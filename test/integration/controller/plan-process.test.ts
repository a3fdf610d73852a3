import assert from 'node:assert/strict';
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { stringify } from 'yaml';
import { planOutput, type PlanOutput } from '../../../src/plan-command/plan-schema.ts';
import { COMPILED } from '../../support/compile-cache.ts';
import { kubeconfigOf } from '../../support/kubeconfig-of.ts';
import { aCloudInventory } from '../../support/inventory.ts';
import { startControllerCluster, type ControllerCluster } from '../../support/controller-cluster.ts';

const MAIN = join(import.meta.dirname, '..', '..', '..', 'src', 'main.ts');

const service = (name: string, annotations: Readonly<Record<string, string>> = {}): string =>
  stringify({
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name, namespace: 'default', annotations },
    spec: { type: 'LoadBalancer', selector: { app: 'web' }, ports: [{ port: 80, targetPort: 8080 }] },
  });
const SCHEDULER = 'service.beta.kubernetes.io/alibaba-cloud-loadbalancer-scheduler';

/** Runs the real command. Users decide by its output and exit code whether to deploy. */
describe('the command portcullis plan', function () {
  this.timeout(120_000);
  const resources = new AsyncDisposableStack();
  let cluster: ControllerCluster;
  let flags: readonly string[];

  const portcullis = (...args: readonly string[]) =>
    new Promise<{ readonly code: number; readonly stdout: string; readonly stderr: string }>((resolve) => {
      const env = { ...COMPILED, ...cluster.environment };
      execFile(process.execPath, [MAIN, ...args], { env }, (error, stdout, stderr) =>
        resolve({ code: error === null ? 0 : Number(error.code), stdout, stderr }),
      );
    });
  const isUntouched = async (): Promise<void> => {
    const writes = cluster.cloud.simulator.journal().filter(({ kind }) => kind === 'write');
    assert.deepEqual(writes, []);
    const stored = await cluster.plane.kubectl('get', 'service', 'web', '-o', 'jsonpath={.metadata.labels}{.status}');
    assert.equal(stored, '{"loadBalancer":{}}');
  };

  const storeInventory = async (): Promise<void> => {
    const { status, ...inventory } = aCloudInventory({ clusterId: 'c1' });
    await cluster.plane.kubectlWith(stringify({ ...inventory, metadata: { name: 'default' } }), 'apply', '-f', '-');
    const patch = ['patch', 'cloudinventory', 'default', '--type=merge', '--subresource=status'];
    await cluster.plane.kubectl(...patch, '-p', JSON.stringify({ status }));
  };

  before(async () => {
    cluster = resources.use(await startControllerCluster());
    flags = cluster.flags.filter((flag) => !flag.startsWith('--cluster-cidr'));
    await cluster.plane.kubectlWith(service('web'), 'apply', '-f', '-');
  });
  after(async () => {
    await resources.disposeAsync();
  });

  it('names the calls for all Services of the cluster', async () => {
    const { code, stdout, stderr } = await portcullis('plan', ...flags);
    assert.equal(code, 0, stderr);
    assert.match(stdout, /^Service default\/web\n {2}\+ create load balancer a[0-9a-f]+\n/);
    assert.match(
      stdout,
      /\+ create server group k8s\/3\d{4}\/web\/default\/c1\n {4}\+ backends\[i-1:3\d{4}\]\.weight: 100\n/,
    );
    assert.match(stdout, /\n\n1 Service: 3 to create, 0 to change, 0 to delete; 0 denied\n$/);
    assert.equal(stderr, '');
    await isUntouched();
  });

  it('covers only the namespace that is requested', async () => {
    const own = await portcullis('plan', ...flags, '--namespace=default');
    assert.match(own.stdout, /\n1 Service: 3 to create/);
    const other = await portcullis('plan', ...flags, '--namespace=kube-system');
    assert.deepEqual([other.code, other.stdout], [0, '0 Services: 0 to create, 0 to change, 0 to delete; 0 denied\n']);
  });

  it('has no colors in a pipe, unless they are requested', async () => {
    const plain = await portcullis('plan', ...flags);
    const colored = await portcullis('plan', ...flags, '--color=always');
    assert.ok(!plain.stdout.includes('\u001b['));
    assert.match(colored.stdout, /\u001b\[32m {2}\+ create load balancer /);
  });

  it('compares the Services of a file with the stored ones, and prints JSON', async () => {
    const file = join(cluster.folder, 'services.yaml');
    writeFileSync(file, `${service('web', { [SCHEDULER]: 'wrr' })}---\n${service('new')}`);
    const { code, stdout, stderr } = await portcullis('plan', file, ...flags, '-o', 'json');
    assert.equal(code, 0, stderr);
    const output = JSON.parse(stdout) as PlanOutput;
    assert.deepEqual(planOutput.parse(output), output);
    const services = output.services.filter((each) => 'actions' in each);
    assert.deepEqual(
      services.map((each) => each.service),
      ['default/web', 'default/new'],
    );
    const [create] = services[0]?.actions.filter(({ kind }) => kind === 'create-listener') ?? [];
    assert.equal((create?.['listener'] as { scheduler?: string } | undefined)?.scheduler, 'wrr');
    assert.deepEqual(
      services.map(({ assumedNodePorts }) => assumedNodePorts),
      [[], [30_000]],
    );
    await isUntouched();
  });

  it('prints no action for a denied Service, names every violation, and exits with 1', async () => {
    const file = join(cluster.folder, 'denied.yaml');
    const wrong = { [SCHEDULER]: 'fastest', [SCHEDULER.replace('scheduler', 'bandwith')]: '5' };
    writeFileSync(file, `${service('web', wrong)}---\n${service('new')}`);
    const { code, stdout, stderr } = await portcullis('plan', file, ...flags);
    assert.equal(code, 1, stderr);
    const [denied = ''] = stdout.split('\n\n');
    assert.deepEqual(
      denied.split('\n').map((line) => /denied: .*-(\w+)\]: [A-Z]/.exec(line)?.[1]),
      [undefined, 'scheduler', 'bandwith'],
    );
    assert.match(stdout, /\n\nService default\/new\n {2}\+ create load balancer /);
    assert.match(stdout, /\+ create server group k8s\/30000\*\/new\/default\/c1\n/);
    assert.match(stdout, /\n {2}\* assumed: the API server assigns the node port\n/);
    assert.match(stdout, /\n2 Services: 3 to create, 0 to change, 0 to delete; 1 denied\n$/);
  });

  it('exits with 2 for a partly unreadable file, and with 0 for a file without Services', async () => {
    const file = join(cluster.folder, 'file.yaml');
    const texts = {
      [`${service('new', { [SCHEDULER]: 'fastest' })}---\na: [\n`]: [2, /^error: .*file\.yaml:\d+:\d+: /],
      'These words are no manifest.\n': [2, /^error: .*file\.yaml:1:1: expected an object with apiVersion and kind/],
      'apiVersion: v1\nkind: Secret\nmetadata: {name: key}\n': [0, /^0 Services: /],
      '': [0, /^0 Services: /],
    } as const;
    for (const [text, [expected, line]] of Object.entries(texts)) {
      writeFileSync(file, text);
      const { code, stdout, stderr } = await portcullis('plan', file, ...flags);
      assert.equal(code, expected, stderr);
      assert.match(stdout + stderr, line);
    }
  });

  it('lists orphans when the inventory proves the id of the cluster, and deletes none', async () => {
    const early = await portcullis('plan', '--orphans', ...flags);
    assert.deepEqual([early.code, early.stdout], [2, '']);
    assert.match(early.stderr, /^error: the cluster has no CloudInventory default with a status/);
    const tags = { 'kubernetes.do.not.delete': `a${'0'.repeat(31)}`, 'ack.aliyun.com': 'c1' };
    cluster.cloud.simulator.seed({ loadBalancers: [{ id: 'lb-left', tags }] });
    await storeInventory();
    const { code, stdout, stderr } = await portcullis('plan', '--orphans', ...flags, '-o', 'json');
    await cluster.plane.kubectl('delete', 'cloudinventory', 'default');
    cluster.cloud.simulator.seed({ remove: ['lb-left'] });
    assert.equal(code, 1, stderr);
    const { orphans } = JSON.parse(stdout) as { orphans: { kind: string; id: string }[] };
    assert.deepEqual(
      orphans.map(({ kind, id }) => [kind, id]),
      [['load-balancer', 'lb-left']],
    );
    await isUntouched();
  });

  it('names a clusterID that differs from that of the running controller, and exits with 2', async () => {
    await storeInventory();
    const file = join(cluster.folder, 'other.conf');
    const { Global } = JSON.parse(readFileSync(join(cluster.folder, 'cloud-config.conf'), 'utf8')) as {
      Global: object;
    };
    writeFileSync(file, JSON.stringify({ Global: { ...Global, clusterID: 'c2' } }));
    const { code, stdout, stderr } = await portcullis('plan', ...flags, `--cloud-config=${file}`);
    await cluster.plane.kubectl('delete', 'cloudinventory', 'default');
    assert.deepEqual([code, stdout], [2, '']);
    assert.match(stderr, /^error: cloud-config: Global\.clusterID is "c2", but .* runs with "c1"/);
  });

  it('prints the same actions as a controller in a dry run, which does nothing else', async () => {
    const { code, stdout, stderr } = await portcullis('controller', ...cluster.flags, '--dry-run');
    assert.equal(code, 0, stderr);
    const lines = stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as { msg: string; service?: string; actions?: unknown[] });
    const planned = lines.find(({ msg }) => msg === 'planned');
    assert.deepEqual([planned?.service, planned?.actions?.length], ['default/web', 4]);
    assert.match(lines.at(-1)?.msg ?? '', /^1 Service: 3 to create, /);
    assert.equal((await cluster.plane.kubectlWith('', 'get', 'lease', '-n', 'kube-system', 'ccm')).code, 1);
    await isUntouched();
  });

  it('applies the policies of the cluster in the requested mode', async () => {
    const policy = stringify({
      apiVersion: 'portcullis.io/v1alpha1',
      kind: 'LoadBalancerPolicy',
      metadata: { name: 'intranet' },
      spec: { constraints: [{ name: 'c', require: [{ annotation: 'address-type', oneOf: ['intranet'] }] }] },
    });
    await cluster.plane.kubectlWith(policy, 'apply', '-f', '-');
    const strict = await portcullis('plan', ...flags);
    const lenient = await portcullis('plan', ...flags, '--warn-only');
    await cluster.plane.kubectl('delete', 'loadbalancerpolicy', 'intranet');
    assert.match(strict.stdout, /denied: .*address-type/);
    assert.deepEqual([strict.code, lenient.code], [1, 0]);
    assert.match(strict.stdout, /\n1 Service: 0 to create, .*; 1 denied\n$/);
    assert.match(lenient.stdout, /\n1 Service: 3 to create, .*; 0 denied\n$/);
  });

  it('uses the facts of the cloud-config file if there is no inventory yet', async () => {
    const file = join(cluster.folder, 'private.conf');
    const config = readFileSync(join(cluster.folder, 'cloud-config.conf'), 'utf8');
    const { Global } = JSON.parse(config) as { Global: object };
    writeFileSync(file, JSON.stringify({ Global: { ...Global, disablePublicSLB: true } }));
    const { stdout, stderr } = await portcullis('plan', ...flags, `--cloud-config=${file}`);
    assert.match(stdout, /denied: .*address-type.*disablePublicSLB/, stderr);
    await isUntouched();
  });

  it('names a missing permission of the cloud, and exits with 1', async () => {
    cluster.cloud.simulator.faults([
      { action: 'DescribeLoadBalancers', effect: 'reject', code: 'Forbidden.RAM', count: 'forever' },
    ]);
    const { code, stdout, stderr } = await portcullis('plan', ...flags);
    cluster.cloud.simulator.clearFaults();
    assert.equal(code, 1);
    assert.match(stdout, /failed: .*permission slb:DescribeLoadBalancers is missing/, stderr);
    assert.match(stdout, /; 0 denied, 1 failed\n$/);
  });

  it('reports wrong arguments, and exits with 2', async () => {
    const wrong = {
      'without a cloud-config file': ['plan'],
      'with a missing cloud-config file': ['plan', '--cloud-config=none.conf'],
      'with a missing file': ['plan', 'none.yaml', ...flags],
      'with files for orphans': ['plan', 'none.yaml', '--orphans', ...flags],
      'with a context that does not exist': ['plan', ...flags, '--context=none'],
    };
    for (const [what, args] of Object.entries(wrong)) {
      const { code, stderr } = await portcullis(...args);
      assert.equal(code, 2, `${what}: ${stderr}`);
      assert.match(stderr, /^error: /);
    }
  });

  describe('the picture of a Service', () => {
    it('shows the ports and planned resources, as a flowchart or a directed graph', async () => {
      const { code, stdout, stderr } = await portcullis('graph', 'service', 'web', ...flags);
      assert.deepEqual([code, stderr], [0, '']);
      assert.match(stdout, /^%% Service default\/web\nflowchart LR\n/);
      for (const label of ['Service default/web', 'port 80/TCP', 'listener 80/tcp (to create)', 'i-1:3'])
        assert.ok(stdout.includes(label), `${label}: ${stdout}`);
      const graph = await portcullis('graph', 'service', 'web', '-n', 'default', '-o', 'dot', ...flags);
      assert.match(graph.stdout, /^digraph "Service default\/web" \{\n[^]*\n\}\n$/);
      await isUntouched();
    });

    it('is missing for a Service that does not exist or that no load balancer serves', async () => {
      const errors: Readonly<Record<string, RegExp>> = {
        wbe: /^error: Service default\/wbe does not exist \(did you mean web\?\)\n$/,
        kubernetes: /^error: Service default\/kubernetes has no load balancer of Portcullis: its type is ClusterIP\n$/,
      };
      for (const [name, line] of Object.entries(errors)) {
        const { code, stdout, stderr } = await portcullis('graph', 'service', name, ...flags);
        assert.deepEqual([code, stdout], [2, '']);
        assert.match(stderr, line);
      }
    });

    it('is missing if the cloud rejects the request', async () => {
      cluster.cloud.simulator.faults([
        { action: 'DescribeLoadBalancers', effect: 'reject', code: 'Forbidden.RAM', count: 'forever' },
      ]);
      const { code, stdout, stderr } = await portcullis('graph', 'service', 'web', ...flags);
      cluster.cloud.simulator.clearFaults();
      assert.deepEqual([code, stdout], [2, '']);
      assert.match(stderr, /^error: .*permission slb:DescribeLoadBalancers is missing.*\n$/);
    });

    it('is missing without read permission in the cluster, or if the API server does not respond', async () => {
      await cluster.plane.kubectl('create', 'serviceaccount', 'visitor');
      const visitor = await cluster.plane.kubeconfigFor('default/visitor');
      const rights = await portcullis('graph', 'service', 'web', ...flags, `--kubeconfig=${visitor}`);
      assert.deepEqual([rights.code, rights.stdout], [2, '']);
      assert.match(rights.stderr, /^error: .*forbidden.*\n$/);
      const nowhere = join(cluster.folder, 'nowhere.yaml');
      writeFileSync(nowhere, kubeconfigOf('http://127.0.0.1:1'));
      const gone = await portcullis('graph', 'service', 'web', ...flags, `--kubeconfig=${nowhere}`);
      assert.deepEqual([gone.code, gone.stdout], [2, '']);
      assert.match(gone.stderr, /^error: .*the API server did not respond.*\n$/);
    });
  });

  it('ends without a message if the reader of the output closes the pipe', async () => {
    for (const args of [['plan'], ['graph', 'service', 'web']]) {
      const child = spawn(process.execPath, [MAIN, ...args, ...flags], {
        env: { ...COMPILED, ...cluster.environment },
      });
      child.stdout.destroy();
      const [stderr] = await Promise.all([text(child.stderr), once(child, 'close')]);
      assert.deepEqual([args, child.exitCode, stderr], [args, 0, '']);
    }
  });
});
