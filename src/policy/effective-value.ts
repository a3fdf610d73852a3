import { CATALOGUE, type OptionName } from '../annotation/catalogue.ts';
import { defaultOf, hasProtocolDefaults, listenerDefaultOf } from '../annotation/defaults.ts';
import type { OptionDefinition } from '../annotation/option-definition.ts';
import { OPTION_INDEX } from '../annotation/found-options.ts';
import type { Parsed } from '../annotation/parse.ts';
import type { DomainCertificate, GroupPort, PortPair, ProtocolPort, ValueType } from '../annotation/value-type.ts';
import { listenerProtocols } from '../clb/desired/protocols.ts';
import { isPublished } from '../clb/model/service-status.ts';
import type { Facts, KnownLoadBalancer } from '../inventory/facts.ts';
import type { Service } from '../base/objects.ts';

/** A Service, and its annotations read. */
export interface ServiceView {
  readonly object: Service;
  readonly parsed: Parsed;
  /** What it was; absent where nothing was, or that is not looked at. */
  readonly before?: ServiceView;
}

/** One value, as conditions compare it. */
export type Value = string | number | boolean;
/** Something counts, and nobody here knows what. See `isMet` for what follows from it. */
export const UNKNOWN: unique symbol = Symbol('unknown');
/** What there is of something: nothing, one value, or several. */
export type Values = Value | readonly Value[] | undefined | typeof UNKNOWN;

/** What a load balancer has already, and no annotation changes. */
const FIXED: Readonly<Partial<Record<OptionName, (loadBalancer: KnownLoadBalancer) => string>>> = {
  addressType: ({ addressType }) => addressType,
  resourceGroupId: ({ resourceGroupId }) => resourceGroupId,
  ipVersion: ({ ipVersion }) => ipVersion,
};

/** The load balancer that a Service names, if it is free to be, or that was made for it. */
function loadBalancerOf({ object, parsed }: ServiceView, facts: Facts): KnownLoadBalancer | undefined {
  const { id } = parsed.options;
  if (id === undefined) return facts.ownedBy(object);
  const named = facts.loadBalancer(id);
  return named?.owner === 'user' ? named : undefined;
}

/** What one is paid for by of which nothing is said: one that is there may have been made when that was something else. */
function chargeOf(view: ServiceView, facts: Facts): 'PayBySpec' | 'PayByCLCU' | typeof UNKNOWN | undefined {
  const { id, chargeType } = view.parsed.options;
  const known = loadBalancerOf(view, facts)?.instanceChargeType;
  if (known !== undefined) return known;
  if (id !== undefined || isPublished(view.object)) return UNKNOWN;
  return chargeType === 'paybybandwidth' ? 'PayBySpec' : CATALOGUE.instanceChargeType.default;
}

/** The specification that one gets which asks for none. */
const LEAST_SPEC = 'slb.s1.small';

/** Returns the default of an option, one value for each protocol of the listeners if they differ. */
function defaultFor(option: OptionName, { object, parsed }: ServiceView): Values {
  if (!hasProtocolDefaults(option)) return defaultOf(option) as Value | undefined;
  const ports = object.spec?.ports ?? [];
  const protocolOf = listenerProtocols(ports, parsed.options);
  const protocols = new Set(ports.flatMap((port) => protocolOf(port) ?? []));
  const values = [...protocols].map((protocol) => listenerDefaultOf(option, protocol) as Value);
  return [...new Set(values)];
}

/** What counts of an annotation that is not there on a load balancer that is reused: of listeners that are made on it, the same as elsewhere. */
function ofTheAbsentOnReused(option: OptionName, view: ServiceView): Values {
  const { options } = view.parsed;
  if (FIXED[option] !== undefined) return UNKNOWN;
  const { onReused }: OptionDefinition = CATALOGUE[option];
  return onReused === 'if-overriding' && options.forceOverrideListeners === true ? defaultFor(option, view) : undefined;
}

/** What counts of an annotation that is not there; absent where nothing does. */
function ofTheAbsent(option: OptionName, view: ServiceView, facts: Facts): Values {
  const { options } = view.parsed;
  if (option === 'backendType') return facts.cluster()?.backendType ?? UNKNOWN;
  if (options.id !== undefined) return ofTheAbsentOnReused(option, view);
  if (option === 'instanceChargeType') return chargeOf(view, facts);
  if (option !== 'spec') return defaultFor(option, view);
  const charge = options.instanceChargeType ?? chargeOf(view, facts);
  if (charge === UNKNOWN) return UNKNOWN;
  return charge === 'PayBySpec' ? LEAST_SPEC : undefined;
}

/** What counts of these where they are absent depends on the rest of the Service, on its load balancer, or on the cluster. */
const DEPENDING: ReadonlySet<OptionName> = new Set([
  ...(Object.keys(FIXED) as OptionName[]),
  ...(['instanceChargeType', 'spec', 'backendType'] as const),
]);

/** The only value that may count of an annotation that is absent, if any does; absent where it may be one or another. */
export const onlyValueWhenAbsent = (option: OptionName): { readonly value: Value | undefined } | undefined =>
  DEPENDING.has(option) || hasProtocolDefaults(option) ? undefined : { value: defaultOf(option) as Value | undefined };

/** Whether nothing but what is written of an annotation counts, where that can be read. */
export const isEffectiveAsWritten = (option: OptionName): boolean => FIXED[option] === undefined;

/** How a value of several parts is written, by the kind of its type. */
const PARTS: Readonly<Partial<Record<ValueType['kind'], (value: never) => readonly Value[]>>> = {
  list: (entries: readonly string[]) => entries,
  'protocol-ports': (entries: readonly ProtocolPort[]) => entries.map(({ protocol, port }) => `${protocol}:${port}`),
  'port-pairs': (entries: readonly PortPair[]) => entries.map(({ from, to }) => `${from}:${to}`),
  'group-ports': (entries: readonly GroupPort[]) =>
    entries.map(({ serverGroupId, port }) => `${serverGroupId}:${port}`),
  'domain-certificates': (entries: readonly DomainCertificate[]) =>
    entries.map(({ domain, certificateId }) => `${domain}:${certificateId}`),
  labels: (map: Readonly<Record<string, string>>) => Object.entries(map).map(([key, value]) => `${key}=${value}`),
  tags: (map: Readonly<Record<string, string>>) => Object.entries(map).map(([key, value]) => `${key}=${value}`),
};

/** A value that has been read, as conditions compare it. */
export function valuesOf(type: ValueType, value: unknown): Value | readonly Value[] {
  const parts = PARTS[type.kind];
  return parts === undefined ? (value as Value) : parts(value as never);
}

/** Answers what counts of an annotation, or may. */
export type Counting = (view: ServiceView, facts: Facts) => Values;

/**
 * What counts of an annotation: what the load balancer has and no annotation changes, else what is written and can be read, else what
 * its absence leads to. What cannot be read hides nothing: it counts as what is done about it.
 */
export function effectiveValueOf(option: OptionName): Counting {
  const { value: type } = CATALOGUE[option];
  const isWhole = PARTS[type.kind] === undefined;
  const fixed = FIXED[option];
  // Who is silent where the cloud chooses has asked for nothing that could be wrong, whatever it has chosen.
  const isLeftToCloud = fixed !== undefined && defaultOf(option) === undefined;
  const absent = onlyValueWhenAbsent(option);
  const place = OPTION_INDEX.get(option) ?? -1;
  return (view, facts) => {
    const { options, values } = view.parsed;
    const said = values.at(place);
    if (fixed !== undefined && !(isLeftToCloud && said === undefined && options.id === undefined)) {
      const there = loadBalancerOf(view, facts);
      if (there !== undefined) return fixed(there);
    }
    if (said !== undefined) return isWhole ? (said as Value) : valuesOf(type, said);
    return absent === undefined || options.id !== undefined ? ofTheAbsent(option, view, facts) : absent.value;
  };
}

/** The same where it decides whether something else is asked for: then also what the load balancer has that nobody has asked for. */
export function decidingValueOf(option: OptionName, counting: Counting): Counting {
  if (option === 'resourceGroupId')
    return (view, facts) => loadBalancerOf(view, facts)?.resourceGroupId ?? counting(view, facts);
  if (option === 'instanceChargeType')
    return (view, facts) => view.parsed.options.instanceChargeType ?? chargeOf(view, facts);
  return counting;
}
