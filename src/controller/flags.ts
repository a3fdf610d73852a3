import { PROVIDER_ID_FORMS } from '../node/provider-id.ts';

/** The type of a flag's value. */
export type FlagValue = 'text' | 'switch' | 'whole number' | 'number' | 'duration';

/** The support for a flag of Portcullis or of another cloud controller, such as the Alibaba Cloud Controller Manager. */
export type FlagSupport =
  /** The flag takes effect. */
  | { readonly kind: 'used'; readonly default?: string }
  /** The flag is accepted with a warning, so that manifests of other controllers work unchanged. */
  | { readonly kind: 'ignored'; readonly because: string }
  /** The flag stops the start, because a process that ignored the flag would not do what the user expects. */
  | { readonly kind: 'rejected'; readonly because: string };

export interface Flag {
  /** The name without the leading `--`. */
  readonly name: string;
  readonly value: FlagValue;
  readonly doc: string;
  readonly support: FlagSupport;
}

const used = (name: string, value: FlagValue, doc: string, initial?: string): Flag => ({
  name,
  value,
  doc,
  support: { kind: 'used', ...(initial === undefined ? {} : { default: initial }) },
});
const ignored = (because: string, value: FlagValue, ...names: readonly string[]): readonly Flag[] =>
  names.map((name) => ({ name, value, doc: `accepted, no effect: ${because}`, support: { kind: 'ignored', because } }));
const rejected = (because: string, value: FlagValue, ...names: readonly string[]): readonly Flag[] =>
  names.map((name) => ({ name, value, doc: `rejected: ${because}`, support: { kind: 'rejected', because } }));

const USED: readonly Flag[] = [
  used(
    'cloud-config',
    'text',
    'the cloud-config file, JSON or YAML, in the format of the Alibaba Cloud Controller Manager',
  ),
  used('kubeconfig', 'text', 'kubeconfig of the cluster; if absent, the service account of the pod'),
  used('controllers', 'text', 'comma-separated list of controllers to run; * runs all, -name excludes one', '*'),
  used(
    'cluster-cidr',
    'text',
    'address range of pods, or an IPv4 and an IPv6 range separated by a comma; if empty, no routes',
    '',
  ),
  used('configure-cloud-routes', 'switch', 'create routes to pods in the route tables of the VPC', 'true'),
  used(
    'route-reconciliation-period',
    'duration',
    'interval between full reads of the route tables; the shortest value is 1m',
    '1h',
  ),
  used(
    'skip-disable-source-dest-check',
    'switch',
    'leave the source and destination check of the network interfaces of Nodes enabled',
    'false',
  ),
  used(
    'provider-id-form',
    'text',
    `form of the provider id that the controller sets if the kubelet sets none: ${PROVIDER_ID_FORMS.join(' or ')}`,
    'region.instance',
  ),
  used(
    'node-removal-grace',
    'duration',
    'time for which a Node must be not ready before it is deleted; its instance must also be missing from two look-ups, half of this time apart; the shortest value is 10s',
    '1m',
  ),
  used('network', 'text', 'endpoints of the cloud: vpc from inside a VPC, public from anywhere', 'vpc'),
  used('access-key-dir', 'text', 'folder with the files access-key-id and access-key-secret, such as a mounted Secret'),
  used(
    'addon-token-file',
    'text',
    'file with the encrypted cloud credentials of an add-on; ignored if absent',
    '/var/addon/token-config',
  ),
  used(
    'enable-imdsv2',
    'switch',
    'read the instance metadata with a token, which a hardened metadata service requires',
    'true',
  ),
  used('protected-load-balancers', 'text', 'comma-separated ids of load balancers that no Service may use', ''),
  used('warn-only', 'switch', 'sync Services although rules or policies deny them; safety rules still deny', 'false'),
  used(
    'concurrent-service-syncs',
    'whole number',
    'number of Services to sync in parallel; overrides the cloud-config file',
  ),
  used('leader-elect', 'switch', 'work only while holding the Lease', 'true'),
  used('leader-elect-lease-duration', 'duration', 'time for which a renewed Lease is valid', '15s'),
  used('leader-elect-renew-deadline', 'duration', 'time after which a leader that cannot renew the Lease stops', '10s'),
  used('leader-elect-retry-period', 'duration', 'interval between attempts to acquire or renew the Lease', '2s'),
  used(
    'leader-elect-resource-name',
    'text',
    'name of the Lease; the Alibaba Cloud Controller Manager uses the same name',
    'ccm',
  ),
  used('leader-elect-resource-namespace', 'text', 'namespace of the Lease', 'kube-system'),
  used(
    'leader-elect-resource-lock',
    'text',
    'kind of the lock; older kinds such as endpoints are accepted and treated as leases',
    'leases',
  ),
  used('health-probe-bind-addr', 'text', 'address of /healthz, /readyz and /metrics (HTTP)', ':10258'),
  used(
    'probe-port',
    'whole number',
    'port of /healthz, /readyz and /metrics; overrides --port and the port of --health-probe-bind-addr',
  ),
  used('address', 'text', 'host of /healthz, /readyz and /metrics; overrides the host of --health-probe-bind-addr'),
  used('port', 'whole number', 'port of /healthz, /readyz and /metrics, unless --probe-port is set'),
  used('metrics-bind-addr', 'text', 'additional address of /metrics (HTTP); 0 for none', '0'),
  used('kube-api-qps', 'number', 'requests per second to the API server', '20'),
  used('kube-api-burst', 'whole number', 'burst of requests to the API server', '30'),
  used('self-managed-certificates', 'switch', 'issue the certificate of the webhook, instead of cert-manager', 'false'),
  used('dry-run', 'switch', 'log the plan of every Service, change nothing, and exit', 'false'),
  used('log-level', 'text', 'trace, debug, info, warn, error, fatal or silent', 'info'),
  used('v', 'whole number', 'log level as a number: debug from 4, trace from 6'),
];

const SHARED_LEASE = 'the existing controller and this one share one Lease, so no migration is needed; remove the flag';

const OTHERS: readonly Flag[] = [
  ...ignored('the only cloud is Alibaba Cloud', 'text', 'cloud-provider'),
  ...ignored('names in the cloud contain the cluster id of the cloud-config file', 'text', 'cluster-name'),
  ...ignored('each call contains as many routes as the API allows', 'whole number', 'route-reconcile-batch-size'),
  ...ignored('kube-controller-manager allocates the pod ranges of Nodes', 'switch', 'allocate-node-cidrs'),
  ...ignored('kube-controller-manager allocates the pod ranges of Nodes', 'text', 'cidr-allocator-type'),
  ...ignored(
    'Nodes are reconciled when they change, and all Nodes every five minutes',
    'duration',
    ...['node-monitor-period', 'node-status-update-frequency', 'node-sync-period'],
  ),
  ...ignored(
    'Nodes are reconciled in parallel, and each call contains as many Nodes as the API allows',
    'whole number',
    ...['concurrent-node-syncs', 'concurrent-node-status-updates', 'node-reconcile-batch-size'],
    'node-event-aggregation-wait-seconds',
  ),
  ...ignored('all controllers use one service account', 'switch', 'use-service-account-credentials'),
  ...ignored('the cluster id identifies the cluster', 'switch', 'allow-untagged-cloud'),
  ...ignored('the cloud-config file sets feature gates', 'text', 'feature-gates'),
  ...ignored(
    'each call contains as many items as the API allows, and a built-in limiter respects its rate limits',
    'whole number',
    ...['sg-batch-size', 'max-concurrent-actions', 'max-throttling-retry-times'],
  ),
  ...ignored('there is no profiling endpoint', 'text', 'pprof-bind-addr'),
  ...ignored('there is no profiling endpoint', 'switch', 'profiling', 'contention-profiling'),
  ...ignored('requests to the API server use JSON', 'text', 'kube-api-content-type'),
  ...ignored('caches use watches and need no resync', 'duration', 'min-resync-period'),
  ...ignored('all controllers start at the same time', 'duration', 'controller-start-interval'),
  ...ignored('--health-probe-bind-addr serves health over HTTP', 'text', 'bind-address'),
  ...ignored('--health-probe-bind-addr serves health over HTTP', 'whole number', 'secure-port'),
  ...ignored('this program does not manage volumes', 'text', 'external-cloud-volume-plugin'),
  ...ignored('portcullis webhook serves admission', 'text', 'webhooks', 'webhook-bind-address'),
  ...ignored('portcullis webhook serves admission', 'whole number', 'webhook-secure-port'),
  ...ignored(
    'portcullis webhook serves admission',
    'text',
    ...['webhook-cert-dir', 'webhook-tls-cert-file', 'webhook-tls-private-key-file'],
    ...['webhook-tls-cipher-suites', 'webhook-tls-min-version'],
  ),
  ...ignored(
    'health and metrics are served over HTTP without authentication',
    'text',
    ...['authentication-kubeconfig', 'authorization-kubeconfig', 'client-ca-file', 'requestheader-client-ca-file'],
    ...['cert-dir', 'tls-cert-file', 'tls-private-key-file', 'tls-cipher-suites', 'tls-min-version'],
  ),
  ...ignored('logs are JSON lines on standard output', 'switch', 'logtostderr', 'alsologtostderr'),
  ...ignored('logs are JSON lines on standard output', 'text', 'stderrthreshold', 'vmodule', 'log-dir'),
  ...ignored('logs are JSON lines on standard output', 'duration', 'log-flush-frequency'),
  ...rejected('set the API server in a kubeconfig file, with --kubeconfig', 'text', 'master'),
  ...rejected(SHARED_LEASE, 'switch', 'enable-leader-migration'),
  ...rejected(SHARED_LEASE, 'text', 'leader-migration-config'),
];

/** Every flag that `portcullis controller` accepts or explains. The flags that take effect come first, for the help text. */
export const FLAGS: readonly Flag[] = [...USED, ...OTHERS];
