import type { Facts } from '../../src/inventory/facts.ts';
import type { Node } from '../../src/base/kubernetes-objects.ts';
import type { Policy } from '../../src/policy/policy-decisions.ts';
import { NODE_RULES, SERVICE_RULES } from '../../src/rules/index.ts';
import type { NodeSubject, Rule } from '../../src/rules/rule.ts';
import { changeOf, outcomeOfNode, outcomeOfService } from '../../src/rules/engine/evaluate-change.ts';
import { haveSameMetadata } from '../../src/rules/engine/controller-metadata.ts';
import { NO_FINDINGS, type RuleResults } from '../../src/rules/engine/rule-results.ts';
import { policyRule } from '../../src/rules/engine/policy-rule.ts';
import { isSame } from '../../src/rules/engine/equality.ts';
import type { AdmissionRequest } from './admission-review.ts';
import { isSystemUser } from './system-users.ts';
import { nodeIn, serviceIn, storedIn } from './review-objects.ts';

/** The rules that the webhook evaluates, by kind of object. */
export interface RuleSet {
  readonly service: readonly Rule[];
  readonly node: readonly Rule<NodeSubject>[];
}

/** The built-in rules, and the rule that evaluates LoadBalancerPolicies. */
export const ALL_RULES: RuleSet = { service: [...SERVICE_RULES, policyRule], node: NODE_RULES };

/** The inputs of all rules. `expired` returns whether no time is left to evaluate further rules. */
export interface ValidationContext {
  readonly facts: Facts;
  readonly policy: Policy;
  readonly rules: RuleSet;
  readonly expired: () => boolean;
}

/** Evaluates the rules for a request of `/validate`. Throws `Invalid` if the review has no object. */
export function validate(request: AdmissionRequest, context: ValidationContext): RuleResults {
  if (request.subResource !== '') return NO_FINDINGS;
  if (request.operation !== 'CREATE' && request.operation !== 'UPDATE') return NO_FINDINGS;
  if (request.kind.group !== '') return NO_FINDINGS;
  switch (request.kind.kind) {
    case 'Service':
      return validateService(request, context);
    case 'Node':
      return validateNode(request, context);
    default:
      return NO_FINDINGS;
  }
}

function validateService(request: AdmissionRequest, context: ValidationContext): RuleResults {
  const stored = storedIn(request, serviceIn);
  const change = changeOf(serviceIn(request.object), stored);
  if (!change.mayDeny && haveSameMetadata(stored, change.object)) return NO_FINDINGS;
  return outcomeOfService(change, request.namespace, context.rules.service, context);
}

/** Evaluates a Node. Violations only warn on registration and for cluster components, because a kubelet cannot act on a denial. */
function validateNode(request: AdmissionRequest, context: ValidationContext): RuleResults {
  const object = nodeIn(request.object);
  const stored = storedIn(request, nodeIn);
  if (stored !== undefined && isSame(checkedFields(stored), checkedFields(object))) return NO_FINDINGS;
  const byCluster = isSystemUser(request.userInfo);
  const mayDeny = stored !== undefined && !byCluster;
  return outcomeOfNode({ object, stored, byCluster, mayDeny }, context.rules.node, context);
}

/** Returns the fields of a Node that rules check. Heartbeats and taints, the most frequent changes, are not among the fields. */
const checkedFields = ({ metadata, spec }: Node): object => [
  metadata.labels ?? {},
  spec?.providerID ?? '',
  spec?.podCIDRs ?? spec?.podCIDR ?? '',
];
