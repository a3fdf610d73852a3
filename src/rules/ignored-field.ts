import { CATALOGUE, type Options } from '../annotation/catalogue.ts';
import { annotationField } from '../annotation/field.ts';
import { SOURCE_RANGES } from '../annotation/keys.ts';
import type { Facts } from '../inventory/facts.ts';
import type { Service } from '../base/objects.ts';
import type { Violation, Rule, ServiceSubject } from './rule.ts';
import { backendTypeOf } from './engine/backend-type.ts';

const NONE: readonly Violation[] = [];

export const ignoredField: Rule = {
  name: 'ignored-field',
  kind: 'Service',
  tier: 'hygiene',
  tunable: true,
  warnsOnly: true,
  doc: 'Fields of the Service that a Classic Load Balancer does not honour are pointed out, each with what does what it was meant for. The most dangerous is loadBalancerSourceRanges, which keeps nobody out; externalIPs, which it never learns of, can draw away traffic meant for others (CVE-2020-8554).',
  since: '0.1.0',
  examples: {
    wrong: `spec:
  loadBalancerSourceRanges: [192.0.2.0/24]
`,
    right: `metadata:
  annotations:
    service.beta.kubernetes.io/alibaba-cloud-loadbalancer-acl-status: "on"
    service.beta.kubernetes.io/alibaba-cloud-loadbalancer-acl-id: "acl-bp1l0kk4gxce43k6rxeb"
    service.beta.kubernetes.io/alibaba-cloud-loadbalancer-acl-type: white
`,
  },
  check: (subject, facts) => {
    const { spec } = subject.object;
    if (spec === undefined || !saysMore(subject.object, spec)) return NONE;
    const faults: Violation[] = [];
    for (const { field, find, ...said } of FIELDS) {
      const found = find(spec, subject, facts);
      if (found !== undefined) faults.push({ field, found, ...said, advice: true });
    }
    return faults;
  },
};

type Spec = NonNullable<Service['spec']>;

/** Returns whether any field has an uncommon value. This check is cheap; the API server sets defaults for most fields. */
const saysMore = ({ metadata }: Service, spec: Spec): boolean =>
  spec.sessionAffinity === 'ClientIP' ||
  spec.externalTrafficPolicy === 'Local' ||
  spec.loadBalancerSourceRanges !== undefined ||
  spec.loadBalancerIP !== undefined ||
  spec.externalIPs !== undefined ||
  spec.ipFamilyPolicy === 'RequireDualStack' ||
  spec.ipFamilies?.[0] === 'IPv6' ||
  spec.healthCheckNodePort !== undefined ||
  metadata.annotations?.[SOURCE_RANGES] !== undefined;

interface Field extends Pick<Violation, 'allowed' | 'fix'> {
  /** The path of the field. */
  readonly field: string;
  /** Returns the value if the load balancer ignores it. */
  readonly find: (spec: Spec, subject: ServiceSubject, facts: Facts) => string | undefined;
}

const isEverybody = (range: string): boolean => range.trim() === '0.0.0.0/0' || range.trim() === '::/0';

const OPEN = {
  allowed: 'nothing, because the load balancer does not look at it and lets everybody in',
  fix: `make an access control list in the cloud and name it by ${CATALOGUE.aclStatus.key} "on", acl-id and acl-type`,
};

const FIELDS: readonly Field[] = [
  {
    field: 'spec.loadBalancerSourceRanges',
    find: ({ loadBalancerSourceRanges: ranges }) => (ranges?.some(isEverybody) === true ? undefined : listed(ranges)),
    ...OPEN,
  },
  {
    field: annotationField(SOURCE_RANGES),
    find: (_spec, { object }) => {
      const ranges = object.metadata.annotations?.[SOURCE_RANGES] ?? '';
      return ranges === '' || ranges.split(',').some(isEverybody) ? undefined : ranges;
    },
    ...OPEN,
  },
  {
    field: 'spec.externalIPs',
    find: ({ externalIPs }) => listed(externalIPs),
    allowed:
      'nothing, because the load balancer does not know these addresses, and every node sends what is meant for them here, whoever they belong to (CVE-2020-8554)',
    fix: 'remove them; the address of the load balancer is in the status',
  },
  {
    field: 'spec.loadBalancerIP',
    find: ({ loadBalancerIP = '' }, { parsed }) =>
      loadBalancerIP === '' || loadBalancerIP === parsed.options.ip ? undefined : loadBalancerIP,
    allowed: 'nothing, because the load balancer does not get its address from here',
    fix: `set ${CATALOGUE.ip.key} beside address-type intranet, or name a load balancer that has the address by ${CATALOGUE.id.key}`,
  },
  {
    field: 'spec.sessionAffinity',
    find: ({ sessionAffinity }, { parsed }) =>
      sessionAffinity === 'ClientIP' && !isSticky(parsed.options) ? sessionAffinity : undefined,
    allowed: 'None, because the load balancer sends a client to any of its backends all the same',
    fix: `set ${CATALOGUE.persistenceTimeout.key} for tcp, ${CATALOGUE.stickySession.key} for http and https, or ${CATALOGUE.scheduler.key} sch for udp`,
  },
  {
    field: 'spec.externalTrafficPolicy',
    find: ({ externalTrafficPolicy }, subject, facts) =>
      externalTrafficPolicy === 'Local' && backendTypeOf(subject, facts) === 'eni' ? externalTrafficPolicy : undefined,
    allowed: 'either value, because the backends are pods (ENI), which get traffic directly in any case',
    fix: `remove it, or set ${CATALOGUE.backendType.key} to "ecs" if traffic is to go by the nodes`,
  },
  {
    field: 'spec.healthCheckNodePort',
    find: ({ healthCheckNodePort = 0 }, { object }) =>
      healthCheckNodePort > 0 && isWritten(object) ? `${healthCheckNodePort}` : undefined,
    allowed: 'nothing, because the load balancer probes the ports of its backends and not this one',
    fix: `remove it; ${CATALOGUE.healthCheckConnectPort.key} names another port to be probed`,
  },
  {
    field: 'spec.ipFamilyPolicy',
    find: ({ ipFamilyPolicy }) => (ipFamilyPolicy === 'RequireDualStack' ? ipFamilyPolicy : undefined),
    allowed: 'SingleStack or PreferDualStack, because the load balancer has one address of one family',
    fix: `choose the family by ${CATALOGUE.ipVersion.key}, and make a second Service for the other`,
  },
  {
    field: 'spec.ipFamilies',
    find: ({ ipFamilies }, { parsed }) =>
      ipFamilies?.[0] === 'IPv6' && parsed.options.ipVersion !== 'ipv6' ? listed(ipFamilies) : undefined,
    allowed: 'IPv4 first, because a load balancer with an IPv4 address does not reach backends by IPv6',
    fix: `set ${CATALOGUE.ipVersion.key} and ${CATALOGUE.backendIpVersion.key} to ipv6, or put IPv4 first`,
  },
];

const listed = (texts: readonly string[] | undefined): string | undefined =>
  texts?.length ? texts.join(',') : undefined;

const isSticky = ({ persistenceTimeout = 0, stickySession, scheduler }: Options): boolean =>
  persistenceTimeout > 0 || stickySession === 'on' || scheduler === 'sch';

/** Returns whether a user wrote the port. The API server allocates a port for every Service with policy Local, and owns no field. */
function isWritten({ metadata: { managedFields } }: Service): boolean {
  if (!managedFields) return true;
  return managedFields.some(({ fieldsV1 }) => {
    const spec = (fieldsV1 as Fields | undefined)?.['f:spec'];
    return typeof spec === 'object' && spec !== null && 'f:healthCheckNodePort' in spec;
  });
}

type Fields = Readonly<Record<string, unknown>>;
