import assert from 'node:assert/strict';
import { FLAGS } from '../../../src/controller/flags.ts';
import { configOf as read } from '../../support/controller-settings.ts';

/** All flags of the Alibaba Cloud Controller Manager, of its older line, and of upstream cloud controllers. */
const KNOWN_ELSEWHERE = [
  ...[
    'cloud-provider',
    'cloud-config',
    'cluster-name',
    'cluster-cidr',
    'configure-cloud-routes',
    'allocate-node-cidrs',
  ],
  ...['cidr-allocator-type', 'route-reconciliation-period', 'node-monitor-period', 'node-status-update-frequency'],
  ...['concurrent-service-syncs', 'concurrent-node-syncs', 'concurrent-node-status-updates'],
  ...['use-service-account-credentials', 'allow-untagged-cloud', 'leader-elect', 'leader-elect-lease-duration'],
  ...['leader-elect-renew-deadline', 'leader-elect-retry-period', 'leader-elect-resource-lock'],
  ...['leader-elect-resource-name', 'leader-elect-resource-namespace', 'controllers', 'feature-gates', 'kubeconfig'],
  ...['master', 'address', 'port', 'bind-address', 'secure-port', 'health-probe-bind-addr', 'metrics-bind-addr'],
  ...[
    'pprof-bind-addr',
    'profiling',
    'contention-profiling',
    'kube-api-qps',
    'kube-api-burst',
    'kube-api-content-type',
  ],
  ...['min-resync-period', 'controller-start-interval', 'dry-run', 'network', 'enable-imdsv2', 'sg-batch-size'],
  ...[
    'max-concurrent-actions',
    'max-throttling-retry-times',
    'node-reconcile-batch-size',
    'route-reconcile-batch-size',
  ],
  ...['node-event-aggregation-wait-seconds', 'skip-disable-source-dest-check', 'webhooks', 'webhook-bind-address'],
  ...['webhook-secure-port', 'webhook-cert-dir', 'webhook-tls-cert-file', 'webhook-tls-private-key-file'],
  ...['enable-leader-migration', 'leader-migration-config', 'node-sync-period', 'external-cloud-volume-plugin', 'v'],
];

/** Users replace only the image of the existing controller, so its flags must be accepted. */
describe('the command line of the controller', () => {
  it('accepts every flag of the manifests of other controllers', () => {
    const known = new Set(FLAGS.map(({ name }) => name));
    assert.deepEqual(
      KNOWN_ELSEWHERE.filter((name) => !known.has(name)),
      [],
    );
  });

  it('uses the last value of a repeated flag, because kustomize components append flags', () => {
    const twice = ['--self-managed-certificates', '--self-managed-certificates=false'];
    const has = (...words: readonly string[]): boolean =>
      read('--cloud-config=c', '--cluster-cidr=10.0.0.0/8', ...words).hasSelfManagedCertificates;
    assert.deepEqual([has(...twice), has(...twice.toReversed())], [false, true]);
  });

  it('accepts the unchanged flags of the guide for self-managed clusters', () => {
    const config = read(
      ...['--leader-elect=true', '--cloud-provider=alicloud', '--use-service-account-credentials=true'],
      ...['--cloud-config=/etc/kubernetes/config/cloud-config.conf', '--configure-cloud-routes=true'],
      ...['--route-reconciliation-period=3m', '--leader-elect-resource-lock=endpoints', '--cluster-cidr=172.16.0.0/16'],
    );
    assert.equal(config.cloudConfig, '/etc/kubernetes/config/cloud-config.conf');
    assert.deepEqual(
      config.routes?.clusterCidrs.map(({ text }) => text),
      ['172.16.0.0/16'],
    );
    assert.equal(config.routes.auditMs, 180_000);
    assert.deepEqual(config.election?.lease, { namespace: 'kube-system', name: 'ccm' });
    assert.deepEqual(
      config.warnings.map((warning) => warning.split(' ')[0]),
      ['--cloud-provider', '--use-service-account-credentials', '--leader-elect-resource-lock'],
    );
  });

  it('accepts the flags that the existing controller ships with', () => {
    const config = read(
      ...['--controllers=node,route,service,ingress', '--leader-elect', '--metrics-bind-addr=0', '--v=5'],
      ...[
        '--cloud-config=/c',
        '--cluster-cidr=10.0.0.0/16',
        '--allow-untagged-cloud=true',
        '--allocate-node-cidrs=false',
      ],
      ...['--feature-gates=ServiceNodeExclusion=true', '--kube-api-qps=20.5', '--address=127.0.0.1', '--network=vpc'],
    );
    assert.deepEqual([...config.controllers].sort(), ['inventory', 'node', 'route', 'service']);
    assert.deepEqual(config.probes, { host: '127.0.0.1', port: 10_258 });
    assert.equal(config.apiRate.perSecond, 20.5);
    assert.deepEqual(
      config.warnings.map((warning) => warning.split(/[ :]/)[0]),
      ['--allocate-node-cidrs', '--allow-untagged-cloud', '--feature-gates', '--controllers'],
    );
  });

  it('accepts log levels in the form of Go programs', () => {
    for (const words of [['-v=5'], ['-v', '5'], ['-v5'], ['--v=5'], ['--v', '5']])
      assert.equal(read('--cloud-config=/c', ...words).logLevel, 'debug', words.join(' '));
  });

  it('accepts a switch without a value and a switch with a separate value', () => {
    assert.equal(read('--cloud-config=/c', '--dry-run').isDryRun, true);
    assert.equal(read('--cloud-config=/c', '--leader-elect', 'false').election, undefined);
  });
});
