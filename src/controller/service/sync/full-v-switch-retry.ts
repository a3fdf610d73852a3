import type { Desired } from '../../../clb/model/desired-and-observed-state.ts';
import { PortcullisError } from '../../../base/errors.ts';

/** The cloud's code for a vSwitch without a free address. */
const FULL = 'VSwitchAvailableIpNotExist';

const isFull = (error: unknown): boolean => error instanceof PortcullisError && error.code === FULL;

/** Returns the other vSwitches to try if the first vSwitch is full; none if the Service names a vSwitch. */
export function otherVSwitches(desired: Desired, named: string | undefined, all: readonly string[]): readonly string[] {
  if (desired.kind === 'absent' || named !== undefined) return [];
  const { vSwitchId } = desired.creation;
  return vSwitchId === undefined ? [] : all.filter((id) => id !== vSwitchId);
}

/** Runs `attempt` with one vSwitch after another, until a vSwitch has a free address for a new load balancer. */
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
