import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { stringify } from 'yaml';
import { startAdmissionCluster, type AdmissionCluster } from '../../support/admission-cluster.ts';
import { answered } from '../../support/eventually.ts';
import { patient } from '../../support/webhook-rollouts.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { startWebhook, type WebhookProcess } from '../../support/webhook-process.ts';

const CURRENT = 'service.beta.kubernetes.io/alibaba-cloud-loadbalancer-';

interface ServiceInput {
  readonly type?: string;
  readonly annotations?: Record<string, string>;
  readonly labels?: Record<string, string>;
  readonly finalizers?: string[];
  readonly port?: number;
  readonly spec?: object;
}

const service = (name: string, content: ServiceInput = {}): string =>
  stringify({
    apiVersion: 'v1',
    kind: 'Service',
    metadata: {
      name,
      namespace: 'shop',
      annotations: content.annotations ?? {},
      labels: content.labels ?? {},
      finalizers: content.finalizers ?? [],
    },
    spec: {
      type: content.type ?? 'LoadBalancer',
      selector: { app: 'web' },
      ports: [{ name: 'http', port: content.port ?? 80, targetPort: 8080 }],
      ...content.spec,
    },
  });

const FAULTY = {
  annotations: {
    [`${CURRENT}bandwidth`]: '9000',
    [`${CURRENT}address-type`]: 'public',
    [`${CURRENT}chargetype`]: 'paybytraffic',
    [`${CURRENT}protocol-port`]: 'tcp:8443',
  },
  spec: { allocateLoadBalancerNodePorts: false },
};
/** Fields of the violations, in order. */
const FAULTS = [/address-type\]/, /bandwidth\]/, /chargetype\]/, /-protocol-port\]/, /spec\.allocateLoad/];

/** Runs on a real API server, because kubectl and the API server shape the message that a user sees. */
describe('admission by the real API server', function () {
  this.timeout(120_000);
  const resources = new AsyncDisposableStack();
  let cluster: AdmissionCluster;
  let webhook: WebhookProcess;
  const kubectl = (input: string, ...args: string[]) => cluster.plane.kubectlWith(input, ...args);
  const apply = (input: string, ...args: string[]) => kubectl(input, 'apply', ...args, '-f', '-');
  const decisions = async (): Promise<number> => {
    const { text } = await webhook.probe('/metrics');
    return [...text.matchAll(/^portcullis_webhook_decisions_total\{.*\} (\d+)$/gm)].reduce(
      (sum, [, n]) => sum + Number(n),
      0,
    );
  };

  before(async () => {
    cluster = resources.use(await startAdmissionCluster());
    await cluster.plane.kubectl('create', 'namespace', 'shop');
    await cluster.publishInventory('lb-apiserver1', { owner: 'api-server' });
    await cluster.publishInventory('lb-other1', { owner: 'other-cluster' });
    await cluster.publishInventory('lb-free1', { resourceGroupId: 'rg-free' });
    await cluster.inventory();
    webhook = resources.use(await startWebhook(cluster.flags));
    await webhook.ready();
    cluster.route(webhook.port);
    const before = await apply(service('old', { ...FAULTY, finalizers: ['example.com/hold'] }));
    assert.equal(before.code, 0, before.stderr);
    await cluster.register({ change: patient });
    await answered(async () => {
      const { code } = await apply(service('probe', FAULTY), '--dry-run=server');
      return code === 0 ? undefined : true;
    }, 'the webhook is in force');
    await answered(async () => {
      const old = service('probe', { annotations: { 'service.beta.kubernetes.io/alicloud-loadbalancer-name': 'web' } });
      return (await apply(old, '--dry-run=server')).stderr.includes('deprecated') || undefined;
    }, 'the mutating webhook is in force');
  });

  after(async () => {
    await resources.disposeAsync();
  });

  const ways: Record<string, string[]> = {
    'client-side apply': ['apply', '-f', '-'],
    'server-side apply': ['apply', '--server-side', '-f', '-'],
    create: ['create', '-f', '-'],
    'a dry run': ['apply', '--dry-run=server', '-f', '-'],
  };
  for (const [way, args] of Object.entries(ways)) {
    it(`names every violation of a denied Service as a bullet, by ${way}`, async () => {
      const { code, stderr } = await kubectl(service('faulty', FAULTY), ...args);
      assert.equal(code, 1);
      assert.match(stderr, /^The Service "faulty" is invalid: ?$/m);
      const bullets = stderr.split('\n').filter((line) => line.startsWith('* '));
      assert.equal(bullets.length, FAULTS.length, stderr);
      FAULTS.forEach((fault, n) => assert.match(bullets[n] ?? '', fault));
      for (const bullet of bullets) assert.match(bullet, /: (?:[A-Z][a-z]+ value: ".+"|Forbidden): .+ \[[a-z-]+\]$/);
    });
  }

  it('names all violations in the message if several documents fail', async () => {
    const { stderr } = await apply(`${service('one', FAULTY)}---\n${service('two', FAULTY)}---\n${service('three')}`);
    for (const name of ['one', 'two']) assert.match(stderr, new RegExp(`Service shop/${name} is invalid`));
    for (const fault of FAULTS) assert.equal(stderr.match(new RegExp(fault, 'g'))?.length, 2);
    assert.equal((await kubectl('', 'get', 'service', 'three', '-n', 'shop')).code, 0);
  });

  const BANDWIDTH = `${CURRENT}bandwidth`;
  const PATCH = JSON.stringify({ metadata: { annotations: { [BANDWIDTH]: '9000' } } });
  const edits: Record<string, { args: string[]; input?: string }> = {
    'kubectl annotate': { args: ['annotate', 'service', 'steady', '--overwrite', `${BANDWIDTH}=9000`] },
    'kubectl patch': { args: ['patch', 'service', 'steady', '--type=merge', '-p', PATCH] },
    'kubectl replace': {
      args: ['replace', '-f', '-'],
      input: service('steady', { annotations: { [BANDWIDTH]: '9000' } }),
    },
  };
  for (const [way, { args, input = '' }] of Object.entries(edits)) {
    it(`names the violation that ${way} adds to a stored Service`, async () => {
      await apply(service('steady'));
      const { code, stderr } = await kubectl(input, '-n', 'shop', ...args);
      assert.equal(code, 1);
      assert.match(
        stderr,
        /^The Service "steady" is invalid: metadata\.annotations\[.*bandwidth\]: Invalid value: "9000": must be /m,
      );
      assert.match(stderr, / \[annotation-value\]$/m);
    });
  }

  it('names the violation in the file that kubectl edit opens again', async () => {
    await apply(service('steady', { annotations: { [BANDWIDTH]: '9', [`${CURRENT}charge-type`]: 'paybybandwidth' } }));
    using folder = temporaryFolder();
    const opened = join(folder.path, 'opened');
    const script = join(folder.path, 'editor');
    const change = `sed 's/bandwidth: "9"$/bandwidth: "9000"/' "$1" > "$1.new"`;
    writeFileSync(script, `cat "$1" >> ${opened}\n${change}\nmv "$1.new" "$1"\n`);
    const environment = { KUBE_EDITOR: `sh ${script}`, TMPDIR: folder.path };
    const { code, stderr } = await cluster.plane.kubectlIn(environment, '-n', 'shop', 'edit', 'service', 'steady');
    assert.equal(code, 1);
    assert.match(stderr, /services "steady" is invalid/);
    assert.match(readFileSync(opened, 'utf8'), /^# \* metadata\.annotations\[.*bandwidth\]: Invalid value: "9000": /m);
  });

  const reuses: Record<string, { content: ServiceInput; message: RegExp }> = {
    'the load balancer of an API server': {
      content: { annotations: { [`${CURRENT}id`]: 'lb-apiserver1' } },
      message: /API server/,
    },
    'a load balancer of another cluster': {
      content: { annotations: { [`${CURRENT}id`]: 'lb-other1' } },
      message: /another cluster/,
    },
    'a load balancer that does not exist': {
      content: { annotations: { [`${CURRENT}id`]: 'lb-gone1' } },
      message: /Not found: "lb-gone1": no such load balancer in /,
    },
    'a load balancer of another resource group': {
      content: { annotations: { [`${CURRENT}id`]: 'lb-free1', [`${CURRENT}resource-group-id`]: 'rg-mine' } },
      message: /resource group/,
    },
  };
  for (const [title, { content, message }] of Object.entries(reuses)) {
    it(`denies the reuse of ${title}`, async () => {
      const { code, stderr } = await apply(service('reuse', content));
      assert.equal(code, 1, stderr);
      assert.match(stderr, message);
    });
  }

  it('denies a port of another stored Service on a shared load balancer', async () => {
    const annotations = { [`${CURRENT}id`]: 'lb-free1', [`${CURRENT}force-override-listeners`]: 'true' };
    assert.equal((await apply(service('first', { annotations }))).code, 0);
    await answered(async () => {
      const { code, stderr } = await apply(service('second', { annotations }), '--dry-run=server');
      return (code !== 0 && stderr.includes('already used by Service shop/first on')) || undefined;
    }, 'the first Service is known');
    assert.equal((await apply(service('second', { annotations, port: 81 }))).code, 0);
    assert.equal((await apply(service('first', { annotations, labels: { app: 'web' } }))).code, 0);
  });

  it('allows other changes and the deletion of a stored Service with violations, and warns', async () => {
    const run = (...args: string[]) => kubectl('', '-n', 'shop', ...args);
    const annotated = await run('annotate', 'service', 'old', 'example.com/team=shop');
    assert.equal(annotated.code, 0);
    assert.match(annotated.stderr, /^Warning: Service shop\/old: .*bandwidth\]: Invalid value: "9000": /m);
    assert.equal((await run('label', 'service', 'old', 'tier=web')).code, 0);
    const worse = await run('annotate', '--overwrite', 'service', 'old', `${CURRENT}bandwidth=9001`);
    assert.equal(worse.code, 1);
    assert.match(worse.stderr, /Invalid value: "9001": /);
    assert.doesNotMatch(worse.stderr, /^\* .*chargetype/m);
    assert.equal((await run('delete', 'service', 'old', '--wait=false')).code, 0);
    const freed = await run(
      'patch',
      'service',
      'old',
      '--type=json',
      '-p',
      '[{"op":"remove","path":"/metadata/finalizers"}]',
    );
    assert.equal(freed.code, 0, freed.stderr);
    assert.equal((await run('get', 'service', 'old')).code, 1);
  });

  it('sends the webhook no request about other objects', async () => {
    await apply(service('quiet'));
    const count = await decisions();
    const run = (...args: string[]) => kubectl('', '-n', 'shop', ...args);
    await apply(service('cluster-ip', { type: 'ClusterIP' }));
    await run('annotate', 'service', 'cluster-ip', 'example.com/team=shop');
    await run('label', 'service', 'quiet', 'tier=web');
    await run(
      'patch',
      'service',
      'quiet',
      '--subresource=status',
      '--type=merge',
      '-p',
      '{"status":{"conditions":[]}}',
    );
    await run('delete', 'service', 'quiet');
    await kubectl(stringify({ apiVersion: 'v1', kind: 'Node', metadata: { name: 'n1' } }), 'create', '-f', '-');
    await kubectl('', 'taint', 'node', 'n1', 'a=b:NoSchedule');
    await kubectl('', 'create', 'configmap', 'c', '-n', 'shop');
    assert.equal(await decisions(), count);
  });

  it('warns if labels or finalizers of the controller change', async () => {
    await apply(service('marked'));
    const { code, stderr } = await kubectl(
      '',
      '-n',
      'shop',
      'label',
      'service',
      'marked',
      'service.beta.kubernetes.io/hash=x',
    );
    assert.equal(code, 0);
    assert.match(stderr, /Warning: Service shop\/marked: metadata\.labels\[service\.beta\.kubernetes\.io\/hash\]/);
  });

  it('evaluates Nodes for users, and denies nothing to the cluster itself', async () => {
    const node = (name: string, spec: object = {}) =>
      stringify({ apiVersion: 'v1', kind: 'Node', metadata: { name }, spec });
    const setId = (name: string, ...who: string[]) =>
      kubectl('', 'patch', 'node', name, '--type=merge', '-p', '{"spec":{"providerID":"i-1"}}', ...who);
    await kubectl(node('n3'), 'create', '-f', '-');
    const denied = await setId('n3');
    assert.match(denied.stderr, /^The Node "n3" is invalid: spec\.providerID: Invalid value: "i-1": must be the/m);
    const kubelet = ['--as=system:node:n3', '--as-group=system:nodes', '--as-group=system:masters'];
    const warned = await setId('n3', ...kubelet);
    assert.equal(warned.code, 0, warned.stderr);
    assert.match(warned.stderr, /^Warning: Node n3: spec\.providerID: Invalid value: "i-1": /m);
    const zone = await kubectl('', 'label', 'node', 'n3', 'topology.kubernetes.io/zone=elsewhere');
    assert.equal(zone.code, 0, zone.stderr);
    assert.match(
      zone.stderr,
      /^Warning: Node n3: metadata\.labels\[topology\.kubernetes\.io\/zone\]: Invalid value: "elsewhere": /m,
    );
    const registered = await kubectl(
      node('n4', { providerID: 'i-2', podCIDRs: ['192.168.0.0/24'] }),
      'create',
      '-f',
      '-',
    );
    assert.equal(registered.code, 0, registered.stderr);
    assert.match(registered.stderr, /^Warning: Node n4: spec\.providerID: Invalid value: "i-2": /m);
    assert.match(registered.stderr, /^Warning: Node n4: spec\.podCIDRs\[0\]: Invalid value: "192\.168\.0\.0\/24": /m);
  });

  it('ignores Services of other controllers', async () => {
    const { code, stderr } = await apply(
      service('nlb', { ...FAULTY, spec: { loadBalancerClass: 'alibabacloud.com/nlb' } }),
    );
    assert.equal(code, 0, stderr);
    assert.equal(stderr, '');
  });

  it('allows all requests while no webhook responds', async () => {
    webhook.signal('SIGKILL');
    await webhook.ended;
    const { code, stderr } = await apply(service('unseen', FAULTY));
    assert.equal(code, 0, stderr);
  });
});
