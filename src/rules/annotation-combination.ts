import { CATALOGUE, type OptionName } from '../annotation/catalogue.ts';
import { allowedBy, choice } from '../annotation/allowed-values.ts';
import type { EnumType, Protocol } from '../annotation/value-type.ts';
import type { Facts } from '../inventory/facts.ts';
import type { Violation, Rule, ServiceSubject } from './rule.ts';
import { listenersOf, managesListeners } from './engine/listeners.ts';
import {
  fieldOf,
  isBroken,
  isSettled,
  otherValue,
  placesIn,
  sentTo,
  shortName,
  textOf,
  RELATED,
  voidingTie,
  type RelationContext,
  type Tie,
  type ActiveRelation,
} from './engine/relations.ts';
import { together } from './engine/together.ts';

const DEMANDING: readonly ActiveRelation[] = RELATED.filter(({ ties }) => ties.denied.length + ties.chosen.length > 0);

export const annotationCombination: Rule = {
  name: 'annotation-combination',
  kind: 'Service',
  tier: 'hygiene',
  tunable: true,
  doc: 'Annotations that only work together come together, and none contradicts another: access control with its list, sessions with their cookie, an address with its network, a scheduler with the protocols. The cloud would refuse the load balancer or the listener later.',
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
    const look = { subject, facts };
    let faults = brokenRelations(look);
    for (const one of OUTDATED) {
      const fault = outdated(one, look);
      if (fault !== undefined) faults = [...faults, fault];
    }
    if ((masterZoneid ?? slaveZoneid) !== undefined) faults = together(faults, zoneViolations(subject, facts));
    if (scheduler === undefined) return faults;
    return together(faults, schedulerViolations(scheduler, subject, facts.cluster()?.backendType));
  },
};

const NONE: readonly never[] = [];

interface Outdated {
  readonly tied: ActiveRelation;
  readonly older: readonly string[];
  /** The values that every load balancer accepts. */
  readonly rest: string;
}

const OUTDATED: readonly Outdated[] = RELATED.flatMap((tied) => {
  const { value } = tied.entry;
  if (value.kind !== 'enum' || value.older === undefined) return [];
  return [{ tied, older: value.older, rest: choice(currentOf(value)) }];
});

/** Returns the values that all protocols and all load balancers accept. */
function currentOf({ values, only = {}, older = [] }: EnumType): readonly string[] {
  return values.filter((value) => !(value in only) && !older.includes(value));
}

/** Returns advice if a new load balancer asks for a value that only older load balancers have. */
function outdated({ tied, older, rest }: Outdated, look: RelationContext): Violation | undefined {
  const found = look.subject.parsed.values.at(tied.index);
  if (typeof found !== 'string' || !older.includes(found) || isSettled(look.subject)) return undefined;
  const places = placesIn(look.subject);
  if ((tied.places & places) === 0 || voidingTie(tied, look, places) !== undefined) return undefined;
  const allowed = `${rest}, because ${found} is left of older load balancers, and the cloud may deny it on a new one`;
  const fix = `write ${rest}, unless you know that it works`;
  return { field: fieldOf(tied.option, look.subject), found, allowed, fix, advice: true };
}

function brokenRelations(look: RelationContext): readonly Violation[] {
  const { keys, values } = look.subject.parsed;
  let faults: Violation[] | undefined;
  for (const tied of DEMANDING) {
    if (!keys.isAt(tied.index) || values.at(tied.index) === 'off') continue;
    const found = tiesOf(tied, look);
    if (found !== NONE) (faults ??= []).push(...found);
  }
  return faults ?? NONE;
}

/** Returns the violated relations of an annotation. An annotation without effect, or with an unreadable value, requires nothing. */
function tiesOf(tied: ActiveRelation, look: RelationContext): readonly Violation[] {
  if (look.subject.parsed.values.at(tied.index) === undefined) return NONE;
  const { denied, chosen } = tied.ties;
  let broken: Tie[] | undefined;
  for (const tie of denied) if (isBroken(tied, tie, look)) (broken ??= []).push(tie);
  if (chosen.length > 0 && !isSettled(look.subject)) {
    for (const tie of chosen) if (isBroken(tied, tie, look)) (broken ??= []).push(tie);
  }
  if (broken === undefined) return NONE;
  const places = sentTo(placesIn(look.subject));
  if ((tied.places & places) === 0 || voidingTie(tied, look, places) !== undefined) return NONE;
  return broken.map((tie) => violationOf(tied, tie, look));
}

function violationOf(tied: ActiveRelation, tie: Tie, look: RelationContext): Violation {
  const { subject } = look;
  const own = shortName(tied.option);
  const because = `as ${own} is ${textOf(tied.option, subject)}`;
  if (tie.isConflict) return contradiction(tied, tie, look);
  const { values, otherwise } = tie.relation;
  const found = textOf(tie.other, subject);
  const wanted = values === undefined ? allowedBy(CATALOGUE[tie.other].value) : choice(values);
  const fault = {
    field: fieldOf(tie.other, subject),
    found,
    allowed: `${wanted}, ${because}`,
    fix: `${found === '' ? 'add it' : `write ${wanted}`}, or change or remove ${own}`,
  };
  return otherwise === 'chosen'
    ? { ...fault, fix: 'add it, unless what is chosen without it will do', advice: true }
    : fault;
}

function contradiction({ option, entry }: ActiveRelation, tie: Tie, look: RelationContext): Violation {
  const other = shortName(tie.other);
  const { value: type } = entry;
  const { when = [] } = tie.relation;
  const rest = type.kind === 'enum' ? type.values.filter((value) => !when.includes(value)) : [];
  return {
    field: fieldOf(option, look.subject),
    found: textOf(option, look.subject),
    allowed: `${choice(rest) || 'nothing'}, as ${other} is ${String(otherValue(tie, look))}`,
    fix: `change or remove it, or ${other}`,
  };
}

/** Returns advice about zones. The id of a zone starts with the id of its region. */
function zoneViolations(subject: ServiceSubject, facts: Facts): readonly Violation[] {
  const { masterZoneid, slaveZoneid } = subject.parsed.options;
  const region = facts.cluster()?.regionId ?? '';
  if (isSettled(subject)) return NONE;
  const said = (option: OptionName, found: string, allowed: string): Violation => ({
    field: fieldOf(option, subject),
    found,
    allowed,
    fix: 'name another zone, unless you know that it works',
    advice: true,
  });
  const zones = [
    ['masterZoneid', masterZoneid],
    ['slaveZoneid', slaveZoneid],
  ] as const;
  const abroad = zones.flatMap(([option, zone]) =>
    zone === undefined || zone.startsWith(region)
      ? []
      : [said(option, zone, `a zone of the cluster's region, ${region}`)],
  );
  if (slaveZoneid === undefined || slaveZoneid !== masterZoneid) return abroad;
  return [
    ...abroad,
    said('slaveZoneid', slaveZoneid, `a zone other than the primary one, as it takes over when that fails`),
  ];
}

const SCHEDULER: OptionName = 'scheduler';

/** Returns the violation of a scheduler that a listener's protocol does not support, or advice if the result may surprise. */
function schedulerViolations(
  scheduler: string,
  subject: ServiceSubject,
  backendType: string | undefined,
): readonly Violation[] {
  if (!managesListeners(subject)) return NONE;
  const said = { field: fieldOf(SCHEDULER, subject), found: scheduler };
  const type = CATALOGUE.scheduler.value;
  const protocols = (type.only as Readonly<Partial<Record<string, readonly Protocol[]>>>)[scheduler];
  if (protocols !== undefined) {
    const other = listenersOf(subject)?.find(({ protocol }) => protocol && !protocols.includes(protocol));
    if (other === undefined) return NONE;
    const rest = choice(currentOf(type));
    const allowed = `${rest}, as the listener on port ${other.port} is ${other.protocol ?? ''}`;
    return [{ ...said, allowed, fix: `write ${rest}, or give the port a Service of its own` }];
  }
  const isLocal = subject.object.spec?.externalTrafficPolicy === 'Local';
  const isWeighed = isLocal && (subject.parsed.options.backendType ?? backendType) !== 'eni';
  return scheduler === 'rr' && isWeighed ? [{ ...said, ...UNWEIGHED, advice: true }] : NONE;
}

const UNWEIGHED = {
  allowed: 'wrr, because externalTrafficPolicy Local weighs nodes by their pods, and rr looks at no weight',
  fix: 'write wrr, or remove it: wrr is taken then',
};
