import type { Facts } from '../inventory/facts.ts';
import type { ClassicLoadBalancerStatus, CloudInventoryStatus } from '../inventory/resource.ts';
import type { FieldError } from '../base/field-error.ts';
import type { Node, Service } from '../base/objects.ts';
import type { ParsedAnnotations } from '../annotation/parse.ts';
import type { AttributeKey } from '../clb/guards/attribute-keys.ts';
import type { Policy } from '../policy/policy.ts';

export type Operation = 'CREATE' | 'UPDATE';

/** A Service as rules see it: parsed once, with its stored state. */
export interface ServiceSubject {
  readonly kind: 'Service';
  readonly operation: Operation;
  readonly object: Service;
  readonly parsed: ParsedAnnotations;
  /** The stored state; undefined on creation and when rules evaluate the stored object itself. */
  readonly before?: { readonly object: Service; readonly parsed: ParsedAnnotations };
}

export interface NodeSubject {
  readonly kind: 'Node';
  readonly operation: Operation;
  readonly object: Node;
  readonly before?: { readonly object: Node };
  /** Set if a kubelet or the control plane writes the Node. Such clients cannot read a denial and get none. */
  readonly byCluster?: true;
}

export type Subject = ServiceSubject | NodeSubject;

/** A violation of a rule, as a field error of Kubernetes. The engine composes and escapes the message. */
export interface Violation extends FieldError {
  /** The field path as Kubernetes writes it: `metadata.annotations[key]`, `spec.ports[1].targetPort`. */
  readonly field: string;
  /** The value in effect if the written value is unreadable. Writing this value, or removing the annotation, keeps the same violation. */
  readonly effective?: string;
  /** The remedy, in the imperative, unless it is obvious from the detail. */
  readonly remedy?: string;
  /** Warns in every mode of the policy: the value works, but perhaps not as the user expects. */
  readonly advice?: true;
  /** Denies requests only: the controller applies a stored object that has this violation. */
  readonly atApplyOnly?: true;
  /** Blocks only what it is `about`: the controller syncs the rest of a stored Service. */
  readonly partial?: true;
  /** The constraint or quota of a policy that found the violation. It replaces the name of the rule and decides the mode. */
  readonly by?: string;
  /** Set by a quota: the message for the condition of a stored Service. */
  readonly quota?: string;
  /** Returns the attributes of the load balancer that the violation concerns. */
  about?(): readonly AttributeKey[];
  /** The load balancer, if no other field names it. The same violation on another load balancer is a different violation. */
  readonly on?: string;
  /** Details for the audit annotation that the caller may not see, such as other users' load balancers. */
  readonly audit?: string;
}

/** The tier of a rule. `safety` rules protect other users and allow neither tuning nor exceptions. All other rules are `hygiene`. */
export type Tier = 'safety' | 'hygiene';

/** A wrong and a right example. Each is part of a manifest as YAML; an ordinary Service or Node supplies the rest. */
export interface Examples {
  readonly wrong: string;
  readonly right: string;
  /** Part of the stored manifest, for a rule about changes. A stored Service has its load balancer. */
  readonly before?: string;
  /** The state of the cloud, in words and as the inventory has it. */
  readonly cloud?: {
    readonly description: string;
    readonly loadBalancers: Readonly<Record<string, Partial<ClassicLoadBalancerStatus>>>;
    readonly cluster?: Partial<CloudInventoryStatus>;
    /** Stored Services, each as part of a manifest. */
    readonly services?: readonly string[];
  };
}

/** The documented properties of a rule; see `docs/reference/rules.md`. */
export interface RuleCard {
  /** Also the value of the label `rule` of metrics. */
  readonly name: string;
  readonly kind: string;
  readonly tier: Tier;
  /** Whether a policy may make the rule warn instead of deny. Never for `safety`. */
  readonly tunable: boolean;
  /** Set if all findings of the rule are advice: the rule never denies. */
  readonly warnsOnly?: true;
  /** The denied change and the reason, in one or two sentences for the rules page and `explain`. */
  readonly doc: string;
  /** The first version that has the rule. */
  readonly since: string;
  /** Set if the rule finds nothing without an inventory. */
  readonly needsInventory?: true;
  /** Set if the rule also checks Services of other controllers, and Services that give up their load balancer. */
  readonly judgesOthers?: true;
  /** Set if the rule compares with the stored state and finds nothing on creation. */
  readonly judgesChangesOnly?: true;
  readonly examples: Examples;
}

/** A rule, named as its file is. `check` is pure and total. */
export interface Rule<Kind extends Subject = ServiceSubject> extends RuleCard {
  readonly kind: Kind['kind'];
  /** Returns whether the rule can find anything in an object. Called if no time is left for `check`; undefined means always. */
  canApply?(subject: Kind): boolean;
  check(subject: Kind, facts: Facts, policy: Policy): readonly Violation[];
}
