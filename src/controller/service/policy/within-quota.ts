import { listenerQuota } from '../../../rules/listener-quota.ts';
import type { Present } from '../../../clb/model/state.ts';
import type { Service } from '../../../base/objects.ts';
import type { PolicyEvaluator } from './evaluator.ts';

/** Limits the desired state to the usual quota if the rule is enforced: the webhook may have been unavailable when the Service was stored. */
export const withinQuota = (
  desired: Present,
  service: Service,
  evaluator: Pick<PolicyEvaluator, 'enforces'>,
): Present => (evaluator.enforces(service, listenerQuota.name) ? { ...desired, hasUsualQuota: true } : desired);
