import { changeOf, outcomeOfNode, outcomeOfService } from '../rules/engine/change.ts';
import type { RuleContext } from '../rules/engine/evaluate.ts';
import type { RuleResults } from '../rules/engine/outcome.ts';
import { policyRule } from '../rules/engine/policy-rule.ts';
import { startsAnew } from '../rules/engine/phase.ts';
import { NODE_RULES, SERVICE_RULES } from '../rules/index.ts';
import type { Rule } from '../rules/rule.ts';
import type { Facts } from '../inventory/facts.ts';
import type { Node, Service } from '../base/objects.ts';
import { NO_DEFAULTS_APPLIED, type AppliedDefaults } from '../policy/defaults.ts';
import { ENFORCE_ALL } from '../policy/policy.ts';
import type { PolicyOperation } from '../policy/resource.ts';
import type { PolicyContext } from './policy/policy-context.ts';

/** The inputs for the evaluation of objects. */
export interface LintContext {
  readonly facts: Facts;
  readonly rules: readonly Rule[];
  /** Undefined if there are no policies. */
  readonly world: Pick<PolicyContext, 'book'> | undefined;
}

/** Returns the rules that can be evaluated. Without facts, rules that need the inventory are left out. */
export const rulesFor = (hasFacts: boolean, hasPolicies: boolean): readonly Rule[] => {
  const rules = hasFacts ? SERVICE_RULES : SERVICE_RULES.filter(({ needsInventory }) => needsInventory !== true);
  return hasPolicies ? [...rules, policyRule] : rules;
};

/** The result for a Service: the applied defaults, the resulting Service, and its findings. */
export interface LintResult {
  readonly outcome: RuleResults;
  readonly fillings: AppliedDefaults;
  readonly object: Service;
}

function filled(object: Service, { applied: given }: AppliedDefaults): Service {
  if (given.length === 0) return object;
  const added = Object.fromEntries(given.map(({ key, value }) => [key, value]));
  return { ...object, metadata: { ...object.metadata, annotations: { ...object.metadata.annotations, ...added } } };
}

/** Returns the context for rules. */
const surroundingsOf = ({ facts, world }: LintContext): RuleContext => ({ facts, policy: world?.book ?? ENFORCE_ALL });

/**
 * Returns the result of the webhook for a new Service, or for an update if the Service is stored. Violations of an unchanged Service are included,
 * unlike in the webhook. `operation` overrides the operation for policies.
 */
export function verdictOn(
  wanted: Service,
  stored: Service | undefined,
  bench: LintContext,
  operation?: PolicyOperation,
): LintResult {
  const isFilled = operation !== 'UPDATE' && startsAnew(wanted, stored, bench.facts);
  const fillings = (isFilled ? bench.world?.book.fillingsFor(wanted, bench.facts) : undefined) ?? NO_DEFAULTS_APPLIED;
  const object = filled(wanted, fillings);
  const change = changeOf(object, stored);
  const asked = operation === undefined ? change : { ...change, operation };
  const outcome = outcomeOfService(asked, object.metadata.namespace, bench.rules, surroundingsOf(bench));
  return { outcome, fillings, object };
}

/** Returns the result of the webhook for a Node. It denies even without a stored Node, because a manifest of a Node means an existing Node. */
export const verdictOnNode = (object: Node, stored: Node | undefined, bench: LintContext): RuleResults =>
  outcomeOfNode({ object, stored, byCluster: false, mayDeny: true }, NODE_RULES, surroundingsOf(bench));
