import { never, once, type AlertCase, type AlertCases } from './alert-case.ts';

const DAY_S = 86_400;
const WEBHOOK = 'portcullis_build_info{component="webhook",instance="a"}';
const OTHER_WEBHOOK = 'portcullis_build_info{component="webhook",instance="b"}';
const LAG = 'nodejs_eventloop_lag_p99_seconds{instance="a"}';
const FAIL_OPEN = 'apiserver_admission_webhook_fail_open_count{name="services.portcullis.io",type="validating"}';
const OTHER_FAIL_OPEN = 'apiserver_admission_webhook_fail_open_count{name="pods.example.com",type="validating"}';

const decisions = (slow: string): AlertCase['series'] => ({
  'portcullis_webhook_decision_duration_seconds_bucket{path="validate",le="0.1"}': '0+10x30',
  'portcullis_webhook_decision_duration_seconds_bucket{path="validate",le="0.5"}': slow,
  'portcullis_webhook_decision_duration_seconds_bucket{path="validate",le="+Inf"}': slow,
});

export const WEBHOOK_ALERTS: Readonly<Record<string, AlertCases>> = {
  PortcullisWebhookAbsent: {
    fires: { 'no replica is scraped': { series: {}, at: '6m', labels: { component: 'webhook' } } },
    stays: {
      'one is': { series: { [WEBHOOK]: '1x10' }, at: '6m' },
      'a rollout leaves none for a moment': { series: { [WEBHOOK]: '1x3 stale 1x10' }, at: '6m' },
    },
  },
  PortcullisSingleReplica: {
    fires: { 'one is left': { series: { [WEBHOOK]: '1x30' }, at: '16m' } },
    stays: { 'there are two': { series: { [WEBHOOK]: '1x30', [OTHER_WEBHOOK]: '1x30' }, at: '16m' } },
  },
  PortcullisWebhookSlow: {
    fires: {
      'one decision of ten takes half a second': { series: decisions('0+11x30'), at: '16m' },
      'its process is late': { series: { [WEBHOOK]: '1x30', [LAG]: '0.6x30' }, at: '16m' },
    },
    stays: {
      'all are fast': { series: decisions('0+10x30'), at: '16m' },
      'the controller is late': {
        series: { 'portcullis_build_info{component="controller",instance="a"}': '1x30', [LAG]: '0.6x30' },
        at: '16m',
      },
    },
  },
  PortcullisWebhookOverloaded: {
    fires: {
      'there was no room for a single review': once('portcullis_webhook_load_shed_total{path="validate"}'),
      'a single connection was closed': once('portcullis_webhook_dropped_connections_total'),
    },
    stays: { 'there was room for all': never('portcullis_webhook_load_shed_total{path="validate"}') },
  },
  PortcullisWebhookErrors: {
    fires: {
      'a single review met a defect': once('portcullis_webhook_http_errors_total{status="500"}', {
        status: '500',
      }),
    },
    stays: { 'all got a verdict': never('portcullis_webhook_http_errors_total{status="500"}') },
  },
  PortcullisRuleErrors: {
    fires: {
      'a rule has failed once': once('portcullis_webhook_rule_errors_total{rule="limits",tier="hygiene"}', {
        rule: 'limits',
        tier: 'hygiene',
      }),
    },
    stays: { 'none has': never('portcullis_webhook_rule_errors_total{rule="limits",tier="hygiene"}') },
  },
  PortcullisAdmissionFailsOpen: {
    fires: {
      'an object passed, the first that the API server counts': {
        series: { [FAIL_OPEN]: '_x5 1x30' },
        at: '7m',
        labels: { name: 'services.portcullis.io' },
      },
      'another one passed': { ...once(FAIL_OPEN), labels: { name: 'services.portcullis.io' } },
    },
    stays: {
      'the last one was a while ago': { series: { [FAIL_OPEN]: '3x30' }, at: '25m' },
      "it was another's webhook": { series: { [OTHER_FAIL_OPEN]: '_x5 1x30' }, at: '7m' },
    },
  },
  PortcullisCertificateExpires: {
    fires: {
      'six days are left': {
        series: { portcullis_webhook_certificate_expiration_timestamp_seconds: `${6 * DAY_S}x90` },
        at: '65m',
      },
    },
    stays: {
      'a month is left': {
        series: { portcullis_webhook_certificate_expiration_timestamp_seconds: `${30 * DAY_S}x90` },
        at: '65m',
      },
    },
  },
  PortcullisCertificateReloadFailed: {
    fires: { 'a pair of files did not fit': once('portcullis_webhook_certificate_reload_errors_total') },
    stays: { 'all did': never('portcullis_webhook_certificate_reload_errors_total') },
  },
};
