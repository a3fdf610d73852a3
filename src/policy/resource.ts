import { API_GROUP, API_VERSION } from '../inventory/resource.ts';
import type { KubernetesObject, Resource } from '../base/objects.ts';

/** What a broken rule leads to. */
export type Mode = 'enforce' | 'warn' | 'audit';

export type PolicyOperation = 'CREATE' | 'UPDATE';

/** A `meta/v1` LabelSelector: everything it says must hold; one that says nothing selects everything. */
export interface LabelSelector {
  readonly matchLabels?: Readonly<Record<string, string>>;
  readonly matchExpressions?: readonly {
    readonly key: string;
    readonly operator: 'In' | 'NotIn' | 'Exists' | 'DoesNotExist';
    readonly values?: readonly string[];
  }[];
}

/** Which Services, in which requests, a policy is about; everything that is absent selects all. */
export interface PolicyMatch {
  readonly namespaceSelector?: LabelSelector;
  /** By the labels of the Service itself, which its owner may change: no wall between tenants. */
  readonly serviceSelector?: LabelSelector;
  readonly operations?: readonly PolicyOperation[];
}

/** How hard a policy insists. */
export interface Enforcement {
  /** `enforce` when absent. */
  readonly mode?: Mode;
  /** With `enforce`: warns, naming the date, until then. RFC 3339. */
  readonly enforceAfter?: string;
}

export interface RuleTuning extends Enforcement {
  /** Name of a built-in rule that is tunable. */
  readonly rule: string;
}

/** Fields of a Service, and what its listeners are. Ports and protocols are several values: one a port. */
export type ServiceField = 'port' | 'protocol' | 'externalTrafficPolicy';

/** What a condition looks at: exactly one. */
export interface ConditionKeyName {
  /** An annotation, by what follows `alibaba-cloud-loadbalancer-` in its key. The value that counts, defaults included. */
  readonly annotation?: string;
  /** The value of a tag in the annotation `additional-resource-tags`. */
  readonly tag?: string;
  /** The value of a tag of the load balancer that is reused; none as long as that is not known. */
  readonly reusedTag?: string;
  readonly field?: ServiceField;
}

/**
 * Something that holds of a Service or not. All that it says must hold together. Texts may hold `*` for any characters, and
 * `${cluster}`, `${namespace}` and `${name}`.
 */
export interface Condition extends ConditionKeyName {
  /** Whether it must be there, written by a person or a default of a policy, or must not. */
  readonly present?: boolean;
  readonly oneOf?: readonly string[];
  readonly noneOf?: readonly string[];
  readonly min?: number;
  readonly max?: number;
}

export interface Constraint extends Enforcement {
  readonly name: string;
  /** Why, or what to do; told to those whom it denies. */
  readonly message?: string;
  /** It concerns a Service only if all of these hold. One about several values holds if it does for one of them; about none, it does not. */
  readonly when?: readonly Condition[];
  /** Each that does not hold is a fault. One about several values must hold for all of them; about none, it does. */
  readonly require: readonly Condition[];
}

/** A value for a new Service that says nothing of the annotation. */
export interface PolicyDefault {
  readonly annotation: string;
  /** May hold `${cluster}`, `${namespace}` and `${name}`. */
  readonly value: string;
  readonly when?: readonly Condition[];
}

/** What a quota counts. Bandwidth in Mbit/s, of public load balancers that are paid for by it. */
export type QuotaDimension = 'loadBalancers' | 'publicLoadBalancers' | 'listeners' | 'bandwidth';

/** Amounts of what a quota limits. */
export type QuotaAmounts = Readonly<Partial<Record<QuotaDimension, number>>>;

export interface Quota extends Enforcement, QuotaAmounts {
  readonly name: string;
  /** `namespace`: each selected namespace by itself. `policy`: all that the policy selects together. */
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
  /** Absent for what is counted over the whole policy. */
  readonly namespace?: string;
  readonly used: QuotaAmounts;
  readonly hard: QuotaAmounts;
}

/** What one rule finds in stored Services. */
export interface Violation {
  /** A constraint of the policy, or a built-in rule that it tunes. */
  readonly name: string;
  /** How many. */
  readonly services: number;
  /** In how many namespaces. */
  readonly namespaces: number;
  /** The first of them, as `namespace/name`. */
  readonly examples: readonly string[];
}

export interface LoadBalancerPolicyStatus {
  readonly observedGeneration: number;
  /** How many namespaces it selects. */
  readonly namespaces: number;
  readonly conditions: readonly StatusCondition[];
  /** By quota, then namespace; the fullest ones where there are very many. */
  readonly usage?: readonly QuotaUsage[];
  /** What its constraints, and the rules that it tunes, find in stored Services; absent as long as they have not been looked through. */
  readonly violations?: readonly Violation[];
}

/** What the platform team has decided for a part of the cluster, or for all of it. Several combine to the strictest. */
export interface LoadBalancerPolicy extends KubernetesObject {
  readonly spec: LoadBalancerPolicySpec;
  readonly status?: LoadBalancerPolicyStatus;
}

export interface LoadBalancerExceptionSpec {
  /** A built-in rule that is tunable, or `policy/<policy>/<constraint or quota>`. */
  readonly rule: string;
  /** Exactly one of `object` and `selector`. A Node has no namespace. */
  readonly object?: { readonly namespace?: string; readonly name: string };
  readonly selector?: { readonly namespaceSelector?: LabelSelector; readonly serviceSelector?: LabelSelector };
  readonly owner: string;
  readonly reason: string;
  /** Until when; RFC 3339. May be brought forward, never put off: that takes a new exception. */
  readonly expires: string;
}

/** What is announced of an exception, one after the other. */
export type Announcement = 'ExpiresSoon' | 'ExpiresWithinADay' | 'Expired';

export interface LoadBalancerExceptionStatus {
  readonly observedGeneration: number;
  readonly conditions: readonly StatusCondition[];
  /** The last that was announced, so that each is announced once; absent as long as nothing was. */
  readonly announced?: Announcement;
}

/** Lets faults of one rule pass, with a warning, for one object or a selection, until a date. */
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
