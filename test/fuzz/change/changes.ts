import fc from 'fast-check';
import type { RuleSet } from '../../../webhook/admission/validate.ts';
import { play } from './play.ts';
import { anyStory } from './story.ts';

export interface ChangesOptions {
  readonly seed: number;
  /** The first story; the run goes on from there. */
  readonly from?: number;
  readonly count: number;
  readonly rules?: RuleSet;
}

export interface ChangesReport {
  /** How many wishes were denied, and how many carried out. */
  readonly denied: number;
  readonly carriedOut: number;
  /** Where webhook and controller did not agree, with the number of the story; not more than twenty, then it ends. */
  readonly complaints: readonly string[];
}

const MOST_COMPLAINTS = 20;
/** Keeps the stories of two seeds apart. */
const STORIES_PER_SEED = 1_000_000;

/** Services that are made and changed: what the webhook says of each is compared with what the controller makes of it. */
export async function changes({ seed, from = 0, count, rules }: ChangesOptions): Promise<ChangesReport> {
  const complaints: string[] = [];
  let [denied, carriedOut] = [0, 0];
  for (let number = from; number < from + count && complaints.length < MOST_COMPLAINTS; number++) {
    const [story] = fc.sample(anyStory, { seed: seed * STORIES_PER_SEED + number, numRuns: 1 });
    if (story === undefined) continue;
    const played = await play(story, rules);
    denied += played.denied;
    carriedOut += played.carriedOut;
    if (played.complaint !== undefined) complaints.push(`story ${number}: ${played.complaint}`);
  }
  return { denied, carriedOut, complaints };
}
