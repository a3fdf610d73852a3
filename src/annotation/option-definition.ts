import type { Protocol, ValueOf, ValueType } from './value-type.ts';

/** Where an annotation takes effect. */
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

/** Why a text is not a value: what may stand there, and what to do about it, without full stops. */
export interface ValueError {
  readonly allowed: string;
  readonly fix: string;
}

/**
 * `fault` beside a value: it is read as it has always been read, because what works is not denied, but a person may
 * think that it says something else.
 */
export type ParsedValue<Value> =
  | { readonly ok: true; readonly value: Value; readonly fault?: ValueError }
  /** `isPassedOver`: it has always been read as if it were not there, so it is no reason to deny. */
  | { readonly ok: false; readonly fault: ValueError; readonly isPassedOver?: true };

/** May it change while the load balancer lives? */
export type Mutability =
  /** Honoured when the load balancer is created; a different value later is denied. */
  | { readonly kind: 'create-only' }
  /** Honoured when the load balancer is created; later it is never looked at again. */
  | { readonly kind: 'create-only-unchecked' }
  /** A change is carried out in place. */
  | { readonly kind: 'updatable' }
  /** A change is carried out in place, but only under a condition. */
  | { readonly kind: 'updatable-if'; readonly reason: string }
  /** A change is carried out by deleting and creating again, which interrupts traffic. */
  | { readonly kind: 'recreates'; readonly reason: string }
  /** A change would leave a load balancer behind or cost the address; it is denied once there is one. */
  | { readonly kind: 'fixed'; readonly reason: string };

/** What the annotation means when the load balancer is one that the user brought (`loadbalancer-id`). */
export type OnReused =
  /** As on an owned one. */
  | 'applied'
  /** If set, it must equal what the load balancer has. */
  | 'must-match'
  /** Only with `force-override-listeners: "true"`. */
  | 'if-overriding'
  /** It is not looked at. */
  | 'ignored'
  /** It exists for reused load balancers, and means nothing on others. */
  | 'only';

/** How one annotation hangs together with another. */
export interface Relation {
  /** Name of the other option. */
  readonly option: string;
  /** The other option's values that are meant; any when absent. */
  readonly values?: readonly string[];
  /** The relation holds only while this annotation has one of these values. */
  readonly when?: readonly string[];
  /** The relation holds only on listeners of these protocols. */
  readonly on?: readonly Protocol[];
  /**
   * What comes of breaking it: the cloud or the controller denies, or the annotation has no effect, or the cloud or the
   * controller chooses the other by itself, which may not fit.
   */
  readonly otherwise: 'denied' | 'no-effect' | 'chosen';
}

/** What a family of the catalogue says of an annotation. */
export interface Description<Type extends ValueType = ValueType> {
  /** What follows `service.beta.kubernetes.io/alibaba-cloud-loadbalancer-` in the key. */
  readonly suffix: string;
  readonly value: Type;
  /** What the controller asks for when the annotation is absent on creation. Absent: nothing is asked for. */
  readonly default?: ValueOf<Type>;
  /** What absence means, where a value cannot say it. */
  readonly absent?: string;
  /** What the cloud takes when nothing is asked for. */
  readonly cloudDefault?: ValueOf<Type>;
  /** The cloud's default on listeners of these protocols, if it differs from `cloudDefault`. */
  readonly cloudDefaultOn?: Readonly<Partial<Record<Protocol, ValueOf<Type>>>>;
  readonly mutability: Mutability;
  readonly appliesTo: readonly AppliesTo[];
  readonly onReused: OnReused;
  readonly requires?: readonly Relation[];
  readonly conflicts?: readonly Relation[];
  /** One or more sentences for the reference page. */
  readonly doc: string;
  /** A valid value. */
  readonly example: string;
  /** The first release of the Go controller that read it (`v…`), or of Portcullis, for one of its own. */
  readonly since: string;
  /** The spelling of 2017, where it does not follow from the suffix. */
  readonly camelCase?: string;
}

/** One annotation. */
export interface OptionDefinition<Type extends ValueType = ValueType> extends Description<Type> {
  readonly key: string;
  /** Every other key that is read, the one that wins first. All of them lose to `key`, even to an empty one. */
  readonly deprecated: readonly string[];
}
