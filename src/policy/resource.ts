import { API_GROUP, API_VERSION } from '../inventory/resource.ts';
import type { KubernetesObject, Resource } from '../base/objects.ts';

/** The effect of a violation. */
export type Mode = 'enforce' | 'warn' | 'audit';

export type PolicyOperation = 'CREATE' | 'UPDATE';

/** A `meta/v1` LabelSelector. All requirements must match; an empty selector selects everything. */
export interface LabelSelector {
  readonly matchLabels?: Readonly<Record<string, string>>;
  readonly matchExpressions?: readonly {
    readonly key: string;
    readonly operator: 'In' | 'NotIn' | 'Exists' | 'DoesNotExist';
    readonly values?: readonly string[];
  }[];
}

/** The Services and requests that a policy selects. An undefined field selects all. */
export interface PolicyMatch {
  readonly namespaceSelector?: LabelSelector;
  /** Selects by the labels of the Service. The owner of the Service may change them: they do not isolate tenants. */
  readonly serviceSelector?: LabelSelector;
  readonly operations?: readonly PolicyOperation[];
}

/** The mode of a rule, and the date from which the rule denies. */
export interface Enforcement {
  /** Defaults to `enforce`. */
  readonly mode?: Mode;
  /** RFC 3339. A rule in mode `enforce` warns until this date, and the warning names it. */
  readonly enforceAfter?: string;
}

export interface RuleTuning extends Enforcement {
  /** Name of a built-in rule that is tunable. */
  readonly rule: string;
}

/** Fields of a Service and its listeners. `port` and `protocol` have a value for each port. */
export type ServiceField = 'port' | 'protocol' | 'externalTrafficPolicy';

/** The key of a condition. Exactly one field is set. */
export interface ConditionKeyName {
  /** The part of an annotation key after `alibaba-cloud-loadbalancer-`. The effective value is compared, defaults included. */
  readonly annotation?: string;
  /** The key of a tag in the annotation `additional-resource-tags`. Its value is compared. */
  readonly tag?: string;
  /** The key of a tag of the reused load balancer. The value is unknown until the load balancer is known. */
  readonly reusedTag?: string;
  readonly field?: ServiceField;
}

/**
 * A condition on a Service. All of its fields must hold.
 * Texts may contain `*` for any characters, and `${cluster}`, `${namespace}` and `${name}`.
 */
export interface Condition extends ConditionKeyName {
  /** Whether a user or a default of a policy must set the value, or must not. */
  readonly present?: boolean;
  readonly oneOf?: readonly string[];
  readonly noneOf?: readonly string[];
  readonly min?: number;
  readonly max?: number;
}

export interface Constraint extends Enforcement {
  readonly name: string;
  /** The reason or the fix, for users whose requests are denied. */
  readonly message?: string;
  /** The constraint applies if all of these hold. A condition holds if one of several values matches; without values it does not hold. */
  readonly when?: readonly Condition[];
  /** Each condition that does not hold is a violation. All of several values must match; without values the condition holds. */
  readonly require: readonly Condition[];
}

/** A default for new Services that do not set the annotation. */
export interface PolicyDefault {
  readonly annotation: string;
  /** May contain `${cluster}`, `${namespace}` and `${name}`. */
  readonly value: string;
  readonly when?: readonly Condition[];
}

/** A dimension that quotas count. Bandwidth is in Mbit/s and counts public load balancers that are paid by bandwidth. */
export type QuotaDimension = 'loadBalancers' | 'publicLoadBalancers' | 'listeners' | 'bandwidth';

/** Amounts by dimension. */
export type QuotaAmounts = Readonly<Partial<Record<QuotaDimension, number>>>;

export interface Quota extends Enforcement, QuotaAmounts {
  readonly name: string;
  /** `namespace`: each selected namespace has its own limit. `policy`: all selected namespaces share the limit. */
  readonly per: 'namespace' | 'policy';
}

export interface LoadBalancerPolicySpec {
  readonly match?: PolicyMatch;
  readonly rules?: readonly RuleTuning[];
  readonly constraints?: readonly Constraint[];
  readonly defaults?: readonly PolicyDefault[];
  readonly quotas?: readonly Quota[];
}

/** A `meta/v1` Condition. */
export interface StatusCondition {
  readonly type: string;
  readonly status: 'True' | 'False' | 'Unknown';
  readonly observedGeneration: number;
  readonly lastTransitionTime: string;
  readonly reason: string;
  readonly message: string;
}

export interface QuotaUsage {
  readonly name: string;
  /** Undefined if the quota counts the whole policy. */
  readonly namespace?: string;
  readonly used: QuotaAmounts;
  readonly hard: QuotaAmounts;
}

/** The violations of one rule in stored Services. */
export interface StoredViolations {
  /** A constraint of the policy, or a built-in rule that it tunes. */
  readonly name: string;
  /** The number of Services with violations. */
  readonly services: number;
  /** The number of namespaces with violations. */
  readonly namespaces: number;
  /** The first Services with violations, as `namespace/name`. */
  readonly examples: readonly string[];
}

export interface LoadBalancerPolicyStatus {
  readonly observedGeneration: number;
  /** The number of selected namespaces. */
  readonly namespaces: number;
  readonly conditions: readonly StatusCondition[];
  /** Sorted by quota and namespace. Limited to the rows with the highest usage. */
  readonly usage?: readonly QuotaUsage[];
  /** The violations of its constraints and tuned rules in stored Services. Undefined until the Services are evaluated. */
  readonly violations?: readonly StoredViolations[];
}

/** The decisions of the platform team for a part of the cluster or for all of it. The strictest of several policies applies. */
export interface LoadBalancerPolicy extends KubernetesObject {
  readonly spec: LoadBalancerPolicySpec;
  readonly status?: LoadBalancerPolicyStatus;
}

export interface LoadBalancerExceptionSpec {
  /** A built-in rule that is tunable, or `policy/<policy>/<constraint or quota>`. */
  readonly rule: string;
  /** Exactly one of `object` and `selector` is set. A Node has no namespace. */
  readonly object?: { readonly namespace?: string; readonly name: string };
  readonly selector?: { readonly namespaceSelector?: LabelSelector; readonly serviceSelector?: LabelSelector };
  readonly owner: string;
  readonly reason: string;
  /** RFC 3339. May be moved to an earlier date only: an extension needs a new exception. */
  readonly expires: string;
}

/** An announcement of an exception, in the order in which they are made. */
export type Announcement = 'ExpiresSoon' | 'ExpiresWithinADay' | 'Expired';

export interface LoadBalancerExceptionStatus {
  readonly observedGeneration: number;
  readonly conditions: readonly StatusCondition[];
  /** The last announcement, recorded so that each is made once. Undefined if there was none. */
  readonly announced?: Announcement;
}

/** An exception that reduces violations of one rule to warnings, for one object or a selection, until a date. */
export interface LoadBalancerException extends KubernetesObject {
  readonly spec: LoadBalancerExceptionSpec;
  readonly status?: LoadBalancerExceptionStatus;
}

export const LOAD_BALANCER_POLICIES: Resource<LoadBalancerPolicy> = {
  group: API_GROUP,
  version: API_VERSION,
  plural: 'loadbalancerpolicies',
  kind: 'LoadBalancerPolicy',
  namespaced: false,
};

export const LOAD_BALANCER_EXCEPTIONS: Resource<LoadBalancerException> = {
  group: API_GROUP,
  version: API_VERSION,
  plural: 'loadbalancerexceptions',
  kind: 'LoadBalancerException',
  namespaced: false,
};
