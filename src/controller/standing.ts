import type { Standing } from './condition.ts';
import { messageOf, PortcullisError } from '../errors.ts';
import { addressesMissing } from './events.ts';
import type { Refusal } from './refusal.ts';
import { ServiceWriteError } from './service-write.ts';
import type { Outcome } from './turn.ts';

/** Rules by which something is withheld because of something else, which is said. */
const CONSEQUENCES: ReadonlySet<string> = new Set(['NoBlindDelete', 'InvalidObject']);

/** Why something is withheld, in one sentence each. */
const reasonsOf = (withheld: Outcome['withheld']): readonly string[] => [
  ...new Set(withheld.filter(({ rule }) => !CONSEQUENCES.has(rule)).map(({ reason }) => reason)),
];

/** All that is not as it should be, in one sentence each. */
export const complaints = ({ withheld }: Outcome, refusal: Refusal | undefined): readonly string[] => [
  ...(refusal?.reasons ?? []),
  ...reasonsOf(withheld),
];

/** The cause of a failure, and what to quote in a support ticket. */
export const causeOf = (error: unknown): string =>
  error instanceof PortcullisError && error.requestId !== undefined && !error.message.includes(error.requestId)
    ? `${error.message} (request ${error.requestId})`
    : messageOf(error);

/** A failure of the cloud, which also says what was withheld when it came: people have to mend both. */
export function failureBeside(withheld: Outcome['withheld'], error: unknown): unknown {
  const reasons = reasonsOf(withheld);
  if (!(error instanceof PortcullisError) || error instanceof ServiceWriteError || reasons.length === 0) return error;
  const { reason, code, requestId, retryAfterMs } = error;
  return new PortcullisError(reason, [causeOf(error), ...reasons].join('; '), {
    cause: error,
    ...(code === undefined ? {} : { code }),
    ...(requestId === undefined ? {} : { requestId }),
    ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
  });
}

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

/** What the Service says of itself, given all that is wrong and the addresses of pods that are left out. */
export function standingOf(wrong: readonly string[], word: string, missing: ReadonlySet<string>): Standing {
  const all = missing.size === 0 ? wrong : [...wrong, addressesMissing([...missing].sort()).message];
  if (all.length === 0) return GOOD;
  return { status: 'False', reason: wrong.length === 0 ? 'InvalidBackend' : word, message: all.join('; ') };
}
