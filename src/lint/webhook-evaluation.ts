import { changeOf, outcomeOfNode, outcomeOfService } from '../rules/engine/evaluate-change.ts';
import type { RuleContext } from '../rules/engine/evaluate.ts';
import type { RuleResults } from '../rules/engine/rule-results.ts';
import { policyRule } from '../rules/engine/policy-rule.ts';
import { isNewlyManaged } from '../rules/engine/provisioning-phase.ts';
import { NODE_RULES, SERVICE_RULES } from '../rules/index.ts';
import type { Rule } from '../rules/rule.ts';
import type { Facts } from '../inventory/facts.ts';
import type { Node, Service } from '../base/kubernetes-objects.ts';
import { NO_DEFAULTS_APPLIED, type AppliedDefaults } from '../policy/annotation-defaults.ts';
import { ENFORCE_ALL } from '../policy/policy-decisions.ts';
import type { PolicyOperation } from '../policy/custom-resources.ts';
import type { PolicyContext } from './policy/policy-context.ts';

/** The facts, rules and policies with which a command evaluates objects. */
export interface LintContext {
  readonly facts: Facts;
  readonly rules: readonly Rule[];
  /** Undefined if there are no policies. */
  readonly policyContext: Pick<PolicyContext, 'policyCache'> | undefined;
}

/** Returns the Service rules that can be evaluated. Without facts, leaves out the rules that need the inventory. */
export const rulesFor = (hasFacts: boolean, hasPolicies: boolean): readonly Rule[] => {
  const rules = hasFacts ? SERVICE_RULES : SERVICE_RULES.filter(({ needsInventory }) => needsInventory !== true);
  return hasPolicies ? [...rules, policyRule] : rules;
};

/** The result for a Service: the results of the rules, the applied defaults, and the Service with the defaults. */
export interface LintResult {
  readonly outcome: RuleResults;
  readonly defaults: AppliedDefaults;
  readonly object: Service;
}

function withDefaults(object: Service, { applied }: AppliedDefaults): Service {
  if (applied.length === 0) return object;
  const added = Object.fromEntries(applied.map(({ key, value }) => [key, value]));
  return { ...object, metadata: { ...object.metadata, annotations: { ...object.metadata.annotations, ...added } } };
}

/** Returns the context for rules. Without policies, every rule has the mode `enforce`. */
const ruleContextOf = ({ facts, policyContext }: LintContext): RuleContext => ({
  facts,
  policy: policyContext?.policyCache ?? ENFORCE_ALL,
});

/** Returns the webhook's result for a creation or an update. `operation` overrides the operation that policies match. */
export function lintResultOf(
  wanted: Service,
  stored: Service | undefined,
  context: LintContext,
  operation?: PolicyOperation,
): LintResult {
  const hasDefaults = operation !== 'UPDATE' && isNewlyManaged(wanted, stored, context.facts);
  const defaults =
    (hasDefaults ? context.policyContext?.policyCache.defaultsForService(wanted, context.facts) : undefined) ??
    NO_DEFAULTS_APPLIED;
  const object = withDefaults(wanted, defaults);
  const change = changeOf(object, stored);
  const requested = operation === undefined ? change : { ...change, operation };
  const outcome = outcomeOfService(requested, object.metadata.namespace, context.rules, ruleContextOf(context));
  return { outcome, defaults, object };
}

/** Returns the webhook's result for a Node. Violations deny even without `stored`, because the Node of a manifest is usually registered already. */
export const nodeResultsOf = (object: Node, stored: Node | undefined, context: LintContext): RuleResults =>
  outcomeOfNode({ object, stored, byCluster: false, mayDeny: true }, NODE_RULES, ruleContextOf(context));
