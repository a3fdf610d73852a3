import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { kubeconfig } from '../../../src/local/kubeconfig.ts';
import { openRaw, posted } from '../../support/raw-client.ts';
import { aReview } from '../../support/review.ts';
import { aService } from '../../support/service.ts';
import { mountedSecret, servingCertificate } from '../../support/serving-certificate.ts';
import { shippedEnvironment } from '../../support/shipped-deployment.ts';
import { startWebhook, type WebhookProcess } from '../../support/webhook-process.ts';

/** More connections than the webhook keeps open, opened in batches. */
const CONNECTIONS = 1_300;
const AT_ONCE = 50;
const REVIEW = posted(JSON.stringify(aReview({ object: aService(), uid: 'u-1' })));

/** Clients can keep connections open without requests. The API server must still get a connection. */
describe('the webhook with idle connections', function () {
  this.timeout(180_000);
  const resources = new AsyncDisposableStack();
  let webhook: WebhookProcess;
  let ca: string;

  before(async () => {
    const certificate = await servingCertificate();
    ca = certificate.authority.certificate;
    const folder = mkdtempSync(join(tmpdir(), 'portcullis-idle-'));
    resources.defer(() => rmSync(folder, { recursive: true }));
    const file = join(folder, 'kubeconfig');
    const nowhere = { server: 'https://127.0.0.1:1', certificateAuthority: ca };
    writeFileSync(file, kubeconfig(nowhere, 'user', { token: 'none' }));
    const { certFile, keyFile } = resources.use(mountedSecret(certificate));
    const flags = [`--kubeconfig=${file}`, `--tls-cert-file=${certFile}`, `--tls-private-key-file=${keyFile}`];
    webhook = resources.use(await startWebhook(flags, { environment: shippedEnvironment('webhook') }));
    await webhook.listening();
  });
  after(() => resources.disposeAsync());

  const kinds: Record<string, () => Promise<Disposable>> = {
    'connections without a handshake': async () => {
      const socket = connect(webhook.port, '127.0.0.1').on('error', () => undefined);
      await once(socket, 'connect');
      return { [Symbol.dispose]: () => socket.destroy() };
    },
    'encrypted connections': () => openRaw(webhook.port, ca),
    'connections with an incomplete body': async () => {
      const connection = await openRaw(webhook.port, ca);
      connection.socket.write(REVIEW.slice(0, -10));
      return connection;
    },
  };
  for (const [kind, open] of Object.entries(kinds)) {
    it(`responds to reviews while clients keep 1,300 ${kind} open`, async () => {
      using resources = new DisposableStack();
      using used = await openRaw(webhook.port, ca);
      used.socket.write(REVIEW);
      await used.until(/"uid":"u-1"/);
      for (let n = 0; n < CONNECTIONS; n += AT_ONCE) {
        for (const one of await Promise.all(Array.from({ length: AT_ONCE }, open))) resources.use(one);
      }
      used.socket.write(REVIEW);
      assert.match(await used.until(/"uid":"u-1".*"uid":"u-1"/s), /^HTTP\/1\.1 200 /);
      using another = await openRaw(webhook.port, ca);
      another.socket.write(REVIEW);
      assert.match(await another.until(/"uid":"u-1"/), /^HTTP\/1\.1 200 /);
    });
  }
});
