import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { Agent, request } from 'undici';
import { kubeconfig } from '../../../src/local/kubeconfig.ts';
import { aReview } from '../../support/review.ts';
import { aService } from '../../support/service.ts';
import {
  expiredCertificate,
  mountedSecret,
  servingCertificate,
  type MountedSecret,
  type ServingCertificate,
} from '../../support/serving-certificate.ts';
import { startWebhook, type WebhookProcess } from '../../support/webhook-process.ts';

const TRACER = join(import.meta.dirname, '../../support/trace-modules.ts');
const review = JSON.stringify(aReview({ object: aService(), uid: 'u-1' }));

/** Runs the real process: start, drain, certificate reload, and the messages of failed starts. */
describe('the webhook process', function () {
  this.timeout(60_000);
  let certificate: ServingCertificate;
  let secret: MountedSecret;
  let folder: string;
  let flags: readonly string[];
  const agents: Agent[] = [];

  before(async () => {
    certificate = await servingCertificate();
    folder = mkdtempSync(join(tmpdir(), 'portcullis-process-'));
    // No API server listens at this address, because the tests also cover an unreachable API server.
    const nowhere = { server: 'https://127.0.0.1:1', certificateAuthority: certificate.authority.certificate };
    writeFileSync(join(folder, 'kubeconfig'), kubeconfig(nowhere, 'nobody', { token: 'none' }));
  });
  beforeEach(() => {
    secret = mountedSecret(certificate);
    flags = [
      `--kubeconfig=${join(folder, 'kubeconfig')}`,
      `--tls-cert-file=${secret.certFile}`,
      `--tls-private-key-file=${secret.keyFile}`,
    ];
  });
  afterEach(async () => {
    secret[Symbol.dispose]();
    await Promise.all(agents.splice(0).map((agent) => agent.destroy()));
  });
  after(() => rmSync(folder, { recursive: true }));

  const ask = async (webhook: WebhookProcess, agent: Agent) => {
    const { statusCode, headers, body } = await request(`https://127.0.0.1:${webhook.port}/validate?timeout=3s`, {
      method: 'POST',
      dispatcher: agent,
      headers: { 'content-type': 'application/json' },
      body: review,
    });
    return { status: statusCode, connection: headers['connection'], answer: await body.json() };
  };
  /** Returns an agent that trusts the authorities of these certificates. */
  const agentFor = (...certificates: readonly ServingCertificate[]): Agent => {
    const ca = certificates.map(({ authority }) => authority.certificate);
    const agent = new Agent({ allowH2: false, connections: 4, connect: { ca } });
    agents.push(agent);
    return agent;
  };

  it('serves while the API server is unreachable, and reports why it is not ready', async () => {
    await using webhook = await startWebhook(flags);
    await webhook.listening();
    const agent = agentFor(certificate);
    assert.equal((await ask(webhook, agent)).status, 200);
    const { status, text } = await webhook.probe('/readyz');
    assert.equal(status, 500);
    assert.match(text, /\[-\]informer-services failed: .+/);
    assert.match(text, /\[\+\]certificate ok/);
  });

  it('loads neither the cloud SDK nor client-node', async () => {
    const trace = join(folder, 'modules');
    await using webhook = await startWebhook(flags, {
      nodeFlags: ['--import', TRACER],
      environment: { TRACE_MODULES: trace },
    });
    await webhook.listening();
    const agent = agentFor(certificate);
    await ask(webhook, agent);
    const modules = readFileSync(trace, 'utf8').split('\n');
    assert.ok(modules.some((url) => url.includes('/node_modules/fastify/')));
    assert.deepEqual(
      modules.filter((url) => /\/node_modules\/@(alicloud|kubernetes)\//.test(url)),
      [],
    );
  });

  it('fails no request while it stops', async () => {
    // On a busy machine, the default drain time could end before all requests are answered.
    await using webhook = await startWebhook([...flags, '--drain-seconds=600']);
    await webhook.listening();
    const agent = agentFor(certificate);
    const replies: Awaited<ReturnType<typeof ask>>[] = [];
    const stopping = new AbortController();
    const clients = Array.from({ length: 4 }, async () => {
      for (let heard = 0; heard < 20;) {
        const isLate = stopping.signal.aborted;
        const reply = await ask(webhook, agent);
        if (!isLate) continue;
        replies.push(reply);
        heard += 1;
      }
    });
    await delay(200);
    webhook.signal('SIGTERM');
    while (!webhook.output().includes('still serving')) await delay(10);
    stopping.abort();
    assert.match((await webhook.probe('/readyz')).text, /\[-\]shutdown failed: the process is stopping/);
    await Promise.all(clients);
    assert.deepEqual(
      [...new Set(replies.map(({ status, connection }) => `${status} ${String(connection)}`))],
      ['200 close'],
    );
    webhook.signal('SIGTERM');
    assert.equal(await webhook.ended, 0);
  });

  it('ends after the drain time is over', async () => {
    await using webhook = await startWebhook([...flags, '--drain-seconds=1']);
    await webhook.listening();
    webhook.signal('SIGTERM');
    assert.equal(await webhook.ended, 0);
  });

  it('ends at once at a second signal', async () => {
    await using webhook = await startWebhook([...flags, '--drain-seconds=600']);
    await webhook.listening();
    webhook.signal('SIGTERM');
    while (!webhook.output().includes('still serving')) await delay(20);
    webhook.signal('SIGINT');
    assert.equal(await webhook.ended, 0);
  });

  it('loads a renewed certificate without failing a request', async () => {
    await using webhook = await startWebhook(flags);
    await webhook.listening();
    const renewed = await servingCertificate();
    const either = agentFor(certificate, renewed);
    assert.equal((await ask(webhook, either)).status, 200);
    const done = new AbortController();
    const statuses: number[] = [];
    const client = (async () => {
      while (!done.signal.aborted) statuses.push((await ask(webhook, either)).status);
    })();
    secret.swap(renewed);
    const fresh = agentFor(renewed);
    while ((await ask(webhook, fresh).catch(() => undefined)) === undefined) await delay(20);
    done.abort();
    await client;
    assert.ok(statuses.length > 0);
    assert.ok(statuses.every((status) => status === 200));
    secret.swap({ certificate: renewed.certificate, key: certificate.key });
    while (!webhook.output().includes('the previous certificate stays in use')) await delay(20);
    const afterwards = agentFor(renewed);
    assert.equal((await ask(webhook, afterwards)).status, 200);
    assert.match((await webhook.probe('/metrics')).text, /^portcullis_webhook_certificate_reload_errors_total [1-9]/m);
  });

  it('is not ready while its certificate is expired', async () => {
    secret.swap(await expiredCertificate());
    await using webhook = await startWebhook(flags);
    await webhook.listening();
    assert.match(
      (await webhook.probe('/readyz')).text,
      /\[-\]certificate failed: the certificate expired at .+: renew the certificate/,
    );
    secret.swap(certificate);
    while (!(await webhook.probe('/readyz')).text.includes('[+]certificate ok')) await delay(20);
  });

  it('ends with one line if its port is in use', async () => {
    const other = createServer().listen(0, '127.0.0.1');
    await once(other, 'listening');
    const { port } = other.address() as { port: number };
    await using webhook = await startWebhook([...flags, `--port=${port}`]);
    assert.equal(await webhook.ended, 2);
    other.close();
    const lines = webhook
      .output()
      .split('\n')
      .filter((line) => !line.startsWith('{') && line !== '');
    assert.deepEqual(lines, [
      `error: the admission server cannot listen on 127.0.0.1 port ${port} because another process uses the port: stop that process, or choose another port with --port`,
    ]);
  });

  it('ends if only the port of its probes is in use', async () => {
    const other = createServer().listen(0, '127.0.0.1');
    await once(other, 'listening');
    const { port } = other.address() as { port: number };
    await using webhook = await startWebhook([...flags, `--health-probe-bind-addr=127.0.0.1:${port}`]);
    assert.equal(await webhook.ended, 2);
    other.close();
    assert.match(webhook.output(), /^error: the probe server cannot listen on .+ another process uses the port/m);
  });

  it('ends with one line if a certificate is invalid', async () => {
    await using webhook = await startWebhook([...flags, '--tls-cert-file=/nonexistent/tls.crt']);
    assert.equal(await webhook.ended, 2);
    assert.match(webhook.output(), /^error: failed to read the certificate \/nonexistent\/tls\.crt .+\n$/);
  });
});
