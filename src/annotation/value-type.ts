/** The unit of a number. */
export type Unit = 'seconds' | 'Mbit/s' | 'probes';

/** A set of words. */
export interface EnumType<Value extends string = string> {
  readonly kind: 'enum';
  readonly values: readonly Value[];
  /** True if values in upper and lower case are equivalent. */
  readonly anyCase?: boolean;
  /** The value that the Alibaba Cloud Controller Manager uses for every other text. */
  readonly otherwise?: NoInfer<Value>;
  /** Set if every other text has no effect and gets a warning. */
  readonly ignoresOthers?: true;
  /** The protocols of listeners, for values that not all listeners support. */
  readonly only?: Readonly<Partial<Record<Value, readonly Protocol[]>>>;
  /** Values of older load balancers, which the cloud may reject for a new load balancer. */
  readonly older?: readonly NoInfer<Value>[];
}

/** A flag: `on` or `off`. */
export interface FlagType {
  readonly kind: 'flag';
  readonly anyCase?: boolean;
  /** The value that every other text has in the Alibaba Cloud Controller Manager; in Portcullis, only words such as `no`, with a warning. */
  readonly otherwise?: 'off';
}

/** A boolean: `true` or `false`. */
export interface BooleanType {
  readonly kind: 'boolean';
  /** The value that every other text has in the Alibaba Cloud Controller Manager; in Portcullis, only words such as `no`, with a warning. */
  readonly otherwise?: false;
}

/** An annotation that any text turns on. */
export interface FlagValueType {
  readonly kind: 'present';
  /** True if an empty value turns the option on too. */
  readonly emptyIsEffective?: boolean;
}

/** A whole number. Both bounds are inclusive. */
export interface IntegerType {
  readonly kind: 'integer';
  readonly min: number;
  readonly max: number;
  /** Valid numbers outside the range, with a special meaning. */
  readonly also?: readonly number[];
  /** The meaning of `also`, in words. */
  readonly alsoMeans?: string;
  readonly unit?: Unit;
}

/** A text, with the rules for its format. */
export interface TextType {
  readonly kind: 'text';
  /** The allowed values, in words: `an instance id such as lb-bp1hy`. */
  readonly description: string;
  /** The maximum length, in characters. */
  readonly max: number;
  /** An anchored expression without nested repetition, so that a long value takes little time. */
  readonly pattern?: RegExp;
  /** A format that needs more than a regular expression. */
  readonly format?: 'host-name' | 'ipv4';
  /** Prefixes that are denied. */
  readonly not?: readonly string[];
  /** The known values. Other values get a warning and go to the cloud, which may support new values. */
  readonly known?: readonly string[];
  /** The prefix of values that users define, which get no warning. */
  readonly own?: string;
  /** Prefixes of values with another purpose, with the fix. */
  readonly others?: readonly { readonly begins: string; readonly fix: string }[];
  /** True if the value is an id from the cloud. A placeholder that ends in a row of x is denied. */
  readonly isId?: boolean;
}

/** A list with entries separated by commas. `kind` defines the form and the type of an entry. */
interface ListOf<Kind extends string> {
  readonly kind: Kind;
  /** True if spaces around entries are removed. False if spaces around entries are denied. */
  readonly trim?: boolean;
}

/** A list `a,b` whose entries match a pattern or are in a set of values. */
export interface ListType extends ListOf<'list'> {
  /** The allowed entries, in words. */
  readonly description: string;
  readonly pattern?: RegExp;
  readonly values?: readonly string[];
  /** True if entries are ids from the cloud. */
  readonly isId?: boolean;
  /** The maximum number of entries in most regions. */
  readonly usually?: number;
}

export type ProtocolPortsType = ListOf<'protocol-ports'>;
export type PortPairsType = ListOf<'port-pairs'>;
export type GroupPortsType = ListOf<'group-ports'>;
export type DomainCertificatesType = ListOf<'domain-certificates'>;
export type LabelsType = ListOf<'labels'>;
export type TagsType = ListOf<'tags'>;

/** The type of an annotation value, as data. Every catalogue entry has a type, and `value-readers.ts` returns the parser for each type. */
export type ValueType =
  | EnumType
  | FlagType
  | BooleanType
  | FlagValueType
  | IntegerType
  | TextType
  | ListType
  | ProtocolPortsType
  | PortPairsType
  | GroupPortsType
  | DomainCertificatesType
  | LabelsType
  | TagsType;

export type Protocol = 'tcp' | 'udp' | 'http' | 'https';
export interface ProtocolPort {
  readonly protocol: Protocol;
  readonly port: number;
}
export interface PortPair {
  readonly from: number;
  readonly to: number;
}
export interface GroupPort {
  readonly serverGroupId: string;
  readonly port: number;
}
export interface DomainCertificateEntry {
  readonly domain: string;
  readonly certificateId: string;
}

interface ValueByKind {
  readonly flag: 'on' | 'off';
  readonly boolean: boolean;
  readonly present: true;
  readonly integer: number;
  readonly text: string;
  readonly list: readonly string[];
  readonly 'protocol-ports': readonly ProtocolPort[];
  readonly 'port-pairs': readonly PortPair[];
  readonly 'group-ports': readonly GroupPort[];
  readonly 'domain-certificates': readonly DomainCertificateEntry[];
  readonly labels: Readonly<Record<string, string>>;
  readonly tags: Readonly<Record<string, string>>;
}

/** The parsed form of a value. */
export type ValueOf<Type extends ValueType> =
  Type extends EnumType<infer Value>
    ? Value
    : Type extends { readonly kind: infer Kind extends keyof ValueByKind }
      ? ValueByKind[Kind]
      : never;

export const oneOf = <const Values extends readonly [string, ...string[]]>(
  ...values: Values
): EnumType<Values[number]> => ({ kind: 'enum', values });

export const integer = (min: number, max: number, unit?: Unit): IntegerType => ({
  kind: 'integer',
  min,
  max,
  ...(unit && { unit }),
});

export const FLAG: FlagType = { kind: 'flag' };
export const BOOLEAN: BooleanType = { kind: 'boolean' };
export const FLAG_VALUE: FlagValueType = { kind: 'present' };
