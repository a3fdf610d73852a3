import type { FieldErrorReason } from '../base/field-error.ts';
import type { Protocol, ValueOf, ValueType } from './value-type.ts';

/** The object on which an annotation takes effect. */
export type AppliesTo =
  | 'selection'
  | 'load-balancer'
  | 'status'
  | 'listener'
  | 'listener:tcp'
  | 'listener:udp'
  | 'listener:http'
  | 'listener:https'
  | 'server-group'
  | 'backend';

/** The error of an invalid value. `detail` and `remedy` have no full stop. */
export interface ValueError {
  readonly reason: FieldErrorReason;
  readonly detail: string;
  /** The remedy, in the imperative, unless it is obvious from the detail. */
  readonly remedy?: string;
}

/** A parsed value, or an error. A value with an `error` is used and gets a warning, because users may expect another meaning. */
export type ParsedValue<Value> =
  | { readonly ok: true; readonly value: Value; readonly error?: ValueError }
  /** `isIgnored` is set if the text counts as unset, as in the Alibaba Cloud Controller Manager. Such a text only gets a warning. */
  | { readonly ok: false; readonly error: ValueError; readonly isIgnored?: true };

/** The effect of a change while the load balancer exists. */
export type Mutability =
  /** Applied when the load balancer is created. A different value is denied later. */
  | { readonly kind: 'create-only' }
  /** Applied when the load balancer is created. Ignored later. */
  | { readonly kind: 'create-only-unchecked' }
  /** A change is applied in place. */
  | { readonly kind: 'updatable' }
  /** A change is applied in place, under a condition. */
  | { readonly kind: 'updatable-if'; readonly reason: string }
  /** A change is applied by deleting and creating again, which interrupts traffic. */
  | { readonly kind: 'recreates'; readonly reason: string }
  /** A change is denied while a load balancer exists, because the change would orphan the load balancer or replace its address. */
  | { readonly kind: 'fixed'; readonly reason: string };

/** The effect of the annotation on a reused load balancer (annotation `id`). */
export type OnReused =
  /** Applied as on an owned load balancer. */
  | 'applied'
  /** The annotation, if set, must equal the attribute of the load balancer. */
  | 'must-match'
  /** Applied only with `force-override-listeners: "true"`. */
  | 'if-overriding'
  /** The annotation has no effect. */
  | 'ignored'
  /** Applied to reused load balancers, without effect on owned load balancers. */
  | 'only';

/** A dependency between two annotations. */
export interface Relation {
  /** The name of the other option. */
  readonly option: string;
  /** The values of the other option for which the relation holds. Undefined if the relation holds for any value. */
  readonly values?: readonly string[];
  /** The values of the annotation itself for which the relation applies. Undefined if the relation applies to any value. */
  readonly when?: readonly string[];
  /** The protocols of the listeners to which the relation applies. Undefined if the relation applies to any protocol. */
  readonly on?: readonly Protocol[];
  /** The effect of a violation. */
  readonly otherwise:
    /** The cloud or the controller does not accept the value. */
    | 'denied'
    /** The annotation has no effect. */
    | 'no-effect'
    /** The cloud or the controller chooses the value of the other option, which can be unsuitable. */
    | 'chosen';
}

/** An entry of the catalogue, without the keys that follow from the suffix. */
export interface Description<Type extends ValueType = ValueType> {
  /** The part of the key after `service.beta.kubernetes.io/alibaba-cloud-loadbalancer-`. */
  readonly suffix: string;
  readonly value: Type;
  /** The value that the controller requests at creation if the annotation is unset. Undefined if the controller requests no value. */
  readonly default?: ValueOf<Type>;
  /** The meaning of an unset annotation, if no value can express it. */
  readonly absent?: string;
  /** The value that the cloud chooses if the controller requests no value. */
  readonly cloudDefault?: ValueOf<Type>;
  /** The cloud's default on listeners of these protocols, if it differs from `cloudDefault`. */
  readonly cloudDefaultOn?: Readonly<Partial<Record<Protocol, ValueOf<Type>>>>;
  readonly mutability: Mutability;
  readonly appliesTo: readonly AppliesTo[];
  readonly onReused: OnReused;
  readonly requires?: readonly Relation[];
  readonly conflicts?: readonly Relation[];
  /** Sentences for the reference page. */
  readonly doc: string;
  /** A valid value. */
  readonly example: string;
  /** The first release of the Alibaba Cloud Controller Manager with the annotation (`v…`), or the first release of Portcullis. */
  readonly since: string;
  /** The camel case spelling that release 1.9.3 of the Alibaba Cloud Controller Manager accepted, if the suffix does not determine the spelling. */
  readonly camelCase?: string;
}

/** An annotation with all its keys. The files in `catalogue/` define the annotations with `annotation` of `keys.ts`. */
export interface OptionDefinition<Type extends ValueType = ValueType> extends Description<Type> {
  readonly key: string;
  /** All other keys that are read, in order of precedence. `key` takes precedence over all of these keys, even with an empty value. */
  readonly deprecated: readonly string[];
}

/** Returns the protocols of the listeners to which an annotation applies. Returns an empty list if the annotation applies to all protocols. */
export const protocolsOf = (entry: Pick<Description, 'appliesTo'>): readonly string[] =>
  entry.appliesTo.filter((scope) => scope.startsWith('listener:')).map((scope) => scope.slice('listener:'.length));
