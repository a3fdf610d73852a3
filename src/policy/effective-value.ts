import { CATALOGUE, type OptionName } from '../annotation/catalogue.ts';
import { defaultOf, hasProtocolDefaults, listenerDefaultOf } from '../annotation/default-lookup.ts';
import type { OptionDefinition } from '../annotation/option-definition.ts';
import { OPTION_INDEX } from '../annotation/parsed-values.ts';
import type { ParsedAnnotations } from '../annotation/parse.ts';
import type { DomainCertificateEntry, GroupPort, PortPair, ProtocolPort, ValueType } from '../annotation/value-type.ts';
import { listenerProtocols } from '../clb/desired/protocols.ts';
import { isPublished } from '../clb/model/provisioning-evidence.ts';
import type { Facts, KnownLoadBalancer } from '../inventory/facts.ts';
import type { Service } from '../base/kubernetes-objects.ts';

/** A Service with its parsed annotations. */
export interface ServiceView {
  readonly object: Service;
  readonly parsed: ParsedAnnotations;
  /** The stored Service. Undefined on creation, and if the evaluation ignores the stored Service. */
  readonly before?: ServiceView;
}

/** A value in the form that conditions compare. */
export type EffectiveValue = string | number | boolean;
/** Stands for a value that exists, but that Portcullis does not know. */
export const UNKNOWN: unique symbol = Symbol('unknown');
/** No value, a single value, several values, or an unknown value. */
export type Values = EffectiveValue | readonly EffectiveValue[] | undefined | typeof UNKNOWN;

/** Attributes of an existing load balancer that no annotation changes. */
const FIXED: Readonly<Partial<Record<OptionName, (loadBalancer: KnownLoadBalancer) => string>>> = {
  addressType: ({ addressType }) => addressType,
  resourceGroupId: ({ resourceGroupId }) => resourceGroupId,
  ipVersion: ({ ipVersion }) => ipVersion,
};

/** Returns the user-managed load balancer that a Service names. If the Service names none, returns the owned load balancer. */
function loadBalancerOf({ object, parsed }: ServiceView, facts: Facts): KnownLoadBalancer | undefined {
  const { id } = parsed.options;
  if (id === undefined) return facts.ownedBy(object);
  const named = facts.loadBalancer(id);
  return named?.owner === 'user' ? named : undefined;
}

/** Returns the charge type that applies without the annotation. */
function chargeOf(view: ServiceView, facts: Facts): 'PayBySpec' | 'PayByCLCU' | typeof UNKNOWN | undefined {
  const { id, chargeType } = view.parsed.options;
  const known = loadBalancerOf(view, facts)?.instanceChargeType;
  if (known !== undefined) return known;
  // The annotations at the creation of the load balancer may have been different, so they do not prove its charge type.
  if (id !== undefined || isPublished(view.object)) return UNKNOWN;
  return chargeType === 'paybybandwidth' ? 'PayBySpec' : CATALOGUE.instanceChargeType.default;
}

/** The specification of a load balancer of type PayBySpec if the Service requests none. */
const LEAST_SPEC = 'slb.s1.small';

/** Returns the default of an option. Returns several values if the default differs between the protocols of the listeners. */
function defaultFor(option: OptionName, { object, parsed }: ServiceView): Values {
  if (!hasProtocolDefaults(option)) return defaultOf(option) as EffectiveValue | undefined;
  const ports = object.spec?.ports ?? [];
  const protocolOf = listenerProtocols(ports, parsed.options);
  const protocols = new Set(ports.flatMap((port) => protocolOf(port) ?? []));
  const values = [...protocols].map((protocol) => listenerDefaultOf(option, protocol) as EffectiveValue);
  return [...new Set(values)];
}

/** Returns the effective value of an unset annotation on a reused load balancer. Only managed listeners have the usual defaults. */
function unsetValueOnReused(option: OptionName, view: ServiceView): Values {
  const { options } = view.parsed;
  if (FIXED[option] !== undefined) return UNKNOWN;
  const { onReused }: OptionDefinition = CATALOGUE[option];
  return onReused === 'if-overriding' && options.forceOverrideListeners === true ? defaultFor(option, view) : undefined;
}

/** Returns the effective value of an unset annotation. Returns undefined if the annotation has no default. */
function unsetValue(option: OptionName, view: ServiceView, facts: Facts): Values {
  const { options } = view.parsed;
  if (option === 'backendType') return facts.cluster()?.backendType ?? UNKNOWN;
  if (options.id !== undefined) return unsetValueOnReused(option, view);
  if (option === 'instanceChargeType') return chargeOf(view, facts);
  if (option !== 'spec') return defaultFor(option, view);
  const charge = options.instanceChargeType ?? chargeOf(view, facts);
  if (charge === UNKNOWN) return UNKNOWN;
  return charge === 'PayBySpec' ? LEAST_SPEC : undefined;
}

/** Annotations whose default depends on other fields of the Service, on its load balancer, or on the cluster. */
const DEPENDING: ReadonlySet<OptionName> = new Set([
  ...(Object.keys(FIXED) as OptionName[]),
  ...(['instanceChargeType', 'spec', 'backendType'] as const),
]);

/** Returns the effective value of an unset annotation. Returns undefined if the value can differ between Services. */
export const onlyValueWhenAbsent = (option: OptionName): { readonly value: EffectiveValue | undefined } | undefined =>
  DEPENDING.has(option) || hasProtocolDefaults(option)
    ? undefined
    : { value: defaultOf(option) as EffectiveValue | undefined };

/** Returns whether a valid annotation value is always the effective value. */
export const isEffectiveAsWritten = (option: OptionName): boolean => FIXED[option] === undefined;

/** Functions that split a value with several parts into texts, by kind of type. */
const PARTS: Readonly<Partial<Record<ValueType['kind'], (value: never) => readonly EffectiveValue[]>>> = {
  list: (entries: readonly string[]) => entries,
  'protocol-ports': (entries: readonly ProtocolPort[]) => entries.map(({ protocol, port }) => `${protocol}:${port}`),
  'port-pairs': (entries: readonly PortPair[]) => entries.map(({ from, to }) => `${from}:${to}`),
  'group-ports': (entries: readonly GroupPort[]) =>
    entries.map(({ serverGroupId, port }) => `${serverGroupId}:${port}`),
  'domain-certificates': (entries: readonly DomainCertificateEntry[]) =>
    entries.map(({ domain, certificateId }) => `${domain}:${certificateId}`),
  labels: (map: Readonly<Record<string, string>>) => Object.entries(map).map(([key, value]) => `${key}=${value}`),
  tags: (map: Readonly<Record<string, string>>) => Object.entries(map).map(([key, value]) => `${key}=${value}`),
};

/** Converts a parsed value to the values that conditions compare. */
export function valuesOf(type: ValueType, value: unknown): EffectiveValue | readonly EffectiveValue[] {
  const parts = PARTS[type.kind];
  return parts === undefined ? (value as EffectiveValue) : parts(value as never);
}

/** A function that returns the effective values of an annotation. */
export type ValueFunction = (view: ServiceView, facts: Facts) => Values;

/** Returns a function for the effective value: fixed attribute of the load balancer, else valid annotation, else default. */
export function effectiveValueOf(option: OptionName): ValueFunction {
  const { value: type } = CATALOGUE[option];
  const isWhole = PARTS[type.kind] === undefined;
  const fixed = FIXED[option];
  // A value that the cloud chooses is no violation of the Service.
  const isLeftToCloud = fixed !== undefined && defaultOf(option) === undefined;
  const absent = onlyValueWhenAbsent(option);
  const optionIndex = OPTION_INDEX.get(option) ?? -1;
  return (view, facts) => {
    const { options, values } = view.parsed;
    const written = values.at(optionIndex);
    if (fixed !== undefined && !(isLeftToCloud && written === undefined && options.id === undefined)) {
      const there = loadBalancerOf(view, facts);
      if (there !== undefined) return fixed(there);
    }
    if (written !== undefined) return isWhole ? (written as EffectiveValue) : valuesOf(type, written);
    return absent === undefined || options.id !== undefined ? unsetValue(option, view, facts) : absent.value;
  };
}

/** Returns a function for the values in `when` conditions, which include attributes of the load balancer that the Service did not request. */
export function decidingValueOf(option: OptionName, valueFunction: ValueFunction): ValueFunction {
  if (option === 'resourceGroupId')
    return (view, facts) => loadBalancerOf(view, facts)?.resourceGroupId ?? valueFunction(view, facts);
  if (option === 'instanceChargeType')
    return (view, facts) => view.parsed.options.instanceChargeType ?? chargeOf(view, facts);
  return valueFunction;
}
