import fc from 'fast-check';
import type { RuleSet } from '../../../webhook/admission/validate.ts';
import { play } from './story-run.ts';
import { anyStory } from './story.ts';

export interface ChangesOptions {
  readonly seed: number;
  /** The number of the first story. */
  readonly from?: number;
  readonly count: number;
  readonly rules?: RuleSet;
}

export interface ChangesReport {
  /** The number of denied changes. `carriedOut` counts the applied ones. */
  readonly denied: number;
  readonly carriedOut: number;
  /** Disagreements between webhook and controller, with the number of the story. The run ends after twenty. */
  readonly failures: readonly string[];
}

const MOST_FAILURES = 20;
/** The offset between the story numbers of two seeds. */
const STORIES_PER_SEED = 1_000_000;

/** Plays stories of Services, and compares the decision of the webhook with the result of the controller. */
export async function changes({ seed, from = 0, count, rules }: ChangesOptions): Promise<ChangesReport> {
  const failures: string[] = [];
  let [denied, carriedOut] = [0, 0];
  for (let number = from; number < from + count && failures.length < MOST_FAILURES; number++) {
    const [story] = fc.sample(anyStory, { seed: seed * STORIES_PER_SEED + number, numRuns: 1 });
    if (story === undefined) continue;
    const played = await play(story, rules);
    denied += played.denied;
    carriedOut += played.carriedOut;
    if (played.failure !== undefined) failures.push(`story ${number}: ${played.failure}`);
  }
  return { denied, carriedOut, failures };
}
