import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { kubeconfig } from '../../../src/local/kubeconfig.ts';
import { openRaw, posted } from '../../support/raw-client.ts';
import { aReview } from '../../support/review.ts';
import { aService } from '../../support/service.ts';
import { mountedSecret, servingCertificate } from '../../support/serving-certificate.ts';
import { shippedEnvironment } from '../../support/shipped-deployment.ts';
import { startWebhook, type WebhookProcess } from '../../support/webhook-process.ts';

/** The timeout of each review in seconds, long enough for a slow machine. */
const PATIENCE = 600;
const LARGE_REVIEWS = 11;
const PORTS = 45_000;

const { spec, ...rest } = aService();
const ports = Array.from({ length: PORTS }, (_, at) => ({
  name: `p${at}`,
  protocol: 'SCTP',
  port: at + 1,
  targetPort: 'Not a name',
}));
const posting = (review: object): string => posted(JSON.stringify(review), {}, PATIENCE);
const LARGE = posting(aReview({ object: { ...rest, spec: { ...spec, ports } }, uid: 'large' }));
const REVIEW = posting(aReview({ object: aService(), uid: 'u-1' }));

/** A tenant can send very large objects. Reviews of other tenants must not wait for them. */
describe('the webhook with large reviews in progress', function () {
  this.timeout(180_000);
  const resources = new AsyncDisposableStack();
  let webhook: WebhookProcess;
  let ca: string;

  before(async () => {
    const certificate = await servingCertificate();
    ca = certificate.authority.certificate;
    const folder = mkdtempSync(join(tmpdir(), 'portcullis-large-'));
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

  it('responds to a small review before the last large review', async () => {
    using resources = new DisposableStack();
    const bodies = await Promise.all(Array.from({ length: LARGE_REVIEWS }, () => openRaw(webhook.port, ca)));
    for (const connection of bodies) resources.use(connection).socket.write(LARGE);
    await Promise.any(bodies.map((connection) => connection.until(/"uid":"large"/)));
    const unanswered = (): number => bodies.filter((connection) => connection.received() === '').length;
    const before = unanswered();
    assert.ok(before >= LARGE_REVIEWS / 2, `${before} large reviews were under way`);
    using small = await openRaw(webhook.port, ca);
    small.socket.write(REVIEW);
    assert.match(await small.until(/"uid":"u-1"/), /^HTTP\/1\.1 200 .*"allowed":true/s);
    assert.ok(unanswered() > 0, `${before} large reviews were answered before it`);
  });
});
