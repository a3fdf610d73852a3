import assert from 'node:assert/strict';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { Registry } from 'prom-client';
import { Agent, request } from 'undici';
import { CATALOGUE } from '../../../src/annotation/catalogue.ts';
import { systemClock } from '../../../src/base/clock.ts';
import { rootLogger } from '../../../src/base/log.ts';
import { createMetrics } from '../../../webhook/metrics.ts';
import { buildServer } from '../../../webhook/server/server.ts';
import { tooBusy } from '../../../webhook/server/review-queue.ts';
import { startAdmissionCluster, type AdmissionCluster } from '../../support/admission-cluster.ts';
import { answered } from '../../support/eventually.ts';
import { failing } from '../../support/webhook-rollouts.ts';
import { aReview } from '../../support/review.ts';
import { aService } from '../../support/service.ts';
import { startWebhook, type SpawnOptions, type WebhookProcess } from '../../support/webhook-process.ts';

const SKEW = join(import.meta.dirname, '../../support/skewed-clock.ts');
const HOUR_MS = 3_600_000;
const CRDS = ['classicloadbalancers.portcullis.io', 'cloudinventories.portcullis.io'];

const reusing = (id: string): Readonly<Record<string, string>> => ({ [CATALOGUE.id.key]: id });
const FAULTY = { [CATALOGUE.bandwidth.key]: 'much' };
const PROTECTED = reusing('lb-apiserver1');
const ABSENT = reusing('lb-gone1');

/** Wrong clocks, missing CRDs and overload must never make the webhook deny valid Services. */
describe('the webhook in an adverse environment', function () {
  this.timeout(180_000);
  const resources = new AsyncDisposableStack();
  let cluster: AdmissionCluster;
  let agent: Agent;

  before(async () => {
    cluster = resources.use(await startAdmissionCluster());
    await cluster.publishInventory('lb-apiserver1', { owner: 'api-server' });
    await cluster.inventory();
    agent = new Agent({ allowH2: false, connect: { ca: cluster.certificate.authority.certificate } });
    resources.defer(() => agent.destroy());
  });
  after(() => resources.disposeAsync());

  const start = (flags: readonly string[], options?: SpawnOptions): Promise<WebhookProcess> =>
    startWebhook([...cluster.flags, ...flags], options);

  /** Returns the verdict on a Service with these annotations: `denied` or `passed`, with the reason. */
  async function verdict(webhook: WebhookProcess, annotations: Readonly<Record<string, string>>): Promise<string> {
    const { body } = await request(`https://127.0.0.1:${webhook.port}/validate?timeout=3s`, {
      method: 'POST',
      dispatcher: agent,
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(aReview({ object: aService({ annotations }) })),
    });
    const { response } = (await body.json()) as {
      readonly response: {
        readonly allowed: boolean;
        readonly status?: { readonly message: string };
        readonly warnings?: readonly string[];
      };
    };
    const { allowed, status, warnings = [] } = response;
    return `${allowed ? 'passed' : 'denied'}: ${[status?.message ?? '', ...warnings].join('\n')}`;
  }

  it('gives the same results if its clock is an hour behind', async () => {
    const environment = { SKEW_MS: String(-HOUR_MS) };
    await using webhook = await start([], { nodeFlags: ['--import', SKEW], environment });
    await webhook.ready();
    assert.match(await verdict(webhook, FAULTY), /^denied: /);
    assert.match(await verdict(webhook, PROTECTED), /^denied: .*serves the API server of a cluster/s);
    assert.match(await verdict(webhook, ABSENT), /^denied: .*no such load balancer in /s);
    assert.ok(Date.parse(/"time":"([^"]+)"/.exec(webhook.output())?.[1] ?? '') < Date.now() - HOUR_MS / 2);
  });

  it('treats the inventory as stale if its clock is an hour ahead, until the next pass', async () => {
    const environment = { SKEW_MS: String(HOUR_MS) };
    await using webhook = await start([], { nodeFlags: ['--import', SKEW], environment });
    await webhook.ready();
    assert.match(await verdict(webhook, FAULTY), /^denied: /);
    assert.match(await verdict(webhook, PROTECTED), /^denied: .*serves the API server of a cluster/s);
    assert.match(await verdict(webhook, ABSENT), /^passed: .*the inventory is 6\d minutes old/s);
    await cluster.inventory();
    await answered(
      async () => (await verdict(webhook, ABSENT)).startsWith('denied: ') || undefined,
      'the inventory is known to be fresh',
    );
  });

  it('uses its flags before its caches are filled, and reports unfilled caches', async () => {
    await using webhook = await start([
      `--kubeconfig=${cluster.unreachable}`,
      '--cache-sync-seconds=600',
      '--protected-load-balancers=lb-named1',
    ]);
    await webhook.listening();
    const { status, text } = await webhook.probe('/readyz');
    assert.equal(status, 500);
    for (const kind of ['services', 'classicloadbalancers', 'cloudinventories']) {
      assert.match(text, new RegExp(`\\[-\\]informer-${kind} failed: `));
    }
    assert.match(await verdict(webhook, FAULTY), /^denied: /);
    assert.match(await verdict(webhook, reusing('lb-named1')), /^denied: .*serves the API server of a cluster/s);
    assert.match(await verdict(webhook, ABSENT), /^passed: .*the inventory has not been read/s);
  });

  it('gets a retry of the API server on a new connection after it was too busy', async () => {
    const connections: unknown[] = [];
    const server = buildServer(
      {
        mutate: () => ({ allowed: true }),
        validate: () => {
          if (connections.length === 1) throw tooBusy('there is no time: try again');
          return { allowed: true };
        },
        clock: systemClock,
        log: rootLogger('silent'),
        metrics: createMetrics(new Registry()),
        maxInFlight: 1,
      },
      { cert: Buffer.from(cluster.certificate.certificate), key: Buffer.from(cluster.certificate.key) },
    );
    await using stack = new AsyncDisposableStack();
    stack.defer(() => server.close());
    server.addHook('onRequest', (incoming, _reply, done) => {
      if (incoming.url.startsWith('/validate')) connections.push(incoming.socket);
      done();
    });
    await server.listen({ host: '127.0.0.1', port: 0 });
    cluster.route((server.server.address() as AddressInfo).port);
    await cluster.register({ change: failing });
    const service = JSON.stringify(aService({ annotations: FAULTY, namespace: 'default' }));
    const { code, stderr } = await cluster.plane.kubectlWith(service, 'create', '--dry-run=server', '-f', '-');
    assert.equal(code, 0, stderr);
    assert.deepEqual([connections.length, new Set(connections).size], [2, 2]);
  });

  it('works without its custom resource definitions, and uses them after their installation', async () => {
    await cluster.plane.kubectl('delete', 'crd', ...CRDS);
    await using webhook = await start(['--cache-sync-seconds=1']);
    await webhook.ready();
    assert.match(await verdict(webhook, FAULTY), /^denied: /);
    assert.match(await verdict(webhook, PROTECTED), /^passed: .*the inventory has not been read/s);
    await cluster.install();
    await cluster.publishInventory('lb-apiserver1', { owner: 'api-server' });
    await cluster.inventory();
    await answered(
      async () => (await verdict(webhook, PROTECTED)).startsWith('denied: ') || undefined,
      'the inventory is read',
    );
  });
});
