import assert from 'node:assert/strict';
import { Registry } from 'prom-client';
import { rootLogger } from '../../../src/log.ts';
import { certificateInForce } from '../../../webhook/in-force.ts';
import { createMetrics } from '../../../webhook/metrics.ts';
import { servingCertificate } from '../../support/serving-certificate.ts';
import { VirtualClock } from '../../support/virtual-clock.ts';
import { aServer } from '../../support/webhook-server.ts';

const DAY_MS = 86_400_000;

describe('the certificate in force', () => {
  it('is told of in figures and at readiness, and so is one that cannot be used', async () => {
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
    const surroundings = { clock, metrics: createMetrics(registry), log: rootLogger('silent') };
    const { check, use, onFault } = certificateInForce(aServer(issued), pair, surroundings);
    assert.equal(await figure('not_after_seconds'), pair.notAfter / 1_000);
    assert.equal(check(), undefined);

    await clock.advance(DAY_MS);
    assert.match(check() ?? '', /^the certificate expired at .+: renew it$/);
    onFault('broken');
    assert.equal(await figure('faults_total'), 1);

    const renewed = { ...pair, notAfter: clock.now() + DAY_MS };
    use(renewed);
    assert.equal(check(), undefined);
    assert.equal(await figure('not_after_seconds'), renewed.notAfter / 1_000);

    const useless = { ...renewed, cert: Buffer.from('none'), notAfter: renewed.notAfter + DAY_MS };
    assert.throws(() => use(useless));
    assert.equal(await figure('not_after_seconds'), renewed.notAfter / 1_000);
  });
});
