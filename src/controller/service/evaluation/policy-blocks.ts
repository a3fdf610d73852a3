import { NO_POLICY_BLOCKS, type PolicyBlocks } from '../../../clb/guards/policy-blocks.ts';
import type { Desired, Observed } from '../../../clb/model/desired-and-observed-state.ts';
import type { SyncInputs } from '../sync/sync-inputs.ts';
import type { ServiceDeps } from '../context.ts';
import { observedUsage } from './observed-usage.ts';

/** Returns the policy blocks on a Service, given the observed state. Runs in each round of a sync. Policies do not block a cleanup. */
export function policyBlocksOf(
  { evaluatedService, parsed, hints: evidence }: SyncInputs,
  desired: Desired,
  observed: Observed,
  { evaluator, protectedIds }: Pick<ServiceDeps, 'evaluator' | 'protectedIds'>,
): PolicyBlocks {
  if (desired.kind === 'absent') return NO_POLICY_BLOCKS;
  const usageEvidence = { evidence, protectedIds };
  return evaluator.policyBlocks(evaluatedService, parsed, observedUsage(desired, observed, usageEvidence));
}
