import type { Facts } from '../inventory/facts.ts';
import type { ClassicLoadBalancerStatus, CloudInventoryStatus } from '../inventory/custom-resources.ts';
import type { FieldError } from '../base/field-error.ts';
import type { Node, Service } from '../base/kubernetes-objects.ts';
import type { ParsedAnnotations } from '../annotation/parse.ts';
import type { AttributeKey } from '../clb/guards/blockable-attributes.ts';
import type { Policy } from '../policy/policy-decisions.ts';

export type Operation = 'CREATE' | 'UPDATE';

/** The new state of a Service, with parsed annotations and the stored state. The engine builds a subject once for all rules. */
export interface ServiceSubject {
  readonly kind: 'Service';
  readonly operation: Operation;
  readonly object: Service;
  readonly parsed: ParsedAnnotations;
  /** The stored state; undefined on creation and when rules evaluate the stored object itself. */
  readonly before?: { readonly object: Service; readonly parsed: ParsedAnnotations };
}

/** The new state of a Node, with the stored state. */
export interface NodeSubject {
  readonly kind: 'Node';
  readonly operation: Operation;
  readonly object: Node;
  readonly before?: { readonly object: Node };
  /** Set if a kubelet or the control plane writes the Node. No user would read the denial of such a write. */
  readonly byCluster?: true;
}

export type Subject = ServiceSubject | NodeSubject;

/** A violation that a rule finds, as a field error of Kubernetes. The engine decides between denial and warning, and composes the message. */
export interface Violation extends FieldError {
  /** The field path as Kubernetes writes it: `metadata.annotations[key]`, `spec.ports[1].targetPort`. */
  readonly field: string;
  /** The value by which ratcheting recognizes the same violation in the stored object. If undefined, `value` applies. */
  readonly effective?: string;
  /** The remedy, in the imperative, unless it is obvious from the detail. */
  readonly remedy?: string;
  /** Set if the violation only warns, in every mode of the policy. The value works, but perhaps not as the user expects. */
  readonly advice?: true;
  /** Set if the violation denies requests only. The controller syncs a stored object in spite of the violation. */
  readonly atApplyOnly?: true;
  /** Set if the violation blocks only the attributes of `about`. The controller syncs the rest of a stored Service. */
  readonly partial?: true;
  /** The violated constraint or quota, as `policy/<policy>/<name>`. Messages name the constraint or quota instead of the rule. */
  readonly by?: string;
  /** The message for the condition of a stored Service. Only quotas set the message. */
  readonly quotaMessage?: string;
  /** Returns the attributes of the load balancer that the violation concerns. */
  about?(): readonly AttributeKey[];
  /** The load balancer, if no other field names it. Equal violations on two load balancers count as different. */
  readonly on?: string;
  /** Details for the audit annotation, such as other users' load balancers. The user who sent the request must not see them. */
  readonly audit?: string;
}

/** The tier of a rule. `safety` rules protect other users and allow neither tuning nor exceptions. All other rules are `hygiene`. */
export type Tier = 'safety' | 'hygiene';

/** A wrong and a right example. Each is part of a manifest as YAML; an ordinary Service or Node supplies the rest. */
export interface Examples {
  readonly wrong: string;
  readonly right: string;
  /** Part of the stored manifest, for a rule about changes. The stored Service already has a load balancer. */
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

/** The documented properties of a rule. `portcullis explain` and `docs/reference/rules.md` show them. */
export interface RuleCard {
  /** Also the value of the label `rule` of metrics. */
  readonly name: string;
  readonly kind: string;
  readonly tier: Tier;
  /** True if a policy may make the rule warn instead of deny. Never for `safety`. */
  readonly tunable: boolean;
  /** Set if all violations of the rule are advice, so that the rule never denies. */
  readonly warnsOnly?: true;
  /** The requirement and its reason, in sentences for the rules page and `explain`. */
  readonly doc: string;
  /** The first version that has the rule. */
  readonly since: string;
  /** Set if the rule denies nothing without an inventory. */
  readonly needsInventory?: true;
  /** Set if the rule also checks Services of other controllers, and Services that give up their load balancer. */
  readonly checksOtherServices?: true;
  /** Set if the rule compares with the stored state and finds nothing on creation. */
  readonly checksChangesOnly?: true;
  readonly examples: Examples;
}

/** A rule. `check` must be pure and must not throw. */
export interface Rule<Kind extends Subject = ServiceSubject> extends RuleCard {
  readonly kind: Kind['kind'];
  /** Returns whether the rule can find a violation in the subject. When time runs out, only rules that can do so count as unevaluated. */
  canApply?(subject: Kind): boolean;
  check(subject: Kind, facts: Facts, policy: Policy): readonly Violation[];
}
