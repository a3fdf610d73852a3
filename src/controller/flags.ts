import { PROVIDER_ID_FORMS } from '../node/provider-id.ts';

/** What a flag's value may be. */
export type FlagValue = 'text' | 'switch' | 'whole number' | 'number' | 'duration';

/** What becomes of a flag that the existing controller, its older line, or upstream's cloud controllers know. */
export type Fate =
  /** It does what it says. */
  | { readonly kind: 'used'; readonly default?: string }
  /** Accepted with a warning, so that a manifest can be taken as it is. */
  | { readonly kind: 'ignored'; readonly because: string }
  /** Refused, because ignoring it would do something else than what was asked. */
  | { readonly kind: 'refused'; readonly because: string };

export interface Flag {
  /** Without the leading `--`. */
  readonly name: string;
  readonly value: FlagValue;
  readonly doc: string;
  readonly fate: Fate;
}

const used = (name: string, value: FlagValue, doc: string, initial?: string): Flag => ({
  name,
  value,
  doc,
  fate: { kind: 'used', ...(initial === undefined ? {} : { default: initial }) },
});
const ignored = (because: string, value: FlagValue, ...names: readonly string[]): readonly Flag[] =>
  names.map((name) => ({ name, value, doc: `accepted, no effect: ${because}`, fate: { kind: 'ignored', because } }));
const refused = (because: string, value: FlagValue, ...names: readonly string[]): readonly Flag[] =>
  names.map((name) => ({ name, value, doc: `refused: ${because}`, fate: { kind: 'refused', because } }));

const USED: readonly Flag[] = [
  used('cloud-config', 'text', 'the cloud-config file, JSON or YAML, as the existing controller reads it'),
  used('kubeconfig', 'text', "how to reach the API server; the pod's service account when absent"),
  used('controllers', 'text', 'the controllers to run, joined by commas; * for all, -name leaves one out', '*'),
  used('cluster-cidr', 'text', 'the range of the pods, or one of each family, joined by a comma; none: no routes', ''),
  used('configure-cloud-routes', 'switch', 'whether the route tables of the VPC are to lead to the pods', 'true'),
  used('route-reconciliation-period', 'duration', 'for how long route tables are believed unread; from 1m', '1h'),
  used('skip-disable-source-dest-check', 'switch', "leave the check of addresses of nodes' interfaces on", 'false'),
  used(
    'provider-id-form',
    'text',
    `how the instance of a Node is named whose kubelet names none: ${PROVIDER_ID_FORMS.join(' or ')}`,
    'region.instance',
  ),
  used(
    'node-removal-grace',
    'duration',
    'for how long a Node must have been not ready before it goes with its instance, which must be missing twice, half of that apart; from 10s',
    '1m',
  ),
  used('network', 'text', 'which endpoints of the cloud to use: vpc from inside a VPC, public from everywhere', 'vpc'),
  used('access-key-dir', 'text', 'folder with access-key-id and access-key-secret, such as a mounted Secret'),
  used(
    'addon-token-file',
    'text',
    'encrypted token of an add-on, where there is such a file',
    '/var/addon/token-config',
  ),
  used('enable-imdsv2', 'switch', "ask the instance's metadata with a token, as a hardened service wants it", 'true'),
  used('protected-load-balancers', 'text', 'load balancers that no Service may use, joined by commas', ''),
  used('warn-only', 'switch', 'carry out what rules and policies refuse, but for those that protect others', 'false'),
  used('concurrent-service-syncs', 'whole number', 'Services carried out at once; else as the cloud-config says'),
  used('leader-elect', 'switch', 'whether to work only while holding the Lease', 'true'),
  used('leader-elect-lease-duration', 'duration', 'for how long a renewal keeps others away', '15s'),
  used('leader-elect-renew-deadline', 'duration', 'for how long a leader goes on that cannot renew', '10s'),
  used('leader-elect-retry-period', 'duration', 'between two tries to get or renew the Lease', '2s'),
  used('leader-elect-resource-name', 'text', 'name of the Lease; the existing controller has the same', 'ccm'),
  used('leader-elect-resource-namespace', 'text', 'namespace of the Lease', 'kube-system'),
  used('leader-elect-resource-lock', 'text', 'kind of the lock; all that ever were are taken for leases', 'leases'),
  used('health-probe-bind-addr', 'text', 'address of /healthz, /readyz and /metrics, HTTP', ':10258'),
  used('probe-port', 'whole number', 'port of /healthz, /readyz and /metrics, instead of that of the address'),
  used('address', 'text', 'host of /healthz, as older manifests name it'),
  used('port', 'whole number', 'port of /healthz, as older manifests name it'),
  used('metrics-bind-addr', 'text', 'a second address of /metrics, HTTP; 0 for none', '0'),
  used('kube-api-qps', 'number', 'requests a second to the API server', '20'),
  used('kube-api-burst', 'whole number', 'requests at once to the API server', '30'),
  used(
    'self-managed-certificates',
    'switch',
    'issue the certificate of the webhook, in place of cert-manager',
    'false',
  ),
  used('dry-run', 'switch', 'log what would be asked of the cloud for every Service, change nothing, and end', 'false'),
  used('log-level', 'text', 'trace, debug, info, warn, error, fatal or silent', 'info'),
  used('v', 'whole number', 'log level as a number: from 4 on debug, from 6 on trace'),
];

const OTHERS: readonly Flag[] = [
  ...ignored('there is one cloud', 'text', 'cloud-provider'),
  ...ignored('names in the cloud come from the cluster id of the cloud-config', 'text', 'cluster-name'),
  ...ignored('one call carries as many routes as the API allows', 'whole number', 'route-reconcile-batch-size'),
  ...ignored('pod ranges are given to nodes by kube-controller-manager', 'switch', 'allocate-node-cidrs'),
  ...ignored('pod ranges are given to nodes by kube-controller-manager', 'text', 'cidr-allocator-type'),
  ...ignored(
    'nodes are looked at when they change, and all of them every five minutes',
    'duration',
    ...['node-monitor-period', 'node-status-update-frequency', 'node-sync-period'],
  ),
  ...ignored(
    'nodes are looked after side by side, and one call asks for as many as the API allows',
    'whole number',
    ...['concurrent-node-syncs', 'concurrent-node-status-updates', 'node-reconcile-batch-size'],
    'node-event-aggregation-wait-seconds',
  ),
  ...ignored('one service account serves all controllers', 'switch', 'use-service-account-credentials'),
  ...ignored('clusters are told apart by their id', 'switch', 'allow-untagged-cloud'),
  ...ignored('feature gates are read from the cloud-config', 'text', 'feature-gates'),
  ...ignored(
    'calls carry what the API allows, and its rates are kept by a limiter of our own',
    'whole number',
    ...['sg-batch-size', 'max-concurrent-actions', 'max-throttling-retry-times'],
  ),
  ...ignored('there is no profiling endpoint', 'text', 'pprof-bind-addr'),
  ...ignored('there is no profiling endpoint', 'switch', 'profiling', 'contention-profiling'),
  ...ignored('the API server is spoken to in JSON', 'text', 'kube-api-content-type'),
  ...ignored('caches follow by watching and need no resync', 'duration', 'min-resync-period'),
  ...ignored('controllers start together', 'duration', 'controller-start-interval'),
  ...ignored('health is served by plain HTTP at --health-probe-bind-addr', 'text', 'bind-address'),
  ...ignored('health is served by plain HTTP at --health-probe-bind-addr', 'whole number', 'secure-port'),
  ...ignored('volumes are no business of this program', 'text', 'external-cloud-volume-plugin'),
  ...ignored('admission is served by portcullis webhook', 'text', 'webhooks', 'webhook-bind-address'),
  ...ignored('admission is served by portcullis webhook', 'whole number', 'webhook-secure-port'),
  ...ignored(
    'admission is served by portcullis webhook',
    'text',
    ...['webhook-cert-dir', 'webhook-tls-cert-file', 'webhook-tls-private-key-file'],
    ...['webhook-tls-cipher-suites', 'webhook-tls-min-version'],
  ),
  ...ignored(
    'health and figures are served by plain HTTP, to everybody who reaches the port',
    'text',
    ...['authentication-kubeconfig', 'authorization-kubeconfig', 'client-ca-file', 'requestheader-client-ca-file'],
    ...['cert-dir', 'tls-cert-file', 'tls-private-key-file', 'tls-cipher-suites', 'tls-min-version'],
  ),
  ...ignored('logs are JSON lines on standard output', 'switch', 'logtostderr', 'alsologtostderr'),
  ...ignored('logs are JSON lines on standard output', 'text', 'stderrthreshold', 'vmodule', 'log-dir'),
  ...ignored('logs are JSON lines on standard output', 'duration', 'log-flush-frequency'),
  ...refused('name the API server in a kubeconfig file, with --kubeconfig', 'text', 'master'),
  ...refused('leaders migrate by holding the same Lease; remove the flag', 'switch', 'enable-leader-migration'),
  ...refused('leaders migrate by holding the same Lease; remove the flag', 'text', 'leader-migration-config'),
];

/** Every flag, those that do something first. */
export const FLAGS: readonly Flag[] = [...USED, ...OTHERS];
