import fc from 'fast-check';
import { ENTRIES, type OptionName } from '../../src/annotation/catalogue.ts';
import type { OptionDefinition } from '../../src/annotation/option-definition.ts';
import type { SeedInput } from '../../src/local/simulator/seed.ts';
import type { Service, ServicePort } from '../../src/base/kubernetes-objects.ts';
import { ENFORCE_ALL } from '../../src/policy/policy-decisions.ts';
import { consequenceOf, evaluateRules } from '../../src/rules/engine/evaluate.ts';
import { serviceSubject } from '../../src/rules/engine/subject.ts';
import { SERVICE_RULES } from '../../src/rules/index.ts';
import { aFacts } from './facts.ts';
import { aService } from './service.ts';

/** The options that do not apply to an owned load balancer with Nodes as backends. */
const ELSEWHERE: ReadonlySet<OptionName> = new Set(['id', 'class', 'type', 'tunnelType', 'backendType', 'vgroupPort']);

/** The values that exist in `theRegion`, and ports that Services have. */
const VALUES: Partial<Record<OptionName, readonly string[]>> = {
  vswitchId: ['vsw-1'],
  ip: ['10.1.0.200'],
  // `classic` is left out: its documented hint allows that the cloud rejects it for a new load balancer.
  networkType: ['vpc'],
  aclId: ['acl-1'],
  certId: ['cert-1'],
  domainExtensions: ['a.example.com:cert-1', 'a.example.com:cert-1,b.example.com:cert-1'],
  protocolPort: ['http:80', 'https:443', 'http:80,https:443', 'tcp:80,https:443', 'udp:53'],
  forwardPort: ['80:443'],
  // `wlc` is missing, because the cloud can reject `wlc` for a new load balancer.
  scheduler: ['rr', 'wrr', 'sch', 'tch', 'qch'],
};

/** Returns texts for every kind of value of an annotation. */
function textsOf([option, { value, example }]: readonly [OptionName, OptionDefinition]): readonly string[] {
  const own = VALUES[option];
  if (own !== undefined) return own;
  switch (value.kind) {
    case 'flag':
      return ['on', 'off'];
    case 'boolean':
      return ['true', 'false'];
    case 'enum':
      return value.values;
    case 'integer':
      return [String(value.min), String(value.max), example];
    default:
      return [example];
  }
}

const UDP: ServicePort = { name: 'dns', port: 53, protocol: 'UDP', targetPort: 53, nodePort: 30_053 };
const PORTS: readonly (readonly (number | ServicePort)[])[] = [[80], [443], [80, 443], [UDP], [80, 443, UDP]];

const anyAnnotations = fc
  .uniqueArray(
    fc.oneof(
      ...ENTRIES.filter(([option]) => !ELSEWHERE.has(option)).map((entry) =>
        fc.tuple(fc.constant(entry[1].key), fc.constantFrom(...textsOf(entry))),
      ),
    ),
    { selector: ([key]) => key, maxLength: 20 },
  )
  .map((pairs) => Object.fromEntries(pairs));

const anyService: fc.Arbitrary<Service> = fc
  .record({
    annotations: anyAnnotations,
    ports: fc.constantFrom(...PORTS),
    externalTrafficPolicy: fc.constantFrom('Cluster', 'Local'),
  })
  .map(({ externalTrafficPolicy, ...fields }) => {
    const service = aService(fields);
    return { ...service, spec: { ...service.spec, externalTrafficPolicy } };
  });

const FACTS = aFacts({ cluster: { clusterId: 'c1', regionId: 'cn-hangzhou', vpcId: 'vpc-1' } });

const isAccepted = (service: Service): boolean =>
  evaluateRules(SERVICE_RULES, serviceSubject(service), { facts: FACTS, policy: ENFORCE_ALL }).findings.every(
    (finding) => consequenceOf(finding, ENFORCE_ALL, service.metadata.namespace) !== 'deny',
  );

/** A Service that requests an owned load balancer, with any values that no rule denies. The controller must be able to sync it. */
export const anyAcceptedService: fc.Arbitrary<Service> = anyService.filter(isAccepted);

const isIpv6 = ({ metadata }: Service): boolean =>
  Object.entries(metadata.annotations ?? {}).some(([key, value]) => key.endsWith('-ip-version') && value === 'ipv6');

/** The access control list and the certificate that the Service may name. The list has the address family of the Service. */
export const theRegion = (service: Service): SeedInput => ({
  certificates: [{ id: 'cert-1', name: 'shop', commonName: 'example.com', expiresAt: '2099-01-01T00:00:00Z' }],
  accessControlLists: [{ id: 'acl-1', name: 'office', ...(isIpv6(service) ? { ipVersion: 'ipv6' as const } : {}) }],
});
