import { CATALOGUE, ENTRIES, type OptionName } from '../../annotation/catalogue.ts';
import { defaultOf } from '../../annotation/default-lookup.ts';
import type { OptionDefinition, Relation } from '../../annotation/option-definition.ts';
import { OPTION_INDEX } from '../../annotation/parsed-values.ts';
import { suffixOf } from '../../annotation/keys.ts';
import { annotationField } from '../../annotation/annotation-field-path.ts';
import { listenerProtocols } from '../../clb/desired/protocols.ts';
import { isPublished } from '../../clb/model/provisioning-evidence.ts';
import type { Facts } from '../../inventory/facts.ts';
import type { ServiceSubject } from '../rule.ts';
import { isUnreadable, managesListeners } from './service-listeners.ts';

/** The objects that an annotation affects, from `appliesTo` in the catalogue, as a set of bits: listeners by protocol, and everything else. */
export type ListenerScope = number;
const SCOPE_BITS = { tcp: 1, udp: 2, http: 4, https: 8 } as const;
/** The scope of everything except listeners. */
const ELSEWHERE = 16;
/** The scope of http listeners that redirect. Annotations for `listener:http` have no effect on such a listener. */
const REDIRECT = 32;
const LISTENERS = 15 | REDIRECT;
const EVERYWHERE = LISTENERS | ELSEWHERE;

/** A relation of an annotation to another annotation, from the catalogue. */
export interface OptionRelation {
  readonly other: OptionName;
  /** The index of the other annotation in the catalogue. */
  readonly otherIndex: number;
  readonly relation: Relation;
  readonly isConflict: boolean;
  /** The scope of the relation. */
  readonly scope: ListenerScope;
  /** The default of the other annotation. */
  readonly unsetValue: unknown;
  /** True if the Service or the cluster can change the default of the other annotation. */
  readonly dependsOnMore: boolean;
}

/** An annotation with its relations to other annotations, by the effect of a violation. */
export interface RelatedOption {
  readonly option: OptionName;
  /** The index of the annotation in the catalogue. */
  readonly index: number;
  readonly entry: OptionDefinition;
  /** The scope in which the controller reads the annotation. */
  readonly scope: ListenerScope;
  readonly relations: Readonly<Record<Relation['otherwise'], readonly OptionRelation[]>>;
  /** The scope in which violated relations can leave the annotation without effect. */
  readonly voidable: ListenerScope;
}

/** The inputs for the check of relations. */
export interface RelationContext {
  readonly subject: ServiceSubject;
  readonly facts: Facts;
}

const LISTENER = 'listener:';
function scopeOfName(name: string): ListenerScope {
  if (name.startsWith(LISTENER)) return SCOPE_BITS[name.slice(LISTENER.length) as keyof typeof SCOPE_BITS];
  return name === 'listener' ? LISTENERS : ELSEWHERE;
}
const scopeOfNames = (names: readonly string[]): ListenerScope =>
  names.reduce((all, name) => all | scopeOfName(name), 0);

/** Options whose unset annotation keeps the current value of the load balancer. */
const OF_THE_LOAD_BALANCER: ReadonlySet<OptionName> = new Set(['addressType', 'instanceChargeType', 'networkType']);
/** Options whose unset annotation keeps the current value of listeners on a reused load balancer. */
const OF_THE_LISTENER: ReadonlySet<OptionName> = new Set(['healthCheckFlag', 'stickySession']);

const optionRelationOf =
  (isConflict: boolean) =>
  (relation: Relation): OptionRelation => {
    const other = relation.option as OptionName;
    return {
      other,
      otherIndex: OPTION_INDEX.get(other) ?? -1,
      relation,
      isConflict,
      scope: relation.on === undefined ? EVERYWHERE : scopeOfNames(relation.on.map((protocol) => LISTENER + protocol)),
      unsetValue: defaultOf(other),
      dependsOnMore: other === 'backendType' || OF_THE_LISTENER.has(other) || OF_THE_LOAD_BALANCER.has(other),
    };
  };

function relatedOptionOf([option, entry]: readonly [OptionName, OptionDefinition], index: number): RelatedOption {
  // Conflicts come first, because a required annotation does not help while a conflict exists.
  const relations = [
    ...(entry.conflicts ?? []).map(optionRelationOf(true)),
    ...(entry.requires ?? []).map(optionRelationOf(false)),
  ];
  const by = (otherwise: Relation['otherwise']): readonly OptionRelation[] =>
    relations.filter(({ relation }) => relation.otherwise === otherwise);
  const sorted = { denied: by('denied'), 'no-effect': by('no-effect'), chosen: by('chosen') };
  // The scope is all listeners, because the rule `forward-port` checks the protocol of each port.
  const scope = option === 'forwardPort' ? LISTENERS : scopeOfNames(entry.appliesTo);
  const voidable = sorted['no-effect'].reduce((all, optionRelation) => all | optionRelation.scope, 0);
  return { option, index, entry, scope, relations: sorted, voidable };
}

/** Options that the rule `backend-weight` checks. */
const WEIGHTS: ReadonlySet<OptionName> = new Set(['weight', 'defaultWeight']);

/** The entries of the catalogue without `WEIGHTS`, with compiled relations, for the rules `annotation-combination` and `annotation-effect`. */
export const RELATED: readonly RelatedOption[] = ENTRIES.map(relatedOptionOf).filter(
  ({ option }) => !WEIGHTS.has(option),
);

/** Returns the scope of a Service: its managed listeners, and everything except listeners. Returns every scope if the listeners are unknown. */
export function scopeIn(subject: ServiceSubject): ListenerScope {
  const { object, parsed } = subject;
  if (!managesListeners(subject)) return ELSEWHERE;
  if (isUnreadable(parsed, 'protocolPort')) return EVERYWHERE;
  const { forwardPort, protocolPort } = parsed.options;
  const ports = object.spec?.ports ?? [];
  const protocolOf = listenerProtocols(ports, parsed.options);
  let scope: ListenerScope = ELSEWHERE;
  for (const port of ports) {
    const protocol = protocolOf(port);
    if (protocol === undefined) continue;
    const isRedirect = protocol === 'http' && forwardPort?.some(({ from }) => from === port.port) === true;
    scope |= isRedirect ? REDIRECT : SCOPE_BITS[protocol];
  }
  // The scope includes the protocol of an entry for a missing port, so that only the rule `protocol-port` reports the entry.
  if (protocolPort !== undefined) {
    for (const { port, protocol } of protocolPort) {
      const isNew = (scope & SCOPE_BITS[protocol]) === 0;
      if (isNew && !ports.some((other) => other.port === port)) scope |= SCOPE_BITS[protocol];
    }
  }
  return scope;
}

/** Returns whether a listener redirects. */
export const redirects = (scope: ListenerScope): boolean => (scope & REDIRECT) !== 0;

/** Returns the scope, extended by http attributes if a listener redirects, because the controller sends these attributes to the cloud. */
export const sentTo = (scope: ListenerScope): ListenerScope => (redirects(scope) ? scope | SCOPE_BITS.http : scope);

/** The value of an annotation whose actual value is unknown. An unknown value violates no relation. */
const UNKNOWN = Symbol('unknown');

/** Returns whether the load balancer exists. If so, its attributes may differ from the defaults of unset annotations. */
export const hasLoadBalancer = ({ object, parsed }: ServiceSubject): boolean =>
  parsed.options.id !== undefined || isPublished(object);

/** Returns the value of an unset annotation whose value depends on the Service or the cluster. */
function unsetIn({ other, unsetValue }: OptionRelation, { subject, facts }: RelationContext): unknown {
  const { options } = subject.parsed;
  if (other === 'backendType') return facts.cluster()?.backendType ?? UNKNOWN;
  if (OF_THE_LISTENER.has(other)) return options.id === undefined ? unsetValue : UNKNOWN;
  if (hasLoadBalancer(subject)) return UNKNOWN;
  // A new load balancer with charge by bandwidth gets an instance charge type that supports this charge.
  return other === 'instanceChargeType' && options.chargeType === 'paybybandwidth' ? 'PayBySpec' : unsetValue;
}

function isOneOf(values: readonly string[], value: unknown): boolean {
  const text = typeof value === 'string' ? value : String(value);
  for (const one of values) if (one === text) return true;
  return false;
}

/** Returns the value of the other annotation in a relation. Returns the value that applies by default if the annotation is unset. */
export function otherValue(optionRelation: OptionRelation, context: RelationContext): unknown {
  const { parsed } = context.subject;
  const value = parsed.values.at(optionRelation.otherIndex);
  if (value !== undefined) return value;
  if (isUnreadable(parsed, optionRelation.other)) return UNKNOWN;
  return optionRelation.dependsOnMore ? unsetIn(optionRelation, context) : optionRelation.unsetValue;
}

/** Returns whether a Service violates a relation of the catalogue. */
export function isBroken(related: RelatedOption, optionRelation: OptionRelation, context: RelationContext): boolean {
  const { when, values } = optionRelation.relation;
  if (when !== undefined && !isOneOf(when, context.subject.parsed.values.at(related.index))) return false;
  const value = otherValue(optionRelation, context);
  if (value === UNKNOWN) return false;
  const isThere = value !== undefined && (values === undefined || isOneOf(values, value));
  return optionRelation.isConflict ? isThere : !isThere;
}

/**
 * Returns one of the violated relations that together leave the annotation without any effect in `scope`. Returns undefined without such relations.
 */
export function disablingRelation(
  related: RelatedOption,
  context: RelationContext,
  scope: ListenerScope,
): OptionRelation | undefined {
  let left = related.scope & scope;
  if (left === 0 || (left & ~related.voidable) !== 0) return undefined;
  for (const optionRelation of related.relations['no-effect']) {
    if ((left & optionRelation.scope) === 0 || !isBroken(related, optionRelation, context)) continue;
    left &= ~optionRelation.scope;
    if (left === 0) return optionRelation;
  }
  return undefined;
}

/** Returns the field path of an annotation, with the written key or else the current key. */
export const fieldOf = (option: OptionName, { parsed }: ServiceSubject): string =>
  annotationField(parsed.keys.get(option) ?? CATALOGUE[option].key);

/** Returns the text of an annotation as the user wrote it. Returns an empty text if the annotation is unset. */
export function textOf(option: OptionName, { object, parsed }: ServiceSubject): string {
  const key = parsed.keys.get(option);
  return key === undefined ? '' : (object.metadata.annotations?.[key] ?? '');
}

/** Returns the name of an annotation in messages, such as `charge-type`. */
export const shortName = (option: OptionName): string => suffixOf(CATALOGUE[option].key);
