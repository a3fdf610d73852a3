import { consequenceOf, evaluateRules, type Finding } from '../../../rules/engine/evaluate.ts';
import { violationMessage } from '../../../rules/engine/message.ts';
import { policyRule } from '../../../rules/engine/policy-rule.ts';
import { PARTIAL_RULES, SERVICE_RULES } from '../../../rules/index.ts';
import { foreignLoadBalancer } from '../../../rules/foreign-load-balancer.ts';
import { protectedLoadBalancer } from '../../../rules/protected-load-balancer.ts';
import type { ServiceSubject } from '../../../rules/rule.ts';
import type { Facts } from '../../../inventory/facts.ts';
import { EVERYTHING } from '../../../clb/guards/blockable-attributes.ts';
import { POLICY, QUOTA, USER_MANAGED, type PolicyBlock } from '../../../clb/guards/policy-blocks.ts';
import { hasTooManyPorts } from '../../../clb/model/service-size-limits.ts';
import { isPublished } from '../../../clb/model/provisioning-evidence.ts';
import { BACKEND } from '../../../annotation/catalogue/backend.ts';
import { PortcullisError } from '../../../base/errors.ts';
import { ENFORCE_ALL, requestAbout, type Policy } from '../../../policy/policy-decisions.ts';
import { NO_USAGE, type Usage } from '../../../policy/usage.ts';
import { factsWith, type ObservedUsage } from './observed-usage.ts';
import type { ParsedAnnotations } from '../../../annotation/parse.ts';
import type { Service } from '../../../base/kubernetes-objects.ts';

/** The reasons why rules deny a stored Service, and their consequences. */
export interface Denial {
  /** True if the requested backends are unreadable, so that the existing backends stay unchanged. */
  readonly hidesBackends: boolean;
  /** True if a safety rule denies the Service, so that only groups with the Service's name or backends are synced. */
  readonly isUnsafe: boolean;
  /** The violations about the load balancer in the annotation `id`. Messages omit the reason of the guard that repeats these violations. */
  readonly loadBalancerReasons: readonly string[];
  /** True if a policy denies the Service. */
  readonly isByPolicy: boolean;
  /** True if a quota denies the Service. The Service can be admitted after the usage of other Services falls. */
  readonly isByQuota: boolean;
  /** The reason of the condition. */
  readonly word: 'Invalid' | typeof POLICY | typeof QUOTA;
  /** The violations, one sentence each. */
  readonly reasons: readonly string[];
}

const UNREAD = 'the controller has not read the policies of the cluster yet; until then, only backends are synced';

/** The denial of a new Service while the policies have not been read. */
export const UNREAD_DENIAL: Denial = {
  hidesBackends: false,
  isUnsafe: false,
  loadBalancerReasons: [],
  isByPolicy: true,
  isByQuota: false,
  word: POLICY,
  reasons: [UNREAD],
};
/** The policy block on a served Service while the policies have not been read. */
export const UNREAD_BLOCK: PolicyBlock = { about: EVERYTHING, reason: UNREAD, rule: POLICY };

/** Returns whether annotations about backends are unreadable, or ports are missing because caches omit ports beyond their limit. */
const hidesBackends = (object: Service, { issues }: ParsedAnnotations): boolean =>
  hasTooManyPorts(object) ||
  issues.some(({ option, isIgnored: isPassedOver }) => option in BACKEND && isPassedOver !== true);

/** The inputs of an evaluation, in addition to the Service. */
export interface RuleInputs {
  readonly facts: Facts;
  /** The policy. If undefined, all rules are enforced. */
  readonly policy?: Policy;
  /** True if the Service never had a known load balancer, so that constraints and quotas apply before a read of the cloud. */
  readonly isNew?: boolean;
}

/** The names of the rules that forbid a Service to use the load balancer in its annotation `id`. */
const RULES_FOR_LOAD_BALANCER: ReadonlySet<string> = new Set([protectedLoadBalancer.name, foreignLoadBalancer.name]);
const RULES_FOR_NEW = [...SERVICE_RULES, policyRule];
/** Rules that block parts of a stored Service. The controller syncs the other parts. */
const RULES_FOR_PARTS = [...PARTIAL_RULES, policyRule];

/** Returns whether the creation of a Service's load balancer is not complete yet. `has` is the usage of existing resources. */
const isBeingCreated = (object: Service, has: Usage | undefined): boolean =>
  has === undefined || (has.listeners === 0 && !isPublished(object));

/** Returns the policy that applies to a Service. `has` is the usage of existing resources. */
const scopePolicy = (policy: Policy, object: Service, has: Usage | undefined): Policy => {
  const request = requestAbout(object, isBeingCreated(object, has) ? 'CREATE' : 'UPDATE', object.metadata.namespace);
  return policy.on?.({ ...request, has: has ?? NO_USAGE }) ?? policy;
};

/** Returns whether a policy lets a rule deny the Service, instead of only warning. */
export const isEnforced = (object: Service, rule: string, policy: Policy): boolean =>
  scopePolicy(policy, object, NO_USAGE).mode(rule, object.metadata.namespace) === 'enforce';

const subjectOf = (object: Service, parsed: ParsedAnnotations): ServiceSubject => ({
  kind: 'Service',
  operation: 'CREATE',
  object,
  parsed,
});

/** Returns the findings because of which the webhook would deny the stored object if it were new. */
const wouldDeny = (findings: readonly Finding[], policy: Policy, { metadata }: Service): readonly Finding[] =>
  findings.filter((finding) => consequenceOf(finding, policy, metadata.namespace) === 'deny');

/** Returns the findings that keep the controller from syncing a stored object. */
const denying = (findings: readonly Finding[], policy: Policy, object: Service): readonly Finding[] =>
  wouldDeny(findings, policy, object).filter(({ violation }) => violation.atApplyOnly !== true);

/** The result of the rules for a stored Service. */
export interface ServiceEvaluation {
  /** Undefined if the controller may sync the Service. */
  readonly denial?: Denial;
  /** The violations of an admitted Service, one sentence each: values without effect, which only the webhook denies. */
  readonly ineffective: readonly string[];
}

/** An evaluation, and whether another policy or exception could change the evaluation. */
interface TunableEvaluation extends ServiceEvaluation {
  readonly isTunable: boolean;
}

/** Returns the denial of a stored Service; undefined if the rules admit the Service. */
export const denialOfFindings = (
  object: Service,
  parsed: ParsedAnnotations,
  ruleInputs: RuleInputs,
): Denial | undefined => evaluate(object, parsed, ruleInputs).denial;

/** Evaluates the rules again, because the webhook may have been unavailable. Throws `Bug` if a safety rule cannot be evaluated. */
export function evaluate(
  object: Service,
  parsed: ParsedAnnotations,
  { facts, policy: all = ENFORCE_ALL, isNew = false }: RuleInputs,
): TunableEvaluation {
  const policy = scopePolicy(all, object, isNew ? undefined : NO_USAGE);
  const rules = isNew ? RULES_FOR_NEW : SERVICE_RULES;
  const { findings, unevaluated } = evaluateRules(rules, subjectOf(object, parsed), { facts, policy });
  const broken = unevaluated.find(({ rule }) => rule.tier === 'safety');
  if (broken !== undefined)
    throw new PortcullisError('Bug', `rule ${broken.rule.name} cannot be evaluated`, { cause: broken.error });
  const denied = denying(findings, policy, object).filter(({ violation }) => violation.partial !== true);
  const isTunable = findings.some(({ rule, violation }) => rule.tunable && violation.advice !== true);
  if (denied.length === 0) return { isTunable, ineffective: ineffectiveIn(findings, policy, object) };
  const denial: Denial = {
    hidesBackends: hidesBackends(object, parsed),
    isUnsafe: denied.some(({ rule }) => rule.tier === 'safety'),
    loadBalancerReasons: denied
      .filter(({ rule }) => RULES_FOR_LOAD_BALANCER.has(rule.name))
      .map((finding) => reasonOf(finding, policy)),
    isByPolicy: denied.some(({ violation }) => violation.by !== undefined),
    isByQuota: denied.some(({ violation }) => violation.quotaMessage !== undefined),
    word: denied.every(({ violation }) => violation.quotaMessage !== undefined) ? QUOTA : 'Invalid',
    reasons: wouldDeny(findings, policy, object).map((finding) => reasonOf(finding, policy)),
  };
  return { denial, isTunable, ineffective: [] };
}

/** Returns the denial without `loadBalancerReasons`, which are wrong if an owned load balancer lost its owner tag. */
export const withoutLoadBalancerReasons = (denial: Denial): Denial => ({
  ...denial,
  // With only the cluster tag, a load balancer looks like the load balancer of an API server.
  loadBalancerReasons: [],
  reasons: denial.reasons.filter((reason) => !denial.loadBalancerReasons.includes(reason)),
});

/** Returns the violations of values without effect. Excludes violations on a load balancer, because blocked actions report them. */
const ineffectiveIn = (findings: readonly Finding[], policy: Policy, object: Service): readonly string[] =>
  wouldDeny(findings, policy, object)
    .filter(({ violation }) => violation.atApplyOnly === true && violation.on === undefined)
    .map((finding) => reasonOf(finding, policy));

/** Returns the blocks of constraints, quotas and the rules for user-managed load balancers, given the observed state of the Service. */
export function policyBlocksFor(
  object: Service,
  parsed: ParsedAnnotations,
  { facts, policy: all = ENFORCE_ALL, seen }: Pick<RuleInputs, 'facts' | 'policy'> & { readonly seen: ObservedUsage },
): readonly PolicyBlock[] {
  const policy = scopePolicy(all, object, seen.has);
  const { findings } = evaluateRules(RULES_FOR_PARTS, subjectOf(object, parsed), {
    facts: factsWith(facts, seen),
    policy,
  });
  return denying(findings, policy, object).map((finding) => ({
    about: finding.violation.about?.() ?? [],
    reason: reasonOf(finding, policy),
    rule: ruleOf(finding),
  }));
}

function ruleOf({ violation }: Finding): PolicyBlock['rule'] {
  if (violation.quotaMessage !== undefined) return QUOTA;
  return violation.partial === true ? USER_MANAGED : POLICY;
}

function reasonOf(finding: Finding, policy: Policy): string {
  if (finding.violation.quotaMessage !== undefined) return finding.violation.quotaMessage;
  const note = policy.note?.(finding.rule.name);
  return `${finding.violation.field}: ${violationMessage(note === undefined ? finding : { ...finding, note })}`;
}
