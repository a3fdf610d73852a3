import { API_GROUP, API_VERSION } from '../inventory/custom-resources.ts';
import type { KubernetesObject, Resource } from '../base/kubernetes-objects.ts';

/** The mode of a rule: violations deny, only warn, or only appear in the audit log. */
export type Mode = 'enforce' | 'warn' | 'audit';

export type PolicyOperation = 'CREATE' | 'UPDATE';

/** A `meta/v1` LabelSelector. All requirements must match. An empty selector selects everything. */
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
  /** Selects by the labels of the Service. Users can change these labels, so the selector does not isolate tenants. */
  readonly serviceSelector?: LabelSelector;
  readonly operations?: readonly PolicyOperation[];
}

/** The mode of a rule, and the date from which the rule denies. */
export interface Enforcement {
  /** The mode, `enforce` by default. */
  readonly mode?: Mode;
  /** A date in RFC 3339. A rule in mode `enforce` only warns until this date, and the warning names the date. */
  readonly enforceAfter?: string;
}

/** A setting of a policy for a built-in rule, which denies by default. */
export interface RuleTuning extends Enforcement {
  /** The name of a tunable built-in rule. */
  readonly rule: string;
}

/** The fields that a condition can name. `port` and `protocol` have a value for each port of the Service. */
export type ServiceField = 'port' | 'protocol' | 'externalTrafficPolicy';

/** The key of a condition. Exactly one field is set. */
export interface ConditionKeyName {
  /** The part of an annotation key after `alibaba-cloud-loadbalancer-`. The condition compares the effective value, which may be a default. */
  readonly annotation?: string;
  /** The key of a tag in the annotation `additional-resource-tags`. The condition compares the value of the tag. */
  readonly tag?: string;
  /** The key of a tag of the reused load balancer. The value is unknown until the inventory has the load balancer. */
  readonly reusedTag?: string;
  readonly field?: ServiceField;
}

/** A condition on a Service; all fields must hold. Texts can contain the wildcard `*`, `${cluster}`, `${namespace}` and `${name}`. */
export interface Condition extends ConditionKeyName {
  /** Whether the value must be set (true) or unset (false). A default of a policy sets the value too. */
  readonly present?: boolean;
  readonly oneOf?: readonly string[];
  readonly noneOf?: readonly string[];
  readonly min?: number;
  readonly max?: number;
}

/** A constraint of a policy: Services for which all conditions in `when` hold must meet all conditions in `require`. */
export interface Constraint extends Enforcement {
  readonly name: string;
  /** The reason or the fix, which denials show to users. */
  readonly message?: string;
  /** The conditions under which the constraint applies. One matching value is enough. Without values, a condition on values does not hold. */
  readonly when?: readonly Condition[];
  /** The required conditions. All values must match. Without values, a condition on values holds. */
  readonly require: readonly Condition[];
}

/** A default for new Services that do not set the annotation. */
export interface PolicyDefault {
  readonly annotation: string;
  /** The value, which may contain `${cluster}`, `${namespace}` and `${name}`. */
  readonly value: string;
  readonly when?: readonly Condition[];
}

/** A dimension that quotas count. `bandwidth` is the sum in Mbit/s over public load balancers that are billed by bandwidth. */
export type QuotaDimension = 'loadBalancers' | 'publicLoadBalancers' | 'listeners' | 'bandwidth';

/** Amounts by dimension, as limits or as usage. */
export type QuotaAmounts = Readonly<Partial<Record<QuotaDimension, number>>>;

/** A quota of a policy. The amounts are the limits. */
export interface Quota extends Enforcement, QuotaAmounts {
  readonly name: string;
  /** `namespace` if each selected namespace has its own limit. `policy` if all selected namespaces share the limit. */
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

/** The usage of a quota, in the status of its policy. */
export interface QuotaUsage {
  readonly name: string;
  /** Undefined if all namespaces of the policy share the quota. */
  readonly namespace?: string;
  readonly used: QuotaAmounts;
  readonly hard: QuotaAmounts;
}

/** The violations of one rule in stored Services. */
export interface StoredViolations {
  /** The name of a constraint of the policy, or of a built-in rule that the policy tunes. */
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
  /** The current modes of rules, constraints and quotas, the strictest first, separated by commas. Undefined if the policy has only defaults. */
  readonly mode?: string;
  /** The usage of quotas, sorted by quota and namespace. Only the rows that are nearest to their limits are included. */
  readonly usage?: readonly QuotaUsage[];
  /** The violations of constraints and tuned rules in stored Services. Undefined until the Services are evaluated. */
  readonly violations?: readonly StoredViolations[];
  /** The sum of the Services in `violations`. A Service counts once for each rule. */
  readonly totalViolations?: number;
}

/** A policy of the platform team for selected namespaces, or for the whole cluster. Of several modes for a rule, the strictest applies. */
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
  /** The expiry date in RFC 3339. An update may only set an earlier date, so an extension needs a new exception. */
  readonly expires: string;
}

/** An announcement of the expiry of an exception. */
export type Announcement = 'ExpiresSoon' | 'ExpiresWithinADay' | 'Expired';

export interface LoadBalancerExceptionStatus {
  readonly observedGeneration: number;
  readonly conditions: readonly StatusCondition[];
  /** The last announcement, recorded so that the controller emits each announcement once. */
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
