import assert from 'node:assert/strict';
import { Registry } from 'prom-client';
import { createMetrics } from '../../../webhook/metrics.ts';
import { ALL_RULES } from '../../../webhook/admission/validate.ts';

const FIGURES = [
  'portcullis_webhook_http_errors_total{status="500"}',
  'portcullis_webhook_http_errors_total{status="503"}',
  'portcullis_webhook_rule_errors_total{rule="limits",tier="hygiene"}',
  'portcullis_webhook_rule_errors_total{rule="policy",tier="hygiene"}',
  'portcullis_webhook_rule_errors_total{rule="protected-load-balancer",tier="safety"}',
  'portcullis_webhook_rule_errors_total{rule="protected-load-balancer",tier="hygiene"}',
  'portcullis_webhook_rule_errors_total{rule="provider-id",tier="hygiene"}',
  'portcullis_webhook_load_shed_total{path="validate"}',
  'portcullis_webhook_dropped_connections_total',
  'portcullis_webhook_certificate_reload_errors_total',
];

/** Alerts with `increase()` miss the first event of a counter that does not exist yet, so each counter must exist from the start. */
describe('the metrics of the webhook in alerts', () => {
  for (const figure of FIGURES) {
    it(`export ${figure} as zero at the start`, async () => {
      const registry = new Registry();
      createMetrics(registry, [...ALL_RULES.service, ...ALL_RULES.node]);
      assert.ok((await registry.metrics()).split('\n').includes(`${figure} 0`));
    });
  }
});
