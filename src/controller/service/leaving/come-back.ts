import { OWN } from '../../../clb/load-balancer-ref.ts';
import { REUSED_TAG } from '../../../clb/naming.ts';
import { forget } from '../../../clb/observe.ts';
import { findBound } from '../bound.ts';
import { readInputs, type ServiceInputs } from '../inputs.ts';
import type { Entry } from '../memory.ts';
import { letGo } from './release.ts';
import type { BareTurn, ServiceDeps } from '../turn.ts';

/**
 * A Service that wants a load balancer again after its cleanup was begun. Where nothing serves it any more, so is the address gone that it had:
 * it is as one that never had any. Else it goes on with what serves it, in which all that was taken off is put back.
 */
export async function comeBack(inputs: ServiceInputs, turn: BareTurn, deps: ServiceDeps): Promise<ServiceInputs> {
  const { entry } = turn;
  entry.knowledge = forget(entry.knowledge);
  await findBound(inputs, { ...turn, lane: 'change' }, deps);
  if (entry.bound !== undefined && !wasPreserved(inputs, entry)) return inputs;
  delete entry.bound;
  const service = await letGo(inputs.service, turn, deps);
  return readInputs(service, entry.record, deps);
}

/** Returns whether what serves the Service was its own until the cleanup untagged it. */
function wasPreserved(
  { parsed, requested }: ServiceInputs,
  { bound, knowledge }: Pick<Entry, 'bound' | 'knowledge'>,
): boolean {
  const isMarked = knowledge.observed.loadBalancer?.tags[REUSED_TAG] !== undefined;
  return parsed.options.preserveLbOnDelete === true && requested === OWN && bound !== OWN && !isMarked;
}
