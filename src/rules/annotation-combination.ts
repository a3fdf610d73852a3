import { CATALOGUE, type OptionName } from '../annotation/catalogue.ts';
import { allowedBy, choice } from '../annotation/allowed-values.ts';
import type { EnumType, Protocol } from '../annotation/value-type.ts';
import type { Facts } from '../inventory/facts.ts';
import type { Violation, Rule, ServiceSubject } from './rule.ts';
import { listenersOf, managesListeners } from './engine/service-listeners.ts';
import {
  fieldOf,
  isBroken,
  hasLoadBalancer,
  otherValue,
  scopeIn,
  sentTo,
  shortName,
  textOf,
  RELATED,
  disablingRelation,
  type RelationContext,
  type OptionRelation,
  type RelatedOption,
} from './engine/annotation-relations.ts';
import { concatenate } from './engine/concatenate.ts';

/** Annotations with relations whose violation the cloud rejects, or corrects with a value of its choice. */
const RESTRICTED: readonly RelatedOption[] = RELATED.filter(
  ({ relations }) => relations.denied.length + relations.chosen.length > 0,
);

/** Denies combinations that the cloud would reject during the sync. Warns about values that the cloud would replace with values of its choice. */
export const annotationCombination: Rule = {
  name: 'annotation-combination',
  kind: 'Service',
  tier: 'hygiene',
  tunable: true,
  doc: 'Annotations that depend on each other are set together and do not contradict each other. Examples are access control and its list, sessions and their cookie, an address and its network, and a scheduler and the protocols. Otherwise, the cloud rejects the load balancer or the listener.',
  since: '0.1.0',
  examples: {
    wrong: `metadata:
  annotations:
    service.beta.kubernetes.io/alibaba-cloud-loadbalancer-acl-status: "on"
    service.beta.kubernetes.io/alibaba-cloud-loadbalancer-acl-type: white
`,
    right: `metadata:
  annotations:
    service.beta.kubernetes.io/alibaba-cloud-loadbalancer-acl-status: "on"
    service.beta.kubernetes.io/alibaba-cloud-loadbalancer-acl-type: white
    service.beta.kubernetes.io/alibaba-cloud-loadbalancer-acl-id: acl-bp1l0kk4gxce43k6rxeb
`,
  },
  check: (subject, facts) => {
    const { masterZoneid, slaveZoneid, scheduler } = subject.parsed.options;
    const context = { subject, facts };
    let violations = brokenRelations(context);
    for (const one of OUTDATED) {
      const violation = outdated(one, context);
      if (violation !== undefined) violations = [...violations, violation];
    }
    if ((masterZoneid ?? slaveZoneid) !== undefined)
      violations = concatenate(violations, zoneViolations(subject, facts));
    if (scheduler === undefined) return violations;
    return concatenate(violations, schedulerViolations(scheduler, subject, facts.cluster()?.backendType));
  },
};

const NONE: readonly never[] = [];

/** An annotation with values that only older load balancers have. */
interface Outdated {
  readonly related: RelatedOption;
  readonly older: readonly string[];
  /** The values that every load balancer accepts. */
  readonly rest: string;
}

const OUTDATED: readonly Outdated[] = RELATED.flatMap((related) => {
  const { value } = related.entry;
  if (value.kind !== 'enum' || value.older === undefined) return [];
  return [{ related, older: value.older, rest: choice(currentOf(value)) }];
});

/** Returns the values that all protocols and all load balancers accept. */
function currentOf({ values, only = {}, older = [] }: EnumType): readonly string[] {
  return values.filter((value) => !(value in only) && !older.includes(value));
}

/** Returns a warning if the Service requests a new load balancer with a value that only older load balancers have. */
function outdated({ related, older, rest }: Outdated, context: RelationContext): Violation | undefined {
  const value = context.subject.parsed.values.at(related.index);
  if (typeof value !== 'string' || !older.includes(value) || hasLoadBalancer(context.subject)) return undefined;
  const scope = scopeIn(context.subject);
  if ((related.scope & scope) === 0 || disablingRelation(related, context, scope) !== undefined) return undefined;
  const detail = `should be ${rest}: the cloud may reject ${value} for a new load balancer`;
  return { field: fieldOf(related.option, context.subject), reason: 'Invalid', value, detail, advice: true };
}

function brokenRelations(context: RelationContext): readonly Violation[] {
  const { keys, values } = context.subject.parsed;
  let violations: Violation[] | undefined;
  for (const related of RESTRICTED) {
    if (!keys.isAt(related.index) || values.at(related.index) === 'off') continue;
    const found = relationViolations(related, context);
    if (found !== NONE) (violations ??= []).push(...found);
  }
  return violations ?? NONE;
}

/** Returns a violation for each violated relation of an annotation. An annotation without effect, or with an invalid value, violates no relation. */
function relationViolations(related: RelatedOption, context: RelationContext): readonly Violation[] {
  if (context.subject.parsed.values.at(related.index) === undefined) return NONE;
  const { denied, chosen } = related.relations;
  let broken: OptionRelation[] | undefined;
  for (const optionRelation of denied)
    if (isBroken(related, optionRelation, context)) (broken ??= []).push(optionRelation);
  if (chosen.length > 0 && !hasLoadBalancer(context.subject)) {
    for (const optionRelation of chosen)
      if (isBroken(related, optionRelation, context)) (broken ??= []).push(optionRelation);
  }
  if (broken === undefined) return NONE;
  const scope = sentTo(scopeIn(context.subject));
  if ((related.scope & scope) === 0 || disablingRelation(related, context, scope) !== undefined) return NONE;
  return broken.map((optionRelation) => violationOf(related, optionRelation, context));
}

function violationOf(related: RelatedOption, optionRelation: OptionRelation, context: RelationContext): Violation {
  const { subject } = context;
  const own = shortName(related.option);
  const because = `because ${own} is ${textOf(related.option, subject)}`;
  if (optionRelation.isConflict) return contradiction(related, optionRelation, context);
  const { values, otherwise } = optionRelation.relation;
  const wanted = values === undefined ? allowedBy(CATALOGUE[optionRelation.other].value) : choice(values);
  const violation = {
    field: fieldOf(optionRelation.other, subject),
    reason: 'Invalid' as const,
    value: textOf(optionRelation.other, subject),
    detail: `must be ${wanted}, ${because}`,
  };
  return otherwise === 'chosen'
    ? { ...violation, detail: `should be ${wanted}, ${because}: the cloud chooses a value otherwise`, advice: true }
    : violation;
}

/** Returns the violation of an annotation that the value of another annotation excludes. */
function contradiction(
  { option, entry }: RelatedOption,
  optionRelation: OptionRelation,
  context: RelationContext,
): Violation {
  const other = shortName(optionRelation.other);
  const { value: type } = entry;
  const { when = [] } = optionRelation.relation;
  const rest = type.kind === 'enum' ? type.values.filter((value) => !when.includes(value)) : [];
  return {
    field: fieldOf(option, context.subject),
    reason: rest.length === 0 ? 'Forbidden' : 'Invalid',
    value: textOf(option, context.subject),
    detail: `${rest.length === 0 ? 'may not be set' : `must be ${choice(rest)}`}, because ${other} is ${String(otherValue(optionRelation, context))}`,
  };
}

/** Returns whether a zone is in a region. Examples of zones are `cn-hangzhou-b` and `ap-southeast-1a`. */
const isZoneOf = (region: string, zone: string): boolean =>
  zone.startsWith(region) && /^-?[a-z]$/.test(zone.slice(region.length));

/** Returns warnings about zones outside the region of the cluster, and about equal zones. */
function zoneViolations(subject: ServiceSubject, facts: Facts): readonly Violation[] {
  const { masterZoneid, slaveZoneid } = subject.parsed.options;
  const region = facts.cluster()?.regionId;
  if (hasLoadBalancer(subject)) return NONE;
  const adviceOn = (option: OptionName, value: string, detail: string): Violation => ({
    field: fieldOf(option, subject),
    reason: 'Invalid',
    value,
    detail,
    advice: true,
  });
  const zones = [
    ['masterZoneid', masterZoneid],
    ['slaveZoneid', slaveZoneid],
  ] as const;
  const inOtherRegions = zones.flatMap(([option, zone]) =>
    zone === undefined || region === undefined || isZoneOf(region, zone)
      ? []
      : [adviceOn(option, zone, `should be a zone of the cluster's region ${region}`)],
  );
  if (slaveZoneid === undefined || slaveZoneid !== masterZoneid) return inOtherRegions;
  return [
    ...inOtherRegions,
    adviceOn(
      'slaveZoneid',
      slaveZoneid,
      'should differ from master-zoneid, because traffic moves to slave-zoneid when master-zoneid fails',
    ),
  ];
}

const SCHEDULER: OptionName = 'scheduler';

/** Returns the violation of a scheduler that the protocol of a listener does not support, or a warning about `rr` if backends have weights. */
function schedulerViolations(
  scheduler: string,
  subject: ServiceSubject,
  backendType: string | undefined,
): readonly Violation[] {
  if (!managesListeners(subject)) return NONE;
  const base = { field: fieldOf(SCHEDULER, subject), reason: 'Invalid' as const, value: scheduler };
  const type = CATALOGUE.scheduler.value;
  const protocols = (type.only as Readonly<Partial<Record<string, readonly Protocol[]>>>)[scheduler];
  if (protocols !== undefined) {
    const other = listenersOf(subject)?.find(({ protocol }) => protocol && !protocols.includes(protocol));
    if (other === undefined) return NONE;
    const rest = choice(currentOf(type));
    const detail = `must be ${rest}, because the listener on port ${other.port} is ${other.protocol ?? ''}`;
    return [{ ...base, detail, remedy: `to keep ${scheduler}, move the port to another Service` }];
  }
  const isLocal = subject.object.spec?.externalTrafficPolicy === 'Local';
  const isWeighed = isLocal && (subject.parsed.options.backendType ?? backendType) !== 'eni';
  return scheduler === 'rr' && isWeighed ? [{ ...base, detail: UNWEIGHTED, advice: true }] : NONE;
}

const UNWEIGHTED =
  'should be wrr, the default: externalTrafficPolicy Local gives each node a weight by its pods, and rr ignores weights';
