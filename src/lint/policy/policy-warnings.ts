import type { LoadBalancerPolicy } from '../../policy/custom-resources.ts';
import { policyStatus, gatherStatusInputs } from '../../policy/status.ts';
import { StoredLabels } from '../../policy/stored-labels.ts';
import { plain } from '../../rules/engine/safe-text.ts';
import { createPolicyContext, type PolicyContextParts } from './policy-context.ts';

/** The maximum length of a line, in characters. */
const MOST_CHARACTERS = 4_000;

/** Returns a warning for each policy whose status in a cluster would report an error. */
export function policyWarnings(
  policies: readonly LoadBalancerPolicy[],
  parts: Omit<PolicyContextParts, 'services'>,
): readonly string[] {
  if (policies.length === 0) return [];
  const { policyCache } = createPolicyContext({ ...parts, services: [] });
  const inputs = gatherStatusInputs(
    policyCache,
    new StoredLabels(policyCache, parts.namespaces.keys()),
    parts.clock.now(),
  );
  return policies.flatMap((policy) => {
    const [ready] = policyStatus(policy, inputs)?.conditions ?? [];
    // `NoMatches` is no error here, because the files may lack the selected namespaces.
    if (ready === undefined || ready.status === 'True' || ready.reason === 'NoMatches') return [];
    const line = `warning: LoadBalancerPolicy ${policy.metadata.name}: ${ready.reason}: ${ready.message}`;
    return [plain(line, MOST_CHARACTERS)];
  });
}
