import assert from 'node:assert/strict';
import { X509Certificate } from 'node:crypto';
import { Registry } from 'prom-client';
import { createAuthority, type Credential } from '../../../../src/local/pki.ts';
import { rootLogger } from '../../../../src/base/log.ts';
import { createServingCertificate } from '../../../../webhook/server/serving-certificate.ts';
import { createMetrics } from '../../../../webhook/metrics.ts';
import { servingCertificate } from '../../../support/serving-certificate.ts';
import { VirtualClock } from '../../../support/virtual-clock.ts';
import { aServer } from '../../../support/webhook-server.ts';

const DAY_MS = 86_400_000;

/** An expired certificate makes the API server skip the webhook, so operators must be warned before the expiry. */
describe('the reports about the certificate', () => {
  it('log the client authorities at the start and at each change', async () => {
    const issued = await servingCertificate();
    const pair = { cert: Buffer.from(issued.certificate), key: Buffer.from(issued.key), notAfter: Infinity };
    const [one, other] = await Promise.all([createAuthority('one', Date.now()), createAuthority('other', Date.now())]);
    const clientsOf = (...of: readonly Credential[]) => ({
      authority: Buffer.from(of.map(({ certificate }) => certificate).join('')),
      names: new Set<string>(),
    });
    const fingerprintOf = ({ certificate }: Credential): string => new X509Certificate(certificate).fingerprint256;
    const lines: string[] = [];
    const log = rootLogger('info', { write: (line) => void lines.push(line) });
    const context = { clock: new VirtualClock(), metrics: createMetrics(new Registry()), log };
    const { clients } = createServingCertificate(
      aServer(issued),
      { ...pair, notAfter: 0 },
      { ...context, clients: clientsOf(one) },
    );
    clients.use(clientsOf(one, other));
    assert.deepEqual(
      lines
        .map((line) => JSON.parse(line) as { readonly msg: string; readonly fingerprints: readonly string[] })
        .flatMap(({ msg, fingerprints }) => (msg === 'client certificate authority loaded' ? [fingerprints] : [])),
      [[fingerprintOf(one)], [fingerprintOf(one), fingerprintOf(other)]],
    );
  });

  it('show the expiry and failed reloads in metrics, and an expired certificate in readiness', async () => {
    const issued = await servingCertificate();
    const registry = new Registry();
    const figure = async (name: string): Promise<number> => {
      const text = await registry.getSingleMetricAsString(`portcullis_webhook_certificate_${name}`);
      return Number(text.split(' ').at(-1));
    };
    const clock = new VirtualClock();
    const pair = {
      cert: Buffer.from(issued.certificate),
      key: Buffer.from(issued.key),
      notAfter: clock.now() + DAY_MS,
    };
    const context = { clock, metrics: createMetrics(registry), log: rootLogger('silent') };
    const { check, use, onError } = createServingCertificate(aServer(issued), pair, context);
    assert.equal(await figure('expiration_timestamp_seconds'), pair.notAfter / 1_000);
    assert.equal(check(), undefined);

    await clock.advance(DAY_MS);
    assert.match(check() ?? '', /^the certificate expired at .+: renew the certificate$/);
    onError('broken');
    assert.equal(await figure('reload_errors_total'), 1);

    const renewed = { ...pair, notAfter: clock.now() + DAY_MS };
    use(renewed);
    assert.equal(check(), undefined);
    assert.equal(await figure('expiration_timestamp_seconds'), renewed.notAfter / 1_000);

    const useless = { ...renewed, cert: Buffer.from('none'), notAfter: renewed.notAfter + DAY_MS };
    assert.throws(() => use(useless));
    assert.equal(await figure('expiration_timestamp_seconds'), renewed.notAfter / 1_000);
  });
});
