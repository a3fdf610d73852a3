import type { LoadBalancerPolicySpec } from '../../src/policy/custom-resources.ts';
import { policyStatus, gatherStatusInputs } from '../../src/policy/status.ts';
import { StoredLabels } from '../../src/policy/stored-labels.ts';
import { aPolicyCache } from './policy-cache.ts';
import { aPolicy } from './policy.ts';

const NAMESPACES = { shop: { team: 'shop' }, bank: { team: 'bank' } };
/** Returns the condition that the controller sets on policy `p` among other policies, over two namespaces: `True Accepted: …`. */
export const conditionText = (
  spec: LoadBalancerPolicySpec,
  others: Readonly<Record<string, LoadBalancerPolicySpec>> = {},
): string => {
  const { policyCache } = aPolicyCache({ namespaces: NAMESPACES, policies: { p: spec, ...others } });
  const status = policyStatus(
    aPolicy('p', spec),
    gatherStatusInputs(policyCache, new StoredLabels(policyCache, Object.keys(NAMESPACES)), 0),
  );
  return (status?.conditions ?? []).map(({ status, reason, message }) => `${status} ${reason}: ${message}`).join();
};
