/** Units of a number. */
export type Unit = 'seconds' | 'Mbit/s' | 'probes';

export interface EnumType<Value extends string = string> {
  readonly kind: 'enum';
  readonly values: readonly Value[];
  /** Upper and lower case are read alike. */
  readonly anyCase?: boolean;
  /** What every other text has always been read as, so that this value in another case is no fault. */
  readonly otherwise?: NoInfer<Value>;
  /** Every other text has no effect and gets a warning. */
  readonly ignoresOthers?: true;
  /** Values that only listeners of some protocols take. */
  readonly only?: Readonly<Partial<Record<Value, readonly Protocol[]>>>;
  /** Values left of older load balancers, which the cloud may deny for a new one. */
  readonly older?: readonly NoInfer<Value>[];
}

/** `on` or `off`. */
export interface FlagType {
  readonly kind: 'flag';
  readonly anyCase?: boolean;
  /** What every other text has always been read as, so that another word for it is no fault. */
  readonly otherwise?: 'off';
}

/** `true` or `false`. */
export interface BooleanType {
  readonly kind: 'boolean';
  /** What every other text has always been read as, so that another word for it is no fault. */
  readonly otherwise?: false;
}

/** Any text means yes. */
export interface FlagValueType {
  readonly kind: 'presence';
  /** The key alone means yes, even with an empty value. */
  readonly emptyCounts?: boolean;
}

/** A whole number, both bounds included. */
export interface IntegerType {
  readonly kind: 'integer';
  readonly min: number;
  readonly max: number;
  /** Numbers outside the range that mean something of their own. */
  readonly also?: readonly number[];
  /** What `also` means. */
  readonly alsoMeans?: string;
  readonly unit?: Unit;
}

export interface TextType {
  readonly kind: 'text';
  /** What may stand there, in words: `an instance id such as lb-bp1hy`. */
  readonly says: string;
  /** The most characters. */
  readonly max: number;
  /** An anchored expression of plain classes, without nesting, so that it cannot backtrack. */
  readonly pattern?: RegExp;
  /** A form that an expression cannot tell without backtracking. */
  readonly format?: 'host-name' | 'ipv4';
  /** Beginnings that are denied. */
  readonly not?: readonly string[];
  /** Values known to work; others are passed on, and may be new. */
  readonly known?: readonly string[];
  /** How values begin that are the user's own, and cannot be known. */
  readonly own?: string;
  /** How values begin that are meant for something else, with what to do instead. */
  readonly others?: readonly { readonly begins: string; readonly fix: string }[];
  /** An id that the cloud has given: one that ends in a row of x was never filled in. */
  readonly isId?: boolean;
}

/** Entries joined by commas. What an entry is, and what it becomes, depends on `kind`. */
interface ListOf<Kind extends string> {
  readonly kind: Kind;
  /** Spaces around entries are dropped rather than denied. */
  readonly trim?: boolean;
}

/** `a,b`: each matching a pattern, or one of some values. */
export interface ListType extends ListOf<'list'> {
  /** What an entry may be, in words. */
  readonly says: string;
  readonly pattern?: RegExp;
  readonly values?: readonly string[];
  /** Entries are ids that the cloud has given. */
  readonly isId?: boolean;
  /** More entries than this are not taken everywhere. */
  readonly usually?: number;
}

export type ProtocolPortsType = ListOf<'protocol-ports'>;
export type PortPairsType = ListOf<'port-pairs'>;
export type GroupPortsType = ListOf<'group-ports'>;
export type DomainCertificatesType = ListOf<'domain-certificates'>;
export type LabelsType = ListOf<'labels'>;
export type TagsType = ListOf<'tags'>;

/** What a value may be, as data; `value.ts` reads texts by it. */
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
export interface DomainCertificate {
  readonly domain: string;
  readonly certificateId: string;
}

interface ValueByKind {
  readonly flag: 'on' | 'off';
  readonly boolean: boolean;
  readonly presence: true;
  readonly integer: number;
  readonly text: string;
  readonly list: readonly string[];
  readonly 'protocol-ports': readonly ProtocolPort[];
  readonly 'port-pairs': readonly PortPair[];
  readonly 'group-ports': readonly GroupPort[];
  readonly 'domain-certificates': readonly DomainCertificate[];
  readonly labels: Readonly<Record<string, string>>;
  readonly tags: Readonly<Record<string, string>>;
}

/** What a text becomes once it has been read. */
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
export const FLAG_VALUE: FlagValueType = { kind: 'presence' };
