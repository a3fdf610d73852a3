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

/** What objects are judged with. */
export interface LintContext {
  readonly facts: Facts;
  readonly rules: readonly Rule[];
  /** Absent: there are no policies. */
  readonly world: Pick<PolicyContext, 'book'> | undefined;
}

/** The rules that can say something: without facts, those that need some are not asked. */
export const rulesFor = (hasFacts: boolean, hasPolicies: boolean): readonly Rule[] => {
  const rules = hasFacts ? SERVICE_RULES : SERVICE_RULES.filter(({ needsInventory }) => needsInventory !== true);
  return hasPolicies ? [...rules, policyRule] : rules;
};

/** What becomes of a Service: what it is given, what it is then, and what is said of that. */
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

/** What rules are given beside an object. */
const surroundingsOf = ({ facts, world }: LintContext): RuleContext => ({ facts, policy: world?.book ?? ENFORCE_ALL });

/**
 * What the webhook would say of a Service that is created, or, where something is stored, changed. Unlike the webhook, it is told too what is
 * wrong with one that does not change. `operation` is what policies are asked about, where that is to be another.
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

/** What the webhook would say of a Node. Who writes a manifest of one means a Node that there is: it is denied also where nothing is known to be stored. */
export const verdictOnNode = (object: Node, stored: Node | undefined, bench: LintContext): RuleResults =>
  outcomeOfNode({ object, stored, byCluster: false, mayDeny: true }, NODE_RULES, surroundingsOf(bench));
