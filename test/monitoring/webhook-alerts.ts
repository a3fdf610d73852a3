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

/** Cases of the alerts about the webhook, by name of the alert. `alert-firing.test.ts` evaluates them in the suite monitoring. */
export const WEBHOOK_ALERTS: Readonly<Record<string, AlertCases>> = {
  PortcullisWebhookAbsent: {
    fires: { 'no replica is scraped': { series: {}, at: '6m', labels: { component: 'webhook' } } },
    stays: {
      'one replica is scraped': { series: { [WEBHOOK]: '1x10' }, at: '6m' },
      'a rollout leaves no replica for a moment': { series: { [WEBHOOK]: '1x3 stale 1x10' }, at: '6m' },
    },
  },
  PortcullisSingleReplica: {
    fires: { 'one replica is left': { series: { [WEBHOOK]: '1x30' }, at: '16m' } },
    stays: { 'there are two replicas': { series: { [WEBHOOK]: '1x30', [OTHER_WEBHOOK]: '1x30' }, at: '16m' } },
  },
  PortcullisWebhookSlow: {
    fires: {
      'one of ten decisions takes half a second': { series: decisions('0+11x30'), at: '16m' },
      'the event loop of the webhook is slow': { series: { [WEBHOOK]: '1x30', [LAG]: '0.6x30' }, at: '16m' },
    },
    stays: {
      'all decisions are fast': { series: decisions('0+10x30'), at: '16m' },
      'the event loop of the controller is slow': {
        series: { 'portcullis_build_info{component="controller",instance="a"}': '1x30', [LAG]: '0.6x30' },
        at: '16m',
      },
    },
  },
  PortcullisWebhookOverloaded: {
    fires: {
      'a review is skipped for lack of capacity': once('portcullis_webhook_load_shed_total{path="validate"}'),
      'a connection is closed': once('portcullis_webhook_dropped_connections_total'),
    },
    stays: { 'there is capacity for all reviews': never('portcullis_webhook_load_shed_total{path="validate"}') },
  },
  PortcullisWebhookErrors: {
    fires: {
      'a review causes an internal error': once('portcullis_webhook_http_errors_total{status="500"}', {
        status: '500',
      }),
    },
    stays: { 'all reviews have a response': never('portcullis_webhook_http_errors_total{status="500"}') },
  },
  PortcullisRuleErrors: {
    fires: {
      'a rule fails once': once('portcullis_webhook_rule_errors_total{rule="limits",tier="hygiene"}', {
        rule: 'limits',
        tier: 'hygiene',
      }),
    },
    stays: { 'no rule fails': never('portcullis_webhook_rule_errors_total{rule="limits",tier="hygiene"}') },
  },
  PortcullisAdmissionFailsOpen: {
    fires: {
      'the first object passes without the webhook': {
        series: { [FAIL_OPEN]: '_x5 1x30' },
        at: '7m',
        labels: { name: 'services.portcullis.io' },
      },
      'another object passes without the webhook': { ...once(FAIL_OPEN), labels: { name: 'services.portcullis.io' } },
    },
    stays: {
      'the last object passed a while ago': { series: { [FAIL_OPEN]: '3x30' }, at: '25m' },
      "an object passes without another product's webhook": { series: { [OTHER_FAIL_OPEN]: '_x5 1x30' }, at: '7m' },
    },
  },
  PortcullisCertificateExpires: {
    fires: {
      'the certificate expires in six days': {
        series: { portcullis_webhook_certificate_expiration_timestamp_seconds: `${6 * DAY_S}x90` },
        at: '65m',
      },
    },
    stays: {
      'the certificate expires in a month': {
        series: { portcullis_webhook_certificate_expiration_timestamp_seconds: `${30 * DAY_S}x90` },
        at: '65m',
      },
    },
  },
  PortcullisCertificateReloadFailed: {
    fires: { 'a certificate and its key do not match': once('portcullis_webhook_certificate_reload_errors_total') },
    stays: { 'all pairs of files match': never('portcullis_webhook_certificate_reload_errors_total') },
  },
};
