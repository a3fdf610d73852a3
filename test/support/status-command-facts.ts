import assert from 'node:assert/strict';
import type { Deployment, Lease, Service, WebhookConfiguration } from '../../src/base/kubernetes-objects.ts';
import type { Attempt } from '../../src/status/read-result.ts';
import type { StatusFacts } from '../../src/status/facts.ts';
import type { Level, StatusLine } from '../../src/status/line.ts';
import { statusReport } from '../../src/status/report.ts';
import { aCloudInventory } from './inventory.ts';
import { aService } from './service.ts';
import { servingCertificate, type ServingCertificate } from './serving-certificate.ts';

export const NOW = Date.parse('2026-03-01T12:00:00Z');
export const MINUTE = 60_000;

/** Returns the time `ms` milliseconds before `NOW`, in RFC 3339. */
export const before = (ms: number): string => new Date(NOW - ms).toISOString();

export const read = <Value>(value: Value): Attempt<Value> => ({ kind: 'read', value });
export const ABSENT = { kind: 'absent' } as const;
export const forbidden = (right: string) => ({ kind: 'forbidden', right }) as const;

const meta = (name: string) => ({ name, namespace: 'portcullis-system', uid: name, resourceVersion: '1' });

export const aDeployment = (component: string, ready: number, image = 'portcullis:0.1.0'): Deployment => ({
  metadata: { ...meta(component), labels: { 'app.kubernetes.io/component': component } },
  spec: {
    replicas: 2,
    selector: {},
    template: { spec: { containers: [{ name: component, image }] } },
  },
  status: { readyReplicas: ready },
});

export const aLease = (spec: Lease['spec'] = {}): Lease => ({
  metadata: { ...meta('ccm'), namespace: 'kube-system' },
  spec: {
    holderIdentity: 'ccm-portcullis-controller-1-0a1b2c3d',
    leaseDurationSeconds: 15,
    acquireTime: before(3 * 60 * MINUTE),
    renewTime: before(2_000),
    ...spec,
  },
});

export const aConfiguration = (caBundle: string): WebhookConfiguration => ({
  metadata: meta('portcullis'),
  webhooks: [
    {
      name: 'validate-service.portcullis.io',
      admissionReviewVersions: ['v1'],
      sideEffects: 'None',
      clientConfig: { caBundle, service: { namespace: 'portcullis-system', name: 'portcullis-webhook' } },
    },
  ],
});

/** Returns a Service with a condition about its load balancer. */
export const withCondition = (service: Service, reason: string, message = 'why'): Service => ({
  ...service,
  status: {
    conditions: [
      {
        type: 'LoadBalancerReady',
        status: reason === 'EnsuredLoadBalancer' ? 'True' : 'False',
        reason,
        message,
        lastTransitionTime: before(10 * MINUTE),
      },
    ],
  },
});

export const CERTIFICATE: ServingCertificate = await servingCertificate(NOW);

const base64 = (text: string): string => Buffer.from(text).toString('base64');

/** Returns the facts that `portcullis status` reads, by default about an installation without defects. */
export function statusFacts(changes: Partial<StatusFacts> = {}): StatusFacts {
  const configuration = read(aConfiguration(base64(CERTIFICATE.authority.certificate)));
  return {
    now: NOW,
    program: '0.1.0',
    server: read('v1.36.0'),
    namespace: 'portcullis-system',
    lease: read(aLease()),
    deployments: read([aDeployment('controller', 2), aDeployment('webhook', 2)]),
    daemonSets: read([]),
    webhooks: [configuration, configuration],
    admissionPolicies: read([]),
    review: read({ kind: 'answered' }),
    served: read(CERTIFICATE.certificate),
    loadBalancers: read([]),
    bindings: read([]),
    inventories: read([aCloudInventory({ observedAt: before(MINUTE) })]),
    policies: read([]),
    exceptions: read([]),
    services: read([withCondition(aService(), 'EnsuredLoadBalancer')]),
    system: read({ metadata: { name: 'kube-system', uid: 'cluster-1', resourceVersion: '1' } }),
    ...changes,
  };
}

/** Returns a line of the status of an installation with changed facts. */
export function lineOf(name: string, changes: Partial<StatusFacts>): StatusLine {
  const line = statusReport(statusFacts(changes)).lines.find((each) => each.name === name);
  assert.ok(line !== undefined, `no line ${name}`);
  return line;
}

/** A line, the changed facts, the level and a part of the text. */
export type StatusRow = readonly [name: string, changes: Partial<StatusFacts>, level: Level, text: RegExp];

/** Checks a line. A line about a problem must have a remedy. */
export function assertLine([name, changes, level, text]: StatusRow): void {
  const line = lineOf(name, changes);
  assert.match([line.text, ...(line.details ?? [])].join('\n'), text);
  assert.equal(line.level, level);
  if (level === 'wrong') assert.notEqual(line.remedy, undefined);
}
