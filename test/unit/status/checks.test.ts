import assert from 'node:assert/strict';
import { PortcullisError } from '../../../src/base/errors.ts';
import type { LoadBalancerBinding } from '../../../src/inventory/binding.ts';
import { statusExitCode, statusReport, statusSummary } from '../../../src/status/report.ts';
import { aClb, aCloudInventory } from '../../support/inventory.ts';
import { aService } from '../../support/service.ts';
import { expiredCertificate, servingCertificate } from '../../support/serving-certificate.ts';
import {
  ABSENT,
  aConfiguration,
  aDeployment,
  aLease,
  assertLine,
  before,
  forbidden,
  lineOf,
  MINUTE,
  NOW,
  read,
  statusFacts,
  type StatusRow,
  withCondition,
} from '../../support/status-command-facts.ts';

const DAY = 24 * 60 * MINUTE;
const base64 = (text: string): string => Buffer.from(text).toString('base64');

const binding = (spec: Partial<LoadBalancerBinding['spec']>): LoadBalancerBinding => ({
  metadata: { name: 'uid-1', uid: 'b', resourceVersion: '1' },
  spec: { service: { namespace: 'shop', name: 'gone' }, clusterUID: 'cluster-1', ...spec },
});
const failed = { kind: 'failed', error: new PortcullisError('Unavailable', 'the API server did not answer') } as const;

const ROWS: Readonly<Record<string, StatusRow>> = {
  'the versions of an installation': [
    'version',
    {},
    'ok',
    /^controller 0\.1\.0, webhook 0\.1\.0, .*Kubernetes v1\.36\.0$/,
  ],
  'components of different versions': [
    'version',
    {
      deployments: read([aDeployment('controller', 2, 'r:5000/portcullis:0.2.0@sha256:ab'), aDeployment('webhook', 2)]),
    },
    'notice',
    /^controller 0\.2\.0, webhook 0\.1\.0/,
  ],
  'the leader and the start of its term': [
    'leader',
    {},
    'ok',
    /^ccm-portcullis-controller-1-\w+ has led for 3h; 2 of 2 replicas/,
  ],
  'a Lease that does not exist': ['leader', { lease: ABSENT }, 'wrong', /no Lease kube-system\/ccm/],
  'a Lease without a holder': [
    'leader',
    { lease: read(aLease({ holderIdentity: '' })) },
    'wrong',
    /^no controller leads;/,
  ],
  'a holder that does not renew the Lease': [
    'leader',
    { lease: read(aLease({ renewTime: before(5 * MINUTE) })) },
    'wrong',
    /renewed the Lease 5m ago/,
  ],
  'a Lease that was never renewed': [
    'leader',
    { lease: read(aLease({ renewTime: '' })) },
    'wrong',
    /^no controller leads: .* has never renewed the Lease/,
  ],
  'a holder that has not updated CloudInventory since it leads': [
    'leader',
    { inventories: read([aCloudInventory({ observedAt: before(DAY) })]) },
    'wrong',
    /has led for 3h without an update of CloudInventory default: another cloud controller may lead/,
  ],
  'a new holder that has not updated CloudInventory yet': [
    'leader',
    { lease: read(aLease({ acquireTime: before(MINUTE) })), inventories: read([]) },
    'ok',
    /has led for 60s/,
  ],
  'a leader, if the user may not read the inventory': [
    'leader',
    { inventories: forbidden('list cloudinventories') },
    'ok',
    /has led for 3h/,
  ],
  'a Lease that may not be read': [
    'leader',
    { lease: forbidden('get leases.coordination.k8s.io ccm in namespace kube-system') },
    'unknown',
    /^the right to get leases\.coordination\.k8s\.io ccm in namespace kube-system is missing$/,
  ],
  'a read that failed': ['leader', { lease: failed }, 'unknown', /^the API server did not answer$/],
  'a webhook without a replica': [
    'webhook',
    { deployments: read([aDeployment('webhook', 0)]) },
    'wrong',
    /^0 of 2 replicas are ready$/,
  ],
  'a webhook with too few replicas': [
    'webhook',
    { deployments: read([aDeployment('webhook', 1)]) },
    'notice',
    /^1 of 2 replicas are ready$/,
  ],
  'an answered review': ['admission', {}, 'ok', /^the API server reaches the webhook/],
  'an unanswered review': ['admission', { review: read({ kind: 'unanswered', why: 'none' }) }, 'wrong', /^none$/],
  'a review that another webhook denied': [
    'admission',
    { review: read({ kind: 'undecided', why: 'denied by X' }) },
    'skipped',
    /denied by X$/,
  ],
  'a review without the right to send it': [
    'admission',
    { review: forbidden('create services in namespace default') },
    'skipped',
    /^the right to create services in namespace default is missing$/,
  ],
  'a review in a namespace that does not exist': ['admission', { review: ABSENT }, 'skipped', /does not exist/],
  'an installation without webhook and policies': ['admission', { webhooks: [ABSENT, ABSENT] }, 'wrong', /^neither/],
  'an installation that lost its webhook configurations': [
    'admission',
    {
      webhooks: [ABSENT, ABSENT],
      admissionPolicies: read([{ metadata: { name: 'portcullis-ingress-status', uid: '', resourceVersion: '1' } }]),
    },
    'wrong',
    /only 1 safety policies/,
  ],
  'an installation without a webhook on purpose': [
    'admission',
    {
      webhooks: [ABSENT, ABSENT],
      admissionPolicies: read([{ metadata: { name: 'portcullis-annotation-values', uid: '', resourceVersion: '1' } }]),
    },
    'ok',
    /^no webhook is installed/,
  ],
  'an authority with days left': ['authority', {}, 'ok', /valid for \d+ days$/],
  'a webhook without a trusted authority': [
    'authority',
    { webhooks: [read(aConfiguration(''))] },
    'wrong',
    /caBundle is empty/,
  ],
  'a certificate with days left': ['certificate', {}, 'ok', /^the certificate is valid for \d+ days$/],
  'a Secret that may not be read': [
    'certificate',
    { served: forbidden('get secrets portcullis-webhook-tls in namespace portcullis-system') },
    'skipped',
    /right to get secrets/,
  ],
  'a Secret that does not exist': ['certificate', { served: ABSENT }, 'wrong', /has no certificate$/],
  'a certificate of another authority': [
    'certificate',
    { served: read((await servingCertificate(NOW)).certificate) },
    'wrong',
    /^no authority that the API server trusts/,
  ],
  'the age of the inventory': ['inventory', {}, 'ok', /^read 60s ago; region cn-hangzhou, VPC vpc-1, cluster c1/],
  'an inventory that is too old': [
    'inventory',
    { inventories: read([aCloudInventory({ observedAt: before(6 * MINUTE) })]) },
    'wrong',
    /^read 6m ago/,
  ],
  'an inventory that was never read': ['inventory', { inventories: read([]) }, 'wrong', /^no controller has read/],
  'throttled APIs': [
    'throttled',
    { inventories: read([aCloudInventory({ throttledApis: ['CreateLoadBalancer'] })]) },
    'notice',
    /^the cloud throttles CreateLoadBalancer$/,
  ],
  'the number of custom resources by kind': ['resources', {}, 'ok', /^classicloadbalancers 0, .*cloudinventories 1/],
  'a kind that is not installed': ['resources', { policies: ABSENT }, 'wrong', /does not know loadbalancerpolicies$/],
  'a kind that may not be listed': ['resources', { bindings: forbidden('list x') }, 'unknown', /right to list x/],
  'Services that are ready': ['services', {}, 'ok', /^1 of 1 Service is ready$/],
  'Services that are not ready, with the remedy': [
    'services',
    { services: read([withCondition(aService(), 'PortUnavailable')]) },
    'wrong',
    /^0 of 1 Service are ready\nPortUnavailable \(1\): shop\/web → choose another port/,
  ],
  'orphans if the id of the cluster cannot be read': ['orphans', { system: failed }, 'unknown', /API server/],
  'orphaned load balancers and bindings': [
    'orphans',
    {
      loadBalancers: read([aClb('lb-1', { owner: 'orphan' })]),
      bindings: read([binding({ orphaned: true }), binding({ clusterUID: 'other' }), binding({})]),
    },
    'notice',
    /^3 orphans\nload-balancer lb-1\nbinding uid-1 \(shop\/gone\)/,
  ],
};

/** Users diagnose an installation by these lines, so a wrong level would hide a failure. */
describe('the status of an installation', () => {
  for (const [title, row] of Object.entries(ROWS)) it(`shows ${title}`, () => assertLine(row));

  it('names a Service without a condition only after two minutes', () => {
    const service = (ms: number) => {
      const { metadata, ...rest } = aService();
      return read([{ ...rest, metadata: { ...metadata, creationTimestamp: before(ms) } }]);
    };
    assert.equal(lineOf('services', { services: service(MINUTE) }).level, 'ok');
    assert.match(lineOf('services', { services: service(3 * MINUTE) }).details?.[0] ?? '', /^Pending \(1\): shop\/web/);
  });

  it('counts no Service of another controller', () => {
    const services = read([aService({ annotations: { 'service.beta.kubernetes.io/class': 'other' } })]);
    assert.equal(lineOf('services', { services }).text, 'none');
  });

  it('reports expired certificates and certificates that expire soon as wrong', async () => {
    const expired = await expiredCertificate(NOW);
    const changes = {
      webhooks: [read(aConfiguration(base64(expired.authority.certificate)))],
      served: read(expired.certificate),
    };
    assert.match(lineOf('certificate', changes).text, /^the certificate has expired$/);
    assert.match(lineOf('authority', changes).text, /has expired$/);
    assert.match(lineOf('certificate', { now: NOW + 363 * DAY }).text, /valid for \d days?$/);
    assert.equal(lineOf('certificate', { now: NOW + 363 * DAY }).level, 'wrong');
  });

  it('has no line for replicas, certificates and quotas that the cluster does not have', () => {
    const facts = statusFacts({ deployments: read([]), served: ABSENT });
    const names = statusReport(facts).lines.map(({ name }) => name);
    assert.deepEqual(
      ['webhook', 'certificate', 'quotas', 'throttled'].filter((name) => names.includes(name)),
      [],
    );
  });
});

describe('the exit code of the status', () => {
  for (const [title, changes, code, summary] of [
    ['0 if nothing is wrong', {}, 0, /: nothing is wrong$/],
    [
      '0 if a check is skipped, and nothing is wrong or unknown',
      { review: forbidden('create services') },
      0,
      /: 1 skipped$/,
    ],
    ['1 if something is wrong', { lease: ABSENT }, 1, /: 1 wrong$/],
    [
      '2 if something is unknown, also if something is wrong',
      { lease: ABSENT, services: failed },
      2,
      /: 1 wrong, 1 unknown$/,
    ],
  ] as const)
    it(`is ${title}`, () => {
      const report = statusReport(statusFacts(changes));
      assert.equal(statusExitCode(report), code);
      assert.match(statusSummary(report), summary);
    });
});
