import assert from 'node:assert/strict';
import type { Event } from '../../../src/base/kubernetes-objects.ts';
import type { LoadBalancerBinding } from '../../../src/inventory/binding.ts';
import { keyOf } from '../../../src/base/kubernetes-objects.ts';
import type { ServiceFacts } from '../../../src/status/service/facts.ts';
import { serviceReport } from '../../../src/status/service/service-report.ts';
import type { Level } from '../../../src/status/line.ts';
import { statusExitCode } from '../../../src/status/report.ts';
import { aClb } from '../../support/inventory.ts';
import { aService } from '../../support/service.ts';
import { ABSENT, before, forbidden, MINUTE, NOW, read, withCondition } from '../../support/status-command-facts.ts';

const event = (reason: string, ms: number): Event => ({
  metadata: { name: reason, namespace: 'shop', uid: reason, resourceVersion: '1' },
  involvedObject: {},
  type: 'Warning',
  reason,
  message: 'because',
  count: 3,
  lastTimestamp: before(ms),
});

const binding = (spec: Partial<LoadBalancerBinding['spec']> = {}): LoadBalancerBinding => ({
  metadata: { name: 'uid', uid: 'b', resourceVersion: '1' },
  spec: {
    service: { namespace: 'shop', name: 'web' },
    clusterUID: 'c',
    loadBalancer: { id: 'lb-1', use: 'owned', address: '47.0.0.1' },
    ...spec,
  },
});

const ANNOTATED = aService({
  annotations: {
    'service.beta.kubernetes.io/alibaba-cloud-loadbalancer-scheduler': 'wrr',
    'service.beta.kubernetes.io/alicloud-loadbalancer-bandwidth': '5',
    'example.com/other': 'x',
  },
});

const PUBLISHED = { ...aService(), status: { loadBalancer: { ingress: [{ ip: '47.0.0.1' }] } } };

function factsOf(changes: Partial<ServiceFacts> = {}): ServiceFacts {
  const service = changes.service ?? withCondition(aService(), 'EnsuredLoadBalancer');
  return {
    now: NOW,
    key: keyOf(service),
    service,
    binding: read(binding()),
    loadBalancer: read(aClb('lb-1', { listeners: [{ port: 80, protocol: 'tcp' }] })),
    events: read([]),
    ...changes,
  };
}

type Row = readonly [name: string, changes: Partial<ServiceFacts>, level: Level, text: RegExp];

const ROWS: Readonly<Record<string, Row>> = {
  'the annotations that it sets': [
    'requested',
    { service: ANNOTATED },
    'ok',
    /^type LoadBalancer, ports TCP 80\nscheduler: "wrr"\nbandwidth: "5" \(deprecated key\)$/,
  ],
  'another controller that serves it': [
    'requested',
    { service: aService({ annotations: { 'service.beta.kubernetes.io/class': 'other' } }) },
    'notice',
    /another controller serves the Service: .*class.* other$/,
  ],
  'another type': ['requested', { service: aService({ type: 'ClusterIP' }) }, 'notice', /^type ClusterIP/],
  'its address': ['published', { service: PUBLISHED }, 'ok', /^47\.0\.0\.1$/],
  'that it has no address': ['published', {}, 'notice', /^no address$/],
  'its load balancer': ['bound', {}, 'ok', /^lb-1 \(owned\), 47\.0\.0\.1; tcp\/80$/],
  'a load balancer that the inventory does not have': [
    'bound',
    { loadBalancer: ABSENT },
    'notice',
    /not in the inventory$/,
  ],
  'that it is not bound': ['bound', { binding: ABSENT, loadBalancer: ABSENT }, 'notice', /^no load balancer is bound$/],
  'the right that is missing for its binding': [
    'bound',
    { binding: forbidden('get loadbalancerbindings.portcullis.io uid'), loadBalancer: ABSENT },
    'unknown',
    /right to get loadbalancerbindings/,
  ],
  'its pending operation': [
    'pending',
    { binding: read(binding({ operation: { type: 'Create', state: 'InProgress' } })) },
    'notice',
    /^Create has started/,
  ],
  'an operation that has ended': [
    'pending',
    { binding: read(binding({ operation: { type: 'Sync', state: 'Ended' } })) },
    'notice',
    /^Sync has ended, and the Service is not completely synced$/,
  ],
  'its condition': ['condition', {}, 'ok', /^ready for 10m: EnsuredLoadBalancer: why$/],
  'why it is not ready': [
    'condition',
    { service: withCondition(aService(), 'PortUnavailable', 'port 80 is taken') },
    'wrong',
    /^not ready for 10m: PortUnavailable: port 80 is taken$/,
  ],
  'that it has no condition': ['condition', { service: aService() }, 'notice', /^no condition yet$/],
  'that a denial is not retried': [
    'retry',
    { service: withCondition(aService(), 'Invalid') },
    'notice',
    /^when the Service, a policy or an exception changes$/,
  ],
  'the next retry of a failure': [
    'retry',
    { service: withCondition(aService(), 'Unavailable') },
    'notice',
    /^after 5 seconds at first/,
  ],
  'the next retry of blocked changes': [
    'retry',
    { service: withCondition(aService(), 'NotOwned') },
    'notice',
    /^within 5 minutes/,
  ],
  'its last events, the newest first': [
    'events',
    { events: read([event('Old', 5 * MINUTE), event('New', MINUTE)]) },
    'ok',
    /^the last 2, newest first\n60s ago {2}Warning {2}New \(3 times\): because\n5m ago {2}Warning {2}Old/,
  ],
  'the right that is missing for its events': [
    'events',
    { events: forbidden('list events') },
    'unknown',
    /list events/,
  ],
};

/** Users ask why one Service has no address, so the answer must name the cause. */
describe('the report of a Service', () => {
  for (const [title, [name, changes, level, text]] of Object.entries(ROWS))
    it(`shows ${title}`, () => {
      const line = serviceReport(factsOf(changes)).lines.find((each) => each.name === name);
      assert.match([line?.text, ...(line?.details ?? [])].join('\n'), text);
      assert.equal(line?.level, level);
    });

  it('shows that the Service is being deleted', () => {
    const { metadata, ...rest } = aService();
    const finalizers = ['service.k8s.alibaba/resources'];
    const service = { ...rest, metadata: { ...metadata, finalizers, deletionTimestamp: before(MINUTE) } };
    const line = serviceReport(factsOf({ service })).lines.find(({ name }) => name === 'deletion');
    assert.equal(line?.text, 'requested 60s ago; the finalizer waits for the cleanup');
  });

  it('has neither a retry nor an operation if the Service is ready', () => {
    const report = serviceReport(factsOf());
    assert.deepEqual(
      report.lines.map(({ name }) => name),
      ['requested', 'published', 'bound', 'condition', 'events'],
    );
    assert.equal(statusExitCode(report), 0);
  });
});
