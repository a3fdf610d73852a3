import type { AlertCases } from './alert-case.ts';

const EXCEPTIONS = 'portcullis_policy_exceptions';
const LEADS = 'leader_election_master_status{name="ccm",instance="a"}';
const OTHER_LEADS = 'leader_election_master_status{name="ccm",instance="b"}';
const CALLS = 'portcullis_cloud_calls_total{action="CreateLoadBalancer"';
const ORPHANS = 'portcullis_inventory_orphans';
const DEPTH = 'workqueue_depth{name="service"}';

/** Cases of the alerts about the controller, by name of the alert. `alert-firing.test.ts` evaluates them in the suite monitoring. */
export const CONTROLLER_ALERTS: Readonly<Record<string, AlertCases>> = {
  PortcullisPolicyInvalid: {
    fires: {
      'the controller cannot read a part of a policy': {
        series: { 'portcullis_policies{state="invalid"}': '1x30' },
        at: '11m',
      },
      'the webhook cannot read a policy': {
        series: { 'portcullis_webhook_policies{state="invalid"}': '1x30' },
        at: '11m',
      },
    },
    stays: {
      'both read all policies': {
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
      'an exception ends within a week': { series: { [`${EXCEPTIONS}{state="expires-soon"}`]: '1x5' }, at: '2m' },
      'an exception ends within a day': {
        series: { [`${EXCEPTIONS}{state="expires-within-a-day"}`]: '1x5' },
        at: '2m',
      },
    },
    stays: {
      'exceptions end later': {
        series: { [`${EXCEPTIONS}{state="active"}`]: '4x5', [`${EXCEPTIONS}{state="expires-soon"}`]: '0x5' },
        at: '2m',
      },
    },
  },
  PortcullisExceptionExpired: {
    fires: {
      'an exception has been expired for an hour': {
        series: { [`${EXCEPTIONS}{state="expired"}`]: '1x90' },
        at: '61m',
      },
    },
    stays: { 'no exception has expired': { series: { [`${EXCEPTIONS}{state="expired"}`]: '0x90' }, at: '61m' } },
  },
  PortcullisControllerWithoutLeader: {
    fires: {
      'none of two replicas leads': { series: { [LEADS]: '0x30', [OTHER_LEADS]: '0x30' }, at: '6m' },
      'no replica is scraped': { series: {}, at: '6m' },
    },
    stays: { 'one of two replicas leads': { series: { [LEADS]: '0x30', [OTHER_LEADS]: '1x30' }, at: '6m' } },
  },
  PortcullisInventoryOld: {
    fires: {
      'no inventory pass is complete since the start of the process': {
        series: { portcullis_inventory_observed_timestamp_seconds: '0x30' },
        at: '17m',
      },
    },
    stays: {
      'an inventory pass is complete every minute': {
        series: { portcullis_inventory_observed_timestamp_seconds: '0+60x30' },
        at: '17m',
      },
    },
  },
  PortcullisOrphans: {
    fires: {
      'a load balancer is an orphan for an hour, also after a restart': {
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
      'there is no orphan': { series: { [`${ORPHANS}{kind="listener"}`]: '0x90' }, at: '65m' },
      'the orphan is gone within an hour': { series: { [`${ORPHANS}{kind="listener"}`]: '1x40 0x60' }, at: '65m' },
    },
  },
  PortcullisCloudCallsFail: {
    fires: {
      'no call has ever succeeded': {
        series: { [`${CALLS},code="InternalError"}`]: '0+1x30' },
        at: '25m',
        labels: { action: 'CreateLoadBalancer', code: 'InternalError' },
      },
      'no call succeeds any more': {
        series: { [`${CALLS},code="InternalError"}`]: '0+1x40', [`${CALLS},code="OK"}`]: '7x40' },
        at: '25m',
        labels: { action: 'CreateLoadBalancer', code: 'InternalError' },
      },
    },
    stays: {
      'some calls succeed': {
        series: { [`${CALLS},code="InternalError"}`]: '0+1x40', [`${CALLS},code="OK"}`]: '0x10 1+1x30' },
        at: '25m',
      },
      'there are few calls': { series: { [`${CALLS},code="InternalError"}`]: '0x5 1x5 2x30' }, at: '25m' },
      'the calls are throttled': { series: { [`${CALLS},code="Throttling.User"}`]: '0+1x40' }, at: '25m' },
    },
  },
  PortcullisCloudPermissionDenied: {
    fires: {
      'a permission is missing': {
        series: { [`${CALLS},code="Forbidden.RAM"}`]: '_x5 1x3 2x30' },
        at: '12m',
        labels: { action: 'CreateLoadBalancer' },
      },
    },
    stays: { 'no permission is missing': { series: { [`${CALLS},code="OK"}`]: '0+1x30' }, at: '12m' } },
  },
  PortcullisCloudThrottles: {
    fires: {
      'calls are throttled twice a minute': {
        series: { 'portcullis_cloud_throttled_total{action="AddBackendServers"}': '0+2x30' },
        at: '15m',
        labels: { action: 'AddBackendServers' },
      },
    },
    stays: {
      'calls are throttled sometimes': {
        series: { 'portcullis_cloud_throttled_total{action="AddBackendServers"}': '0+1x30' },
        at: '15m',
      },
    },
  },
  PortcullisReconcileFails: {
    fires: {
      'reconciles fail every minute': {
        series: { 'portcullis_reconcile_errors_total{controller="service",reason="Rejected"}': '0+1x60' },
        at: '50m',
        labels: { controller: 'service', reason: 'Rejected' },
      },
    },
    stays: {
      'reconciles fail for a moment': {
        series: { 'portcullis_reconcile_errors_total{controller="service",reason="Rejected"}': '0+1x12 12x60' },
        at: '50m',
      },
    },
  },
  PortcullisQueueGrows: {
    fires: {
      'the queue does not get shorter': { series: { [DEPTH]: '150x60' }, at: '40m', labels: { name: 'service' } },
    },
    stays: {
      'the queue gets shorter': { series: { [DEPTH]: '900-10x60' }, at: '40m' },
      'the queue is short': { series: { [DEPTH]: '50x60' }, at: '40m' },
    },
  },
  PortcullisReconcileStuck: {
    fires: {
      'a reconcile does not end': {
        series: { 'workqueue_longest_running_processor_seconds{name="route"}': '0+60x30' },
        at: '12m',
        labels: { name: 'route' },
      },
    },
    stays: {
      'the reconcile ends': {
        series: { 'workqueue_longest_running_processor_seconds{name="route"}': '0+60x6 0x30' },
        at: '12m',
      },
    },
  },
  PortcullisCloudConfigOutOfDate: {
    fires: {
      'a change of the configuration is not in effect': {
        series: { portcullis_cloud_config_up_to_date: '0x30' },
        at: '6m',
      },
    },
    stays: { 'the configuration is in effect': { series: { portcullis_cloud_config_up_to_date: '1x30' }, at: '6m' } },
  },
  PortcullisCertificateRotationFailing: {
    fires: {
      'the rotation fails every time': {
        series: { 'portcullis_managed_certificate_failures_total{reason="Unauthorized"}': '_x3 1+2x60' },
        at: '25m',
        labels: { reason: 'Unauthorized' },
      },
    },
    stays: {
      'the rotation fails for a moment': {
        series: { 'portcullis_managed_certificate_failures_total{reason="Unavailable"}': '_x3 1+2x3 7x60' },
        at: '25m',
      },
    },
  },
  PortcullisCacheStale: {
    fires: {
      'a watch has received nothing for a while': {
        series: { 'reflector_last_event_timestamp_seconds{resource="services"}': '60x60' },
        at: '20m',
        labels: { resource: 'services' },
      },
      'a watch has never received anything': {
        series: {
          'reflector_last_event_timestamp_seconds{resource="services"}': '0+60x60',
          'reflector_last_event_timestamp_seconds{resource="loadbalancerpolicies"}': '0x60',
        },
        at: '20m',
        labels: { resource: 'loadbalancerpolicies' },
      },
    },
    stays: {
      'a watch receives something every minute': {
        series: { 'reflector_last_event_timestamp_seconds{resource="services"}': '0+60x60' },
        at: '20m',
      },
    },
  },
};
