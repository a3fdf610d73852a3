import type { LoadBalancerPolicy } from '../../policy/resource.ts';
import { policyStatus, gatherStatusInputs } from '../../policy/status.ts';
import { StoredLabels } from '../../policy/stored-labels.ts';
import { plain } from '../../rules/engine/text.ts';
import { createPolicyContext, type PolicyContextParts } from './policy-context.ts';

/** As in the status of a policy, which has no more room. */
const MOST_CHARACTERS = 4_000;

/**
 * What the controller would say in the status of policies that can be read and cannot be meant, a line each. That one is about no
 * namespace is not among it: which namespaces there are may not be known.
 */
export function policyWarnings(
  policies: readonly LoadBalancerPolicy[],
  world: Omit<PolicyContextParts, 'services'>,
): readonly string[] {
  if (policies.length === 0) return [];
  const { book } = createPolicyContext({ ...world, services: [] });
  const survey = gatherStatusInputs(book, new StoredLabels(book, world.namespaces.keys()), world.clock.now());
  return policies.flatMap((policy) => {
    const [ready] = policyStatus(policy, survey)?.conditions ?? [];
    if (ready === undefined || ready.status === 'True' || ready.reason === 'NoMatches') return [];
    const line = `warning: LoadBalancerPolicy ${policy.metadata.name}: ${ready.reason}: ${ready.message}`;
    return [plain(line, MOST_CHARACTERS)];
  });
}
