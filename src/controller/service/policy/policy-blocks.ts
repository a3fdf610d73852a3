import { NO_POLICY_BLOCKS, type PolicyBlocks } from '../../../clb/guards/policy-blocks.ts';
import type { Desired, Observed } from '../../../clb/model/state.ts';
import type { SyncInputs } from '../sync/sync-inputs.ts';
import type { ServiceDeps } from '../context.ts';
import { observedUsage } from './observed-usage.ts';

/** What policies have against a Service, given what is there; nothing against its going. */
export function policyBlocksOf(
  { judged, parsed, hints: saying }: SyncInputs,
  desired: Desired,
  observed: Observed,
  { judge, protectedIds }: Pick<ServiceDeps, 'judge' | 'protectedIds'>,
): PolicyBlocks {
  if (desired.kind === 'absent') return NO_POLICY_BLOCKS;
  const sight = { saying, protectedIds };
  return judge.objections(judged, parsed, observedUsage(desired, observed, sight));
}
