import type { Standing } from './condition.ts';
import type { Refusal } from './refusal.ts';
import type { Outcome } from './turn.ts';

/** Rules by which something is withheld because of something else, which is said. */
const CONSEQUENCES: ReadonlySet<string> = new Set(['NoBlindDelete', 'InvalidObject']);

/** All that is not as it should be, in one sentence each. */
export const complaints = ({ withheld }: Outcome, refusal: Refusal | undefined): readonly string[] => [
  ...(refusal?.reasons ?? []),
  ...new Set(withheld.filter(({ rule }) => !CONSEQUENCES.has(rule)).map(({ reason }) => reason)),
];

/** Why it is not as it should be, in one word. */
export const wordOf = ({ withheld }: Outcome, refusal: Refusal | undefined): string =>
  refusal === undefined ? (withheld.find(({ rule }) => !CONSEQUENCES.has(rule))?.rule ?? 'Withheld') : 'InvalidObject';

/** Rules by which what was found is not the Service's to be served by, so that neither its address nor its id is recorded. */
const NOT_ITS_OWN: ReadonlySet<string> = new Set(['OnlyMine', 'StatusTruth']);

export const isAnothers = ({ withheld }: Outcome): boolean => withheld.some(({ rule }) => NOT_ITS_OWN.has(rule));

/** What the Service says of itself when nothing is wrong. */
export const GOOD: Standing = {
  status: 'True',
  reason: 'EnsuredLoadBalancer',
  message: 'The load balancer is as the Service asks',
};

/** What the Service says of itself, given all that is wrong. */
export const standingOf = (wrong: readonly string[], reason: string): Standing =>
  wrong.length === 0 ? GOOD : { status: 'False', reason, message: wrong.join('; ') };
