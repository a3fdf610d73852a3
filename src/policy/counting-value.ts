import { CATALOGUE, type OptionName } from '../annotation/catalogue.ts';
import type { Entry } from '../annotation/entry.ts';
import { PLACES } from '../annotation/found-options.ts';
import type { Parsed } from '../annotation/parse.ts';
import type { DomainCertificate, GroupPort, PortPair, ProtocolPort, ValueType } from '../annotation/value-type.ts';
import type { Facts } from '../inventory/facts.ts';
import type { Service } from '../objects.ts';

/** A Service, and its annotations read. */
export interface ServiceView {
  readonly object: Service;
  readonly parsed: Parsed;
}

/** One value, as conditions compare it. */
export type Value = string | number | boolean;
/** What there is of something: nothing, one value, or several. */
export type Values = Value | readonly Value[] | undefined;

/** The annotations that change nothing of a load balancer that is reused. */
const OF_THE_REUSED: ReadonlySet<OptionName> = new Set(['addressType', 'resourceGroupId', 'ipVersion'] as const);

/** What a load balancer that is reused has already, and no annotation changes. */
function ofTheReused(option: OptionName, id: string, facts: Facts): Value | undefined {
  const status = facts.loadBalancer(id);
  if (status?.owner !== 'nobody') return undefined;
  switch (option) {
    case 'addressType':
      return status.addressType;
    case 'resourceGroupId':
      return status.resourceGroupId;
    case 'ipVersion':
      return status.ipVersion;
    default:
      return undefined;
  }
}

/** What one is paid for by of which nothing is said: one that is there may have been made when that was something else. */
function chargeOf({ object, parsed }: ServiceView): 'PayBySpec' | 'PayByCLCU' | undefined {
  if ((object.status?.loadBalancer?.ingress ?? []).length > 0) return undefined;
  return parsed.options.chargeType === 'paybybandwidth' ? 'PayBySpec' : CATALOGUE.instanceChargeType.default;
}

/** The specification that one gets which asks for none. */
const LEAST_SPEC = 'slb.s1.small';

/** What counts of an annotation that is not there; absent where nothing does, or where it cannot be known. */
function ofTheAbsent(option: OptionName, view: ServiceView, facts: Facts): Value | undefined {
  const { options } = view.parsed;
  if (options.id !== undefined) return ofTheReused(option, options.id, facts);
  switch (option) {
    case 'instanceChargeType':
      return chargeOf(view);
    case 'spec':
      return (options.instanceChargeType ?? chargeOf(view)) === 'PayBySpec' ? LEAST_SPEC : undefined;
    case 'backendType':
      return facts.cluster()?.backendType;
    default: {
      const { default: own, cloudDefault }: Entry = CATALOGUE[option];
      return (own ?? cloudDefault) as Value | undefined;
    }
  }
}

/** What counts of these where they are absent depends on the rest of the Service, on a load balancer that is reused, or on the cluster. */
const DEPENDING: ReadonlySet<OptionName> = new Set([
  ...OF_THE_REUSED,
  ...(['instanceChargeType', 'spec', 'backendType'] as const),
]);

/** The only value that may count of an annotation that is absent, if any does; absent where it may be one or another. */
export function onlyValueWhenAbsent(option: OptionName): { readonly value: Value | undefined } | undefined {
  const { default: own, cloudDefault }: Entry = CATALOGUE[option];
  return DEPENDING.has(option) ? undefined : { value: (own ?? cloudDefault) as Value | undefined };
}

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
export function valuesOf(type: ValueType, value: unknown): Values {
  const parts = PARTS[type.kind];
  return parts === undefined ? (value as Value) : parts(value as never);
}

/**
 * Answers what counts of an annotation: what a reused load balancer has and no annotation changes, else what is written and can be read, else what
 * its absence leads to. What cannot be read hides nothing: it counts as what is done about it. Nothing where that cannot be known.
 */
export function countingValueOf(option: OptionName): (view: ServiceView, facts: Facts) => Values {
  const { value: type } = CATALOGUE[option];
  const isWhole = PARTS[type.kind] === undefined;
  const isFixed = OF_THE_REUSED.has(option);
  const place = PLACES.get(option) ?? -1;
  return (view, facts) => {
    const { options, values } = view.parsed;
    const fixed = isFixed && options.id !== undefined ? ofTheReused(option, options.id, facts) : undefined;
    if (fixed !== undefined) return fixed;
    const said = values.at(place);
    if (said !== undefined) return isWhole ? (said as Value) : valuesOf(type, said);
    return ofTheAbsent(option, view, facts);
  };
}
