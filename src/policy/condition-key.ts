import { CATALOGUE, ENTRIES, type OptionName } from '../annotation/catalogue.ts';
import { annotationField } from '../annotation/annotation-field-path.ts';
import { OPTION_INDEX } from '../annotation/parsed-values.ts';
import { suffixOf } from '../annotation/keys.ts';
import type { ValueType } from '../annotation/value-type.ts';
import type { AttributeKey } from '../clb/guards/blockable-attributes.ts';
import { listenerProtocols } from '../clb/desired/protocols.ts';
import type { Facts } from '../inventory/facts.ts';
import type { TagStatus } from '../inventory/custom-resources.ts';
import {
  effectiveValueOf,
  decidingValueOf,
  UNKNOWN,
  type ServiceView,
  type EffectiveValue,
  type Values,
} from './effective-value.ts';
import type { ConditionKeyName as KeySpec, ServiceField } from './custom-resources.ts';
import type { Tristate } from './three-valued-logic.ts';

/** A field of a Service and its value. `found` is empty if the field is not set. */
export interface FieldLocation {
  readonly field: string;
  readonly found: string;
}

/** An attribute that a condition can name: annotation, tag, field, or tag of the reused load balancer. */
export interface ConditionKey {
  /** The identity of the attribute, such as `annotation/spec` or `tag/team`. */
  readonly key: string;
  /** The name in messages. */
  readonly name: string;
  /** The annotation. Undefined for tags and fields. */
  readonly option?: OptionName;
  /** The index of the annotation in `OPTION_INDEX`. */
  readonly optionIndex?: number;
  /** The type of the values. Undefined if any text is valid. */
  readonly type?: ValueType;
  /** Returns the effective values, for conditions in the `require` of a constraint. */
  valuesOf(view: ServiceView, facts: Facts): Values;
  /** Returns the effective values, for conditions in the `when` of a constraint or a default. If the function is undefined, `valuesOf` applies. */
  decidingValuesOf?(view: ServiceView, facts: Facts): Values;
  /** Returns whether the value is set. Returns undefined if the answer is unknown. */
  isPresent(view: ServiceView, facts: Facts): Tristate;
  /** Returns the field of the value with this index. */
  locationOf(view: ServiceView, index: number): FieldLocation;
  /** Returns the load balancer attribute that the value sets. Returns undefined if the value affects only backends. */
  attributeOf(view: ServiceView, index: number): AttributeKey | undefined;
}

/** The annotations that a policy can name, by suffix. Annotations that select another controller are excluded. */
export const OPTIONS: ReadonlyMap<string, OptionName> = new Map(
  ENTRIES.filter(([, { appliesTo }]) => !appliesTo.includes('selection')).map(([option, { key }]) => [
    suffixOf(key),
    option,
  ]),
);

function optionLocation(option: OptionName, { object, parsed }: ServiceView): FieldLocation {
  const key = parsed.keys.get(option);
  return {
    field: annotationField(key ?? CATALOGUE[option].key),
    found: key === undefined ? '' : (object.metadata.annotations?.[key] ?? ''),
  };
}

function ofAnnotation(suffix: string): ConditionKey {
  const option = OPTIONS.get(suffix);
  if (option === undefined) throw new RangeError(`there is no annotation ${JSON.stringify(suffix)}`);
  const optionIndex = OPTION_INDEX.get(option) ?? -1;
  const valuesOf = effectiveValueOf(option);
  return {
    key: `annotation/${suffix}`,
    name: suffix,
    option,
    optionIndex,
    type: CATALOGUE[option].value,
    valuesOf,
    decidingValuesOf: decidingValueOf(option, valuesOf),
    isPresent: ({ parsed }) => parsed.values.at(optionIndex) !== undefined,
    locationOf: (view) => optionLocation(option, view),
    attributeOf: () => `annotation/${option}`,
  };
}

const valueAt = (map: Readonly<Record<string, string>>, key: string): string | undefined =>
  Object.hasOwn(map, key) ? map[key] : undefined;

const NO_TAGS: Readonly<Record<string, string>> = {};

/** Returns the tags that a Service requests. Returns no tags if the annotation is invalid. */
const tagsOf = ({ parsed }: ServiceView): Readonly<Record<string, string>> =>
  parsed.options.additionalResourceTags ?? NO_TAGS;

function ofTag(key: string): ConditionKey {
  const valueOf = (view: ServiceView): string | undefined => valueAt(tagsOf(view), key);
  return {
    key: `tag/${key}`,
    name: `tag ${key}`,
    valuesOf: valueOf,
    isPresent: (view) => valueOf(view) !== undefined,
    locationOf: (view) => {
      const value = valueOf(view);
      const { field } = optionLocation('additionalResourceTags', view);
      return { field, found: value === undefined ? '' : `${key}=${value}` };
    },
    attributeOf: () => `tag/${key}`,
  };
}

/** Returns the tags of the reused load balancer. Returns undefined if no load balancer is reused or its tags are unknown. */
function tagsOfReused({ parsed }: ServiceView, facts: Facts): readonly TagStatus[] | undefined {
  const { id } = parsed.options;
  const status = id === undefined ? undefined : facts.loadBalancer(id);
  return status?.owner === 'user' ? status.tags : undefined;
}

function ofReusedTag(tag: string): ConditionKey {
  const hasTag = ({ key }: TagStatus): boolean => key === tag;
  return {
    key: `reusedTag/${tag}`,
    name: `tag ${tag} of the load balancer`,
    valuesOf: (view, facts) => {
      const tags = tagsOfReused(view, facts);
      return tags === undefined && view.parsed.options.id !== undefined ? UNKNOWN : tags?.find(hasTag)?.value;
    },
    isPresent: (view, facts) => tagsOfReused(view, facts)?.some(hasTag),
    locationOf: (view) => optionLocation('id', view),
    attributeOf: () => 'annotation/id',
  };
}

const PROTOCOLS: ValueType = { kind: 'enum', values: ['tcp', 'udp', 'http', 'https'] };
const TRAFFIC: ValueType = { kind: 'enum', values: ['Cluster', 'Local'] };

/** Returns the protocol of each port. Returns undefined if the controller does not manage the listeners. */
function protocolsIn({ object, parsed }: ServiceView): readonly EffectiveValue[] | undefined {
  const { options } = parsed;
  if (options.id !== undefined && options.forceOverrideListeners !== true) return undefined;
  const ports = object.spec?.ports ?? [];
  const protocolOf = listenerProtocols(ports, options);
  return ports.map((port) => protocolOf(port) ?? '');
}

/** The protocols of each Service, cached because every port with a violation reads the list again. */
const KNOWN_PROTOCOLS = new WeakMap<ServiceView, ReturnType<typeof protocolsIn>>();

function protocolsOf(view: ServiceView): readonly EffectiveValue[] | undefined {
  if (!KNOWN_PROTOCOLS.has(view)) KNOWN_PROTOCOLS.set(view, protocolsIn(view));
  return KNOWN_PROTOCOLS.get(view);
}

const FIELDS: Readonly<Record<ServiceField, Omit<ConditionKey, 'key' | 'name' | 'isPresent'>>> = {
  port: {
    type: { kind: 'integer', min: 1, max: 65_535 },
    valuesOf: ({ object }) => (object.spec?.ports ?? []).map(({ port }) => port),
    locationOf: ({ object }, index) => ({
      field: `spec.ports[${index}].port`,
      found: String(object.spec?.ports?.[index]?.port ?? ''),
    }),
    attributeOf: ({ object }, index) => `port/${object.spec?.ports?.[index]?.port ?? 0}`,
  },
  protocol: {
    type: PROTOCOLS,
    valuesOf: protocolsOf,
    locationOf: (view, index) => ({
      field: `spec.ports[${index}].protocol`,
      found: String(protocolsOf(view)?.[index] ?? ''),
    }),
    attributeOf: ({ object }, index) => `protocol/${object.spec?.ports?.[index]?.port ?? 0}`,
  },
  externalTrafficPolicy: {
    type: TRAFFIC,
    valuesOf: ({ object }) => object.spec?.externalTrafficPolicy ?? 'Cluster',
    locationOf: ({ object }) => ({
      field: 'spec.externalTrafficPolicy',
      found: object.spec?.externalTrafficPolicy ?? '',
    }),
    attributeOf: () => undefined,
  },
};

function ofField(field: ServiceField): ConditionKey {
  if (!Object.hasOwn(FIELDS, field)) throw new RangeError(`there is no field ${JSON.stringify(field)}`);
  const definition = FIELDS[field];
  const isPresent = (view: ServiceView, facts: Facts): Tristate => {
    const values = definition.valuesOf(view, facts);
    return values !== undefined && (!Array.isArray(values) || values.length > 0);
  };
  return { ...definition, key: `field/${field}`, name: field, isPresent };
}

/** Returns the condition key that a condition names. Throws `RangeError` with a readable message if the key does not exist. */
export function conditionKeyOf({ annotation, tag, reusedTag, field }: KeySpec): ConditionKey {
  if (annotation !== undefined) return ofAnnotation(annotation);
  if (tag !== undefined) return ofTag(tag);
  if (reusedTag !== undefined) return ofReusedTag(reusedTag);
  if (field !== undefined) return ofField(field);
  throw new RangeError('a condition requires one of annotation, tag, reusedTag and field');
}
