import type { Desired } from '../../../clb/model/state.ts';
import { PortcullisError } from '../../../base/errors.ts';

/** The cloud's code for a vSwitch that has no address left. */
const FULL = 'VSwitchAvailableIpNotExist';

const isFull = (error: unknown): boolean => error instanceof PortcullisError && error.code === FULL;

/** The vSwitches to try where the first is full: the cluster's others, unless the Service has named one. */
export function otherVSwitches(desired: Desired, named: string | undefined, all: readonly string[]): readonly string[] {
  if (desired.kind === 'absent' || named !== undefined) return [];
  const { vSwitchId } = desired.creation;
  return vSwitchId === undefined ? [] : all.filter((id) => id !== vSwitchId);
}

/** Does `attempt` with a load balancer in one vSwitch after another, until one has an address for it. */
export async function inAnyVSwitch<Result>(
  desired: Desired,
  others: readonly string[],
  attempt: (desired: Desired) => Promise<Result>,
): Promise<Result> {
  try {
    return await attempt(desired);
  } catch (error) {
    const [vSwitchId, ...rest] = others;
    if (!isFull(error) || vSwitchId === undefined || desired.kind === 'absent') throw error;
    return inAnyVSwitch({ ...desired, creation: { ...desired.creation, vSwitchId } }, rest, attempt);
  }
}
