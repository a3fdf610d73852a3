import { boundedList } from '../base/bounded-list-text.ts';
import { cutToBytes } from '../base/cut-text.ts';
import type { Problem } from './compile.ts';
import type { StatusCondition } from './custom-resources.ts';

/** The maximum number of problems in a message. */
const MOST_PROBLEMS = 5;
/** The maximum length of a message, in bytes. The API server accepts 32,768 bytes, but users do not read such a long text. */
const MOST_BYTES = 4_000;

/** The status, reason and message of a condition. */
export type ConditionState = Pick<StatusCondition, 'status' | 'reason' | 'message'>;

/** Returns the first problems as one text of limited length. */
export const problemsText = (problems: readonly Problem[]): string => {
  const first = problems.slice(0, MOST_PROBLEMS).map(({ path, message }) => `${path}: ${message}`);
  return boundedList(first, { bytes: MOST_BYTES, total: problems.length }).text;
};

/** Returns the condition to publish in the status of a policy or an exception. `lastTransitionTime` stays if the status is unchanged. */
export function statusConditionOf(
  type: string,
  state: ConditionState,
  generation: number,
  before: readonly StatusCondition[] | undefined,
  now: number,
): StatusCondition {
  const was = before?.find((condition) => condition.type === type);
  const moment = `${new Date(now).toISOString().slice(0, 19)}Z`;
  return {
    type,
    ...state,
    message: cutToBytes(state.message, MOST_BYTES),
    observedGeneration: generation,
    lastTransitionTime: was?.status === state.status ? was.lastTransitionTime : moment,
  };
}
