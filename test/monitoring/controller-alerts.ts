import type { AlertCases } from './alert-case.ts';

const EXCEPTIONS = 'portcullis_policy_exceptions';
const LEADS = 'leader_election_master_status{name="ccm",instance="a"}';
const OTHER_LEADS = 'leader_election_master_status{name="ccm",instance="b"}';
const CALLS = 'portcullis_cloud_calls_total{action="CreateLoadBalancer"';
const ORPHANS = 'portcullis_inventory_orphans';
const DEPTH = 'workqueue_depth{name="service"}';

export const CONTROLLER_ALERTS: Readonly<Record<string, AlertCases>> = {
  PortcullisPolicyInvalid: {
    fires: {
      'the controller cannot read a part of one': {
        series: { 'portcullis_policies{state="invalid"}': '1x30' },
        at: '11m',
      },
      'the webhook cannot': { series: { 'portcullis_webhook_policies{state="invalid"}': '1x30' }, at: '11m' },
    },
    stays: {
      'both read them all': {
        series: {
          'portcullis_policies{state="invalid"}': '0x30',
          'portcullis_webhook_policies{state="invalid"}': '0x30',
          'portcullis_policies{state="valid"}': '3x30',
        },
        at: '11m',
      },
    },
  },
  PortcullisExceptionExpiresSoon: {
    fires: {
      'one ends within a week': { series: { [`${EXCEPTIONS}{state="expires-soon"}`]: '1x5' }, at: '2m' },
      'one ends within a day': { series: { [`${EXCEPTIONS}{state="expires-within-a-day"}`]: '1x5' }, at: '2m' },
    },
    stays: {
      'they have longer': {
        series: { [`${EXCEPTIONS}{state="active"}`]: '4x5', [`${EXCEPTIONS}{state="expires-soon"}`]: '0x5' },
        at: '2m',
      },
    },
  },
  PortcullisExceptionExpired: {
    fires: { 'one has for an hour': { series: { [`${EXCEPTIONS}{state="expired"}`]: '1x90' }, at: '61m' } },
    stays: { 'none has': { series: { [`${EXCEPTIONS}{state="expired"}`]: '0x90' }, at: '61m' } },
  },
  PortcullisControllerWithoutLeader: {
    fires: {
      'none of two leads': { series: { [LEADS]: '0x30', [OTHER_LEADS]: '0x30' }, at: '6m' },
      'none is scraped': { series: {}, at: '6m' },
    },
    stays: { 'one of two leads': { series: { [LEADS]: '0x30', [OTHER_LEADS]: '1x30' }, at: '6m' } },
  },
  PortcullisInventoryOld: {
    fires: {
      'no pass has been complete since the process began': {
        series: { portcullis_inventory_observed_timestamp_seconds: '0x30' },
        at: '17m',
      },
    },
    stays: {
      'there is one a minute': { series: { portcullis_inventory_observed_timestamp_seconds: '0+60x30' }, at: '17m' },
    },
  },
  PortcullisOrphans: {
    fires: {
      'a load balancer is one for an hour, also across a restart': {
        series: {
          [`${ORPHANS}{kind="load-balancer",instance="a"}`]: '2x30 _x60',
          [`${ORPHANS}{kind="load-balancer",instance="b"}`]: '_x30 2x60',
          [`${ORPHANS}{kind="listener",instance="b"}`]: '0x90',
        },
        at: '65m',
        labels: { kind: 'load-balancer' },
      },
    },
    stays: {
      'there is none': { series: { [`${ORPHANS}{kind="listener"}`]: '0x90' }, at: '65m' },
      'it is gone within the hour': { series: { [`${ORPHANS}{kind="listener"}`]: '1x40 0x60' }, at: '65m' },
    },
  },
  PortcullisCloudCallsFail: {
    fires: {
      'none has ever succeeded': {
        series: { [`${CALLS},code="InternalError"}`]: '0+1x30' },
        at: '25m',
        labels: { action: 'CreateLoadBalancer', code: 'InternalError' },
      },
      'none succeeds any more': {
        series: { [`${CALLS},code="InternalError"}`]: '0+1x40', [`${CALLS},code="OK"}`]: '7x40' },
        at: '25m',
        labels: { action: 'CreateLoadBalancer', code: 'InternalError' },
      },
    },
    stays: {
      'some succeed': {
        series: { [`${CALLS},code="InternalError"}`]: '0+1x40', [`${CALLS},code="OK"}`]: '0x10 1+1x30' },
        at: '25m',
      },
      'few were made': { series: { [`${CALLS},code="InternalError"}`]: '0x5 1x5 2x30' }, at: '25m' },
      'their rate is used up': { series: { [`${CALLS},code="Throttling.User"}`]: '0+1x40' }, at: '25m' },
    },
  },
  PortcullisCloudPermissionDenied: {
    fires: {
      'a permission lacks': {
        series: { [`${CALLS},code="Forbidden.RAM"}`]: '_x5 1x3 2x30' },
        at: '12m',
        labels: { action: 'CreateLoadBalancer' },
      },
    },
    stays: { 'all is allowed': { series: { [`${CALLS},code="OK"}`]: '0+1x30' }, at: '12m' } },
  },
  PortcullisCloudThrottles: {
    fires: {
      'it was twice a minute': {
        series: { 'portcullis_cloud_throttled_total{action="AddBackendServers"}': '0+2x30' },
        at: '15m',
        labels: { action: 'AddBackendServers' },
      },
    },
    stays: {
      'it was now and then': {
        series: { 'portcullis_cloud_throttled_total{action="AddBackendServers"}': '0+1x30' },
        at: '15m',
      },
    },
  },
  PortcullisReconcileFails: {
    fires: {
      'it fails each minute': {
        series: { 'portcullis_reconcile_errors_total{controller="service",reason="Rejected"}': '0+1x60' },
        at: '50m',
        labels: { controller: 'service', reason: 'Rejected' },
      },
    },
    stays: {
      'it failed for a moment': {
        series: { 'portcullis_reconcile_errors_total{controller="service",reason="Rejected"}': '0+1x12 12x60' },
        at: '50m',
      },
    },
  },
  PortcullisQueueGrows: {
    fires: { 'it does not get shorter': { series: { [DEPTH]: '150x60' }, at: '40m', labels: { name: 'service' } } },
    stays: {
      'it gets shorter': { series: { [DEPTH]: '900-10x60' }, at: '40m' },
      'it is short': { series: { [DEPTH]: '50x60' }, at: '40m' },
    },
  },
  PortcullisReconcileStuck: {
    fires: {
      'it takes ever longer': {
        series: { 'workqueue_longest_running_processor_seconds{name="route"}': '0+60x30' },
        at: '12m',
        labels: { name: 'route' },
      },
    },
    stays: {
      'it ends': { series: { 'workqueue_longest_running_processor_seconds{name="route"}': '0+60x6 0x30' }, at: '12m' },
    },
  },
  PortcullisCloudConfigOutOfDate: {
    fires: { 'a change is not in force': { series: { portcullis_cloud_config_up_to_date: '0x30' }, at: '6m' } },
    stays: { 'all of it is': { series: { portcullis_cloud_config_up_to_date: '1x30' }, at: '6m' } },
  },
  PortcullisCertificateRotationFailing: {
    fires: {
      'it fails each time': {
        series: { 'portcullis_managed_certificate_failures_total{reason="Unauthorized"}': '_x3 1+2x60' },
        at: '25m',
        labels: { reason: 'Unauthorized' },
      },
    },
    stays: {
      'it failed for a moment': {
        series: { 'portcullis_managed_certificate_failures_total{reason="Unavailable"}': '_x3 1+2x3 7x60' },
        at: '25m',
      },
    },
  },
  PortcullisCacheStale: {
    fires: {
      'nothing has come for a while': {
        series: { 'reflector_last_event_timestamp_seconds{resource="services"}': '60x60' },
        at: '20m',
        labels: { resource: 'services' },
      },
      'one kind was never heard of': {
        series: {
          'reflector_last_event_timestamp_seconds{resource="services"}': '0+60x60',
          'reflector_last_event_timestamp_seconds{resource="loadbalancerpolicies"}': '0x60',
        },
        at: '20m',
        labels: { resource: 'loadbalancerpolicies' },
      },
    },
    stays: {
      'something comes each minute': {
        series: { 'reflector_last_event_timestamp_seconds{resource="services"}': '0+60x60' },
        at: '20m',
      },
    },
  },
};
