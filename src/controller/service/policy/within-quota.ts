import { listenerQuota } from '../../../rules/listener-quota.ts';
import type { Present } from '../../../clb/model/state.ts';
import type { Service } from '../../../base/objects.ts';
import type { PolicyEvaluator } from './evaluator.ts';

/** The same, which asks no more of the cloud than the rule permits: it may have been stored while the webhook was away. */
export const withinQuota = (desired: Present, service: Service, judge: Pick<PolicyEvaluator, 'enforces'>): Present =>
  judge.enforces(service, listenerQuota.name) ? { ...desired, hasUsualQuota: true } : desired;
