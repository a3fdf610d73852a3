import { listenerQuota } from '../../../rules/listener-quota.ts';
import type { Present } from '../../../clb/model/desired-and-observed-state.ts';
import type { Service } from '../../../base/kubernetes-objects.ts';
import type { PolicyEvaluator } from './evaluator.ts';

/** Makes the plan respect the usual quota of listeners if the rule is enforced, because the webhook may have been unavailable. */
export const withListenerLimit = (
  desired: Present,
  service: Service,
  evaluator: Pick<PolicyEvaluator, 'enforces'>,
): Present => (evaluator.enforces(service, listenerQuota.name) ? { ...desired, hasUsualQuota: true } : desired);
