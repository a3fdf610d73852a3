import type { Facts } from '../inventory/facts.ts';
import type { ClassicLoadBalancerStatus, CloudInventoryStatus } from '../inventory/resource.ts';
import type { Node, Service } from '../base/objects.ts';
import type { Parsed } from '../annotation/parse.ts';
import type { AttributeKey } from '../clb/guards/attribute-keys.ts';
import type { Policy } from '../policy/policy.ts';

export type Operation = 'CREATE' | 'UPDATE';

/** A Service as rules see it: parsed once, with what it was before. */
export interface ServiceSubject {
  readonly kind: 'Service';
  readonly operation: Operation;
  readonly object: Service;
  readonly parsed: Parsed;
  /** What it was; absent on creation, and when the object being judged is itself the old one. */
  readonly before?: { readonly object: Service; readonly parsed: Parsed };
}

export interface NodeSubject {
  readonly kind: 'Node';
  readonly operation: Operation;
  readonly object: Node;
  readonly before?: { readonly object: Node };
  /** Written by a kubelet or the control plane, and not by a person: what cannot read a denial gets none. */
  readonly byCluster?: true;
}

export type Subject = ServiceSubject | NodeSubject;

/** One thing that is wrong. Texts are plain words without a full stop at the end; the engine makes sentences and escapes them. */
export interface Violation {
  /** The field's path as Kubernetes writes it: `metadata.annotations[key]`, `spec.ports[1].targetPort`. */
  readonly field: string;
  /** The value as the user wrote it. */
  readonly found: string;
  /** What counts where nothing that can be read is written: to write the same, or to say it no more, is the same fault. */
  readonly counts?: string;
  /** What may stand there. */
  readonly allowed: string;
  /** What to do, in the imperative. */
  readonly fix: string;
  /** Said as a warning whatever the policy says: it works, but not as its author may think. */
  readonly advice?: true;
  /** Denies a request only: what is stored all the same, the controller carries out. */
  readonly atApplyOnly?: true;
  /** Blocks only what it is `about`: the controller syncs the rest of a stored Service. */
  readonly partial?: true;
  /** The constraint or quota of a policy that found it, where it is not the rule's own: what it is called, and what decides its mode. */
  readonly by?: string;
  /** Set by a quota: the sentence for the condition of a stored Service. */
  readonly quota?: string;
  /** What of the load balancer that is about. */
  about?(): readonly AttributeKey[];
  /** The load balancer on which it was found, where nothing else names it: the same on another is another fault. */
  readonly on?: string;
  /** More for the audit annotation than the caller may see (others' load balancers); never shown to the caller. */
  readonly audit?: string;
}

/** `safety`: protects others; not tunable, no exceptions. `hygiene`: all the rest. */
export type Tier = 'safety' | 'hygiene';

/** A mistake that a rule finds, and the same put right. Each is a part of a manifest, as YAML: what it leaves out is that of any Service or Node. */
export interface Examples {
  readonly wrong: string;
  readonly right: string;
  /** A part of what is stored, for a rule about changes; of a Service that has its load balancer. */
  readonly before?: string;
  /** What is known of the cloud, in words and as the inventory has it. */
  readonly given?: {
    readonly said: string;
    readonly loadBalancers: Readonly<Record<string, Partial<ClassicLoadBalancerStatus>>>;
    readonly cluster?: Partial<CloudInventoryStatus>;
    /** Stored Services, each a part of a manifest. */
    readonly services?: readonly string[];
  };
}

/** What a rule says of itself to people; see `docs/rules.md`. */
export interface RuleCard {
  /** Also the value of the label `rule` of metrics. */
  readonly name: string;
  readonly kind: string;
  readonly tier: Tier;
  /** May a policy turn it into a warning? Never for `safety`. */
  readonly tunable: boolean;
  /** All that it finds is advice: it denies nothing, whatever the policy says. */
  readonly warnsOnly?: true;
  /** One sentence or two for the rules page and `explain`: what it denies and why. */
  readonly doc: string;
  /** The first version that has it. */
  readonly since: string;
  /** It has nothing to say as long as nothing is known of the cloud. */
  readonly needsInventory?: true;
  /** It is also asked about a Service that another controller serves, and about one that is about to give up its load balancer. */
  readonly judgesOthers?: true;
  /** It compares with what was before, and finds nothing in what is created. */
  readonly judgesChangesOnly?: true;
  readonly examples: Examples;
}

/** One rule; its name is its file's name. `check` is pure and total. */
export interface Rule<Kind extends Subject = ServiceSubject> extends RuleCard {
  readonly kind: Kind['kind'];
  /** Whether it can have anything to say of an object; asked when there is no time for `check`. Where it is absent, it always can. */
  concerns?(subject: Kind): boolean;
  check(subject: Kind, facts: Facts, policy: Policy): readonly Violation[];
}
