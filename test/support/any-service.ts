import fc from 'fast-check';
import { ENTRIES } from '../../src/annotation/catalogue.ts';
import { OWNERS } from '../../src/inventory/custom-resources.ts';
import type { Service } from '../../src/base/kubernetes-objects.ts';
import { wantsLoadBalancer } from '../../src/rules/engine/subject.ts';
import type { FactsInput } from './facts.ts';
import { aService } from './service.ts';

const PREFIX = 'service.beta.kubernetes.io/';
const KEYS = ENTRIES.flatMap(([, { key, deprecated }]) => [key, ...deprecated]);
const STRANGE_KEYS = [
  `${PREFIX}alibaba-cloud-loadbalancer-bandwith`,
  `${PREFIX}alicloud-loadbalancer-unknown`,
  'constructor',
  'example.com/team',
];
const VALUES = [
  '',
  'on',
  'off',
  'true',
  'wrong',
  '0',
  '-1',
  '100',
  '99999',
  'tcp:80',
  'https:80',
  'lb-1',
  'lb-2',
  'eni',
];
const MARKS = ['service.beta.kubernetes.io/hash', 'service.k8s.alibaba/loadbalancer-id'];

const anyValue = fc.oneof(
  fc.constantFrom(...VALUES),
  fc.constantFrom(...ENTRIES.map(([, { example }]) => example)),
  fc.string({ unit: 'binary', maxLength: 200 }),
);

/** The annotations of the catalogue under any key form with valid and invalid values, and unrelated annotations. */
export const anyAnnotations = fc.dictionary(fc.constantFrom(...KEYS, ...STRANGE_KEYS), anyValue, { maxKeys: 12 });

const anyPort = fc.record({
  port: fc.constantFrom(80, 443, 8080, 65_535),
  protocol: fc.constantFrom('TCP', 'UDP', 'SCTP'),
  targetPort: fc.constantFrom<number | string>(80, 0, 70_000, 'web', '8080', 'Not-A-Name'),
  nodePort: fc.constantFrom(0, 30_080),
});
const anyLabels = fc.dictionary(fc.constantFrom('app', ...MARKS), fc.constantFrom('a', 'b', 'lb-1'));
const anyFinalizers = fc.subarray(['service.k8s.alibaba/resources', 'example.com/hold']);

/** A stored Service that requests a Classic Load Balancer, with any set of violations, for property tests of rules and webhook. */
export const anyService: fc.Arbitrary<Service> = fc
  .record({
    annotations: anyAnnotations,
    ports: fc.array(anyPort, { maxLength: 3 }),
    labels: anyLabels,
    finalizers: anyFinalizers,
    ingress: fc.subarray([{ ip: '47.96.0.1' }], {}),
    spec: fc.record(
      {
        allocateLoadBalancerNodePorts: fc.boolean(),
        externalTrafficPolicy: fc.constantFrom('Local', 'Cluster'),
        sessionAffinity: fc.constantFrom('None', 'ClientIP'),
        loadBalancerIP: fc.constant('192.0.2.1'),
        externalIPs: fc.constant(['192.0.2.1']),
        loadBalancerSourceRanges: fc.constant(['192.0.2.0/24']),
      },
      { requiredKeys: [] },
    ),
  })
  .map(({ annotations, ports, labels, finalizers, ingress, spec }) => {
    const service = aService({ annotations, labels, ports });
    return {
      ...service,
      metadata: { ...service.metadata, finalizers },
      spec: { ...service.spec, ...spec },
      status: { loadBalancer: { ingress } },
    };
  })
  .filter(wantsLoadBalancer);

/** Facts about the cloud: none, stale, or complete for two load balancers. */
export const anyFacts: fc.Arbitrary<FactsInput> = fc.record({
  freshness: fc.constantFrom(
    { kind: 'fresh', ageMs: 1_000 } as const,
    { kind: 'stale', ageMs: 3_600_000 } as const,
    { kind: 'absent' } as const,
  ),
  cluster: fc.constantFrom(
    null,
    { backendType: 'ecs' } as const,
    { backendType: 'eni', disablePublicSLB: true } as const,
  ),
  loadBalancers: fc.dictionary(
    fc.constantFrom('lb-1', 'lb-2'),
    fc.record({
      owner: fc.constantFrom(...OWNERS),
      service: fc.constantFrom('', 'shop/web', 'bank/ledger'),
      vpcId: fc.constantFrom('', 'vpc-1', 'vpc-9'),
      listeners: fc.constantFrom([], [{ port: 80, protocol: 'tcp' } as const]),
    }),
  ),
});
