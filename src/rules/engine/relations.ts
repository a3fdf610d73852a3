import { CATALOGUE, ENTRIES, type OptionName } from '../../annotation/catalogue.ts';
import { defaultOf } from '../../annotation/defaults.ts';
import type { OptionDefinition, Relation } from '../../annotation/option-definition.ts';
import { OPTION_INDEX } from '../../annotation/found-options.ts';
import { suffixOf } from '../../annotation/keys.ts';
import { annotationField } from '../../annotation/field.ts';
import { listenerProtocols } from '../../clb/desired/protocols.ts';
import { isPublished } from '../../clb/model/service-status.ts';
import type { Facts } from '../../inventory/facts.ts';
import type { ServiceSubject } from '../rule.ts';
import { isUnreadable, managesListeners } from './listeners.ts';

/** Places where an annotation can count, as a set of bits: listeners of each protocol, and all that is no listener. */
export type ListenerScope = number;
const PLACE = { tcp: 1, udp: 2, http: 4, https: 8 } as const;
const ELSEWHERE = 16;
/** An http listener that redirects: it is told where to, and has no use for what else http listeners have. */
const REDIRECT = 32;
const LISTENERS = 15 | REDIRECT;
const EVERYWHERE = LISTENERS | ELSEWHERE;

/** How an annotation hangs together with another, out of the catalogue. */
export interface Tie {
  readonly other: OptionName;
  /** Of the other, among all. */
  readonly otherIndex: number;
  readonly relation: Relation;
  readonly isConflict: boolean;
  /** Where it holds. */
  readonly places: ListenerScope;
  /** What counts when the other says nothing, where that is always the same. */
  readonly silence: unknown;
  readonly dependsOnMore: boolean;
}

/** An annotation with its ties, by what comes of breaking them. */
export interface ActiveRelation {
  readonly option: OptionName;
  /** Of the option, among all. */
  readonly index: number;
  readonly entry: OptionDefinition;
  /** Where it is read. */
  readonly places: ListenerScope;
  readonly ties: Readonly<Record<Relation['otherwise'], readonly Tie[]>>;
  /** Where it would have no effect with all of its ties broken. */
  readonly voidable: ListenerScope;
}

/** What is looked at, and what is known beside it. */
export interface RelationContext {
  readonly subject: ServiceSubject;
  readonly facts: Facts;
}

const LISTENER = 'listener:';
function placeOf(name: string): ListenerScope {
  if (name.startsWith(LISTENER)) return PLACE[name.slice(LISTENER.length) as keyof typeof PLACE];
  return name === 'listener' ? LISTENERS : ELSEWHERE;
}
const placesOf = (names: readonly string[]): ListenerScope => names.reduce((all, name) => all | placeOf(name), 0);

/** Absent, these are what the load balancer was given at birth, or by its owner. */
const OF_THE_LOAD_BALANCER: ReadonlySet<OptionName> = new Set(['addressType', 'instanceChargeType', 'networkType']);
/** Absent, these are on a reused load balancer what its listeners have. */
const OF_THE_LISTENER: ReadonlySet<OptionName> = new Set(['healthCheckFlag', 'stickySession']);

const tieOf =
  (isConflict: boolean) =>
  (relation: Relation): Tie => {
    const other = relation.option as OptionName;
    return {
      other,
      otherIndex: OPTION_INDEX.get(other) ?? -1,
      relation,
      isConflict,
      places: relation.on === undefined ? EVERYWHERE : placesOf(relation.on.map((protocol) => LISTENER + protocol)),
      silence: defaultOf(other),
      dependsOnMore: other === 'backendType' || OF_THE_LISTENER.has(other) || OF_THE_LOAD_BALANCER.has(other),
    };
  };

function tiedOf([option, entry]: readonly [OptionName, OptionDefinition], index: number): ActiveRelation {
  // What rules an annotation out comes first: adding what it lacks would not help then.
  const ties = [...(entry.conflicts ?? []).map(tieOf(true)), ...(entry.requires ?? []).map(tieOf(false))];
  const by = (otherwise: Relation['otherwise']): readonly Tie[] =>
    ties.filter(({ relation }) => relation.otherwise === otherwise);
  const sorted = { denied: by('denied'), 'no-effect': by('no-effect'), chosen: by('chosen') };
  // Which ports may forward is told port by port, by a rule of its own.
  const places = option === 'forwardPort' ? LISTENERS : placesOf(entry.appliesTo);
  const voidable = sorted['no-effect'].reduce((all, tie) => all | tie.places, 0);
  return { option, index, entry, places, ties: sorted, voidable };
}

/** A rule of their own tells of these. */
const WEIGHTS: ReadonlySet<OptionName> = new Set(['weight', 'defaultWeight']);

/** Every annotation but those. */
export const RELATED: readonly ActiveRelation[] = ENTRIES.map(tiedOf).filter(({ option }) => !WEIGHTS.has(option));

/** Where annotations count in a Service: everywhere, as long as its listeners cannot be known. */
export function placesIn(subject: ServiceSubject): ListenerScope {
  const { object, parsed } = subject;
  if (!managesListeners(subject)) return ELSEWHERE;
  if (isUnreadable(parsed, 'protocolPort')) return EVERYWHERE;
  const { forwardPort, protocolPort } = parsed.options;
  const ports = object.spec?.ports ?? [];
  const protocolOf = listenerProtocols(ports, parsed.options);
  let places: ListenerScope = ELSEWHERE;
  for (const port of ports) {
    const protocol = protocolOf(port);
    if (protocol === undefined) continue;
    const isRedirect = protocol === 'http' && forwardPort?.some(({ from }) => from === port.port) === true;
    places |= isRedirect ? REDIRECT : PLACE[protocol];
  }
  // An entry for a port that is not there is told of by itself, and not once more by all that counts on that port.
  if (protocolPort !== undefined) {
    for (const { port, protocol } of protocolPort) {
      const isNew = (places & PLACE[protocol]) === 0;
      if (isNew && !ports.some((other) => other.port === port)) places |= PLACE[protocol];
    }
  }
  return places;
}

/** Whether a listener redirects. */
export const redirects = (places: ListenerScope): boolean => (places & REDIRECT) !== 0;

/** Where annotations are sent to the cloud: to listeners that redirect as to any that are http. */
export const sentTo = (places: ListenerScope): ListenerScope => (redirects(places) ? places | PLACE.http : places);

/** Not known: then nothing is held against anybody. */
const UNKNOWN = Symbol('unknown');

/** Whether there is a load balancer already, which may have been asked for in other words than today's. */
export const isSettled = ({ object, parsed }: ServiceSubject): boolean =>
  parsed.options.id !== undefined || isPublished(object);

/** What counts when the other annotation says nothing, where that is not always the same. */
function unsetIn({ other, silence }: Tie, { subject, facts }: RelationContext): unknown {
  const { options } = subject.parsed;
  if (other === 'backendType') return facts.cluster()?.backendType ?? UNKNOWN;
  if (OF_THE_LISTENER.has(other)) return options.id === undefined ? silence : UNKNOWN;
  if (isSettled(subject)) return UNKNOWN;
  // A new load balancer that is to be charged by bandwidth is made one that can be.
  return other === 'instanceChargeType' && options.chargeType === 'paybybandwidth' ? 'PayBySpec' : silence;
}

function isOneOf(values: readonly string[], value: unknown): boolean {
  const text = typeof value === 'string' ? value : String(value);
  for (const one of values) if (one === text) return true;
  return false;
}

/** What the other annotation says, or what counts without it. */
export function otherValue(tie: Tie, look: RelationContext): unknown {
  const { parsed } = look.subject;
  const value = parsed.values.at(tie.otherIndex);
  if (value !== undefined) return value;
  if (isUnreadable(parsed, tie.other)) return UNKNOWN;
  return tie.dependsOnMore ? unsetIn(tie, look) : tie.silence;
}

/** Whether what the catalogue says of two annotations does not hold. */
export function isBroken(tied: ActiveRelation, tie: Tie, look: RelationContext): boolean {
  const { when, values } = tie.relation;
  if (when !== undefined && !isOneOf(when, look.subject.parsed.values.at(tied.index))) return false;
  const value = otherValue(tie, look);
  if (value === UNKNOWN) return false;
  const isThere = value !== undefined && (values === undefined || isOneOf(values, value));
  return tie.isConflict ? isThere : !isThere;
}

/** The tie for which an annotation counts at none of the places where it is read; absent when it counts. */
export function voidingTie(tied: ActiveRelation, look: RelationContext, places: ListenerScope): Tie | undefined {
  let left = tied.places & places;
  if (left === 0 || (left & ~tied.voidable) !== 0) return undefined;
  for (const tie of tied.ties['no-effect']) {
    if ((left & tie.places) === 0 || !isBroken(tied, tie, look)) continue;
    left &= ~tie.places;
    if (left === 0) return tie;
  }
  return undefined;
}

/** The key under which an annotation is, or should be, written; as a path. */
export const fieldOf = (option: OptionName, { parsed }: ServiceSubject): string =>
  annotationField(parsed.keys.get(option) ?? CATALOGUE[option].key);

/** The text of an annotation as it is written; empty when it is not there. */
export function textOf(option: OptionName, { object, parsed }: ServiceSubject): string {
  const key = parsed.keys.get(option);
  return key === undefined ? '' : (object.metadata.annotations?.[key] ?? '');
}

/** What an annotation is called in a sentence: `charge-type`. */
export const shortName = (option: OptionName): string => suffixOf(CATALOGUE[option].key);
