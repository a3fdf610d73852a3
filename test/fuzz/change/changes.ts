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
  /** The number of changes that the webhook denied. */
  readonly denied: number;
  /** The number of changes that the webhook allowed and the controller synced. */
  readonly synced: number;
  /** Disagreements between webhook and controller, with the number of the story. The run ends after twenty. */
  readonly failures: readonly string[];
}

const MOST_FAILURES = 20;
/** The distance between two seeds, so that their stories differ. */
const STORIES_PER_SEED = 1_000_000;

/** Plays random stories: the webhook must deny exactly the changes that the controller cannot sync. `make fuzz` and the suite fuzz call it. */
export async function changes({ seed, from = 0, count, rules }: ChangesOptions): Promise<ChangesReport> {
  const failures: string[] = [];
  let [denied, synced] = [0, 0];
  for (let number = from; number < from + count && failures.length < MOST_FAILURES; number++) {
    const [story] = fc.sample(anyStory, { seed: seed * STORIES_PER_SEED + number, numRuns: 1 });
    if (story === undefined) continue;
    const played = await play(story, rules);
    denied += played.denied;
    synced += played.synced;
    if (played.failure !== undefined) failures.push(`story ${number}: ${played.failure}`);
  }
  return { denied, synced, failures };
}
