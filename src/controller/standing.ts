import { messageOf, PortcullisError } from '../errors.ts';
import { reasonsOf, type Planned } from './complaints.ts';
import type { Standing } from './condition.ts';
import { addressesMissing } from './events.ts';
import { ServiceWriteError } from './service-write.ts';

/** The cause of a failure, and what to quote in a support ticket. */
export const causeOf = (error: unknown): string =>
  error instanceof PortcullisError && error.requestId !== undefined && !error.message.includes(error.requestId)
    ? `${error.message} (request ${error.requestId})`
    : messageOf(error);

/** A failure of the cloud, which also says what was withheld when it came: people have to mend both. */
export function failureBeside(withheld: Planned['withheld'], error: unknown): unknown {
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
