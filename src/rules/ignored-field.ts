import { CATALOGUE, type Options } from '../annotation/catalogue.ts';
import { annotationField } from '../annotation/annotation-field-path.ts';
import { SOURCE_RANGES } from '../annotation/keys.ts';
import type { Facts } from '../inventory/facts.ts';
import type { Service } from '../base/kubernetes-objects.ts';
import type { Violation, Rule, ServiceSubject } from './rule.ts';
import { backendTypeOf } from './engine/backend-type.ts';

const NONE: readonly Violation[] = [];

/** Only warns, because Kubernetes accepts these fields, and other kinds of load balancers use them. */
export const ignoredField: Rule = {
  name: 'ignored-field',
  kind: 'Service',
  tier: 'hygiene',
  tunable: true,
  warnsOnly: true,
  doc: 'The rule warns about fields of the Service that a Classic Load Balancer ignores, and names the alternative. The field loadBalancerSourceRanges is the most dangerous, because it restricts no client. The field externalIPs can take traffic that other hosts should receive (CVE-2020-8554).',
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
    if (spec === undefined || !hasUncommonField(subject.object, spec)) return NONE;
    const violations: Violation[] = [];
    for (const { field, find, ...advice } of FIELDS) {
      const value = find(spec, subject, facts);
      if (value !== undefined) violations.push({ field, reason: 'Invalid', value, ...advice, advice: true });
    }
    return violations;
  },
};

type Spec = NonNullable<Service['spec']>;

/** Returns whether a field has an uncommon value. The cheap check ends the rule for most Services. */
const hasUncommonField = ({ metadata }: Service, spec: Spec): boolean =>
  spec.sessionAffinity === 'ClientIP' ||
  spec.externalTrafficPolicy === 'Local' ||
  spec.loadBalancerSourceRanges !== undefined ||
  spec.loadBalancerIP !== undefined ||
  spec.externalIPs !== undefined ||
  spec.ipFamilyPolicy === 'RequireDualStack' ||
  spec.ipFamilies?.[0] === 'IPv6' ||
  spec.healthCheckNodePort !== undefined ||
  metadata.annotations?.[SOURCE_RANGES] !== undefined;

interface Field extends Pick<Violation, 'detail' | 'remedy'> {
  /** The path of the field. */
  readonly field: string;
  /** Returns the value of the field if the load balancer ignores the field. */
  readonly find: (spec: Spec, subject: ServiceSubject, facts: Facts) => string | undefined;
}

const includesAll = (range: string): boolean => range.trim() === '0.0.0.0/0' || range.trim() === '::/0';

const OPEN = {
  detail: 'has no effect: the load balancer accepts every client',
  remedy: `create an access control list in the cloud, and set ${CATALOGUE.aclStatus.key} to "on", acl-id and acl-type`,
};

const FIELDS: readonly Field[] = [
  {
    field: 'spec.loadBalancerSourceRanges',
    find: ({ loadBalancerSourceRanges: ranges }) => (ranges?.some(includesAll) === true ? undefined : listed(ranges)),
    ...OPEN,
  },
  {
    field: annotationField(SOURCE_RANGES),
    find: (_spec, { object }) => {
      const ranges = object.metadata.annotations?.[SOURCE_RANGES] ?? '';
      return ranges === '' || ranges.split(',').some(includesAll) ? undefined : ranges;
    },
    ...OPEN,
  },
  {
    field: 'spec.externalIPs',
    find: ({ externalIPs }) => listed(externalIPs),
    detail:
      'the load balancer does not use these addresses, and every node redirects their traffic to this Service (CVE-2020-8554)',
    remedy: 'remove the field; the status has the address of the load balancer',
  },
  {
    field: 'spec.loadBalancerIP',
    find: ({ loadBalancerIP = '' }, { parsed }) =>
      loadBalancerIP === '' || loadBalancerIP === parsed.options.ip ? undefined : loadBalancerIP,
    detail: 'has no effect: the load balancer does not get this address',
    remedy: `set ${CATALOGUE.ip.key} and address-type intranet, or reuse a load balancer that has the address`,
  },
  {
    field: 'spec.sessionAffinity',
    find: ({ sessionAffinity }, { parsed }) =>
      sessionAffinity === 'ClientIP' && !isSticky(parsed.options) ? sessionAffinity : undefined,
    detail: 'has no effect: the load balancer sends a client to any backend',
    remedy: `set ${CATALOGUE.persistenceTimeout.key} for tcp, sticky-session for http and https, or scheduler sch for udp`,
  },
  {
    field: 'spec.externalTrafficPolicy',
    find: ({ externalTrafficPolicy }, subject, facts) =>
      externalTrafficPolicy === 'Local' && backendTypeOf(subject, facts) === 'eni' ? externalTrafficPolicy : undefined,
    detail: 'has no effect: the backends are pods (ENI), which receive traffic directly',
    remedy: `to send traffic through the nodes, set ${CATALOGUE.backendType.key} to "ecs"`,
  },
  {
    field: 'spec.healthCheckNodePort',
    find: ({ healthCheckNodePort = 0 }, { object }) =>
      healthCheckNodePort > 0 && isWritten(object) ? `${healthCheckNodePort}` : undefined,
    detail: 'has no effect: the load balancer probes the ports of its backends',
    remedy: `to probe another port, set ${CATALOGUE.healthCheckConnectPort.key}`,
  },
  {
    field: 'spec.ipFamilyPolicy',
    find: ({ ipFamilyPolicy }) => (ipFamilyPolicy === 'RequireDualStack' ? ipFamilyPolicy : undefined),
    detail: 'should be SingleStack or PreferDualStack: the load balancer has one address of one family',
    remedy: `choose the family with ${CATALOGUE.ipVersion.key}, and create a second Service for the other family`,
  },
  {
    field: 'spec.ipFamilies',
    find: ({ ipFamilies }, { parsed }) =>
      ipFamilies?.[0] === 'IPv6' && parsed.options.ipVersion !== 'ipv6' ? listed(ipFamilies) : undefined,
    detail: 'should have IPv4 first: a load balancer with an IPv4 address does not reach backends over IPv6',
    remedy: `set ${CATALOGUE.ipVersion.key} and backend-ip-version to ipv6, or put IPv4 first`,
  },
];

const listed = (texts: readonly string[] | undefined): string | undefined =>
  texts?.length ? texts.join(',') : undefined;

const isSticky = ({ persistenceTimeout = 0, stickySession, scheduler }: Options): boolean =>
  persistenceTimeout > 0 || stickySession === 'on' || scheduler === 'sch';

/** Returns whether a client wrote `healthCheckNodePort`. A port that the API server allocated, as for policy Local, has no field manager. */
function isWritten({ metadata: { managedFields } }: Service): boolean {
  if (!managedFields) return true;
  return managedFields.some(({ fieldsV1 }) => {
    const spec = (fieldsV1 as Fields | undefined)?.['f:spec'];
    return typeof spec === 'object' && spec !== null && 'f:healthCheckNodePort' in spec;
  });
}

type Fields = Readonly<Record<string, unknown>>;
