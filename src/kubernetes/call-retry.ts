import { z } from 'zod';
import { cutToCharacters } from '../base/cut-text.ts';
import { DeadlineExceeded } from '../base/deadline.ts';
import { PortcullisError, messageOf, type Reason } from '../base/errors.ts';
import { jitteredBackoffMs } from '../base/backoff.ts';
import type { ApiCall, CallOutcome } from './api-call.ts';

/** The decision of the transport after one attempt to send a call. */
export type CallResult =
  | { readonly kind: 'done'; readonly text: string }
  | { readonly kind: 'retry'; readonly afterMs: number }
  /** The API server rejected the bearer token. The transport retries if the source has a new token. */
  | { readonly kind: 'unauthenticated'; readonly error: PortcullisError }
  | { readonly kind: 'failed'; readonly error: PortcullisError };

const MAX_RETRIES = 3;
const RETRY = { baseMs: 200, maxMs: 2_000 };
/** The longest requested delay that the transport waits for, in milliseconds. With a longer delay, the call fails, and its caller retries later. */
const LONGEST_RETRY_AFTER_MS = 5_000;

/** Decides after each attempt whether the transport retries. Never repeats a write whose response was lost. */
export function decideCall(call: ApiCall, outcome: CallOutcome, retries: number, random: () => number): CallResult {
  if (outcome.kind === 'answer' && outcome.status < 300) return { kind: 'done', text: outcome.text };
  const error = toError(call, outcome);
  if (outcome.kind === 'answer' && outcome.status === 401) return { kind: 'unauthenticated', error };
  const afterMs = retries < MAX_RETRIES ? retryAfter(call, outcome, retries, random) : undefined;
  return afterMs === undefined ? { kind: 'failed', error } : { kind: 'retry', afterMs };
}

function retryAfter(call: ApiCall, outcome: CallOutcome, retries: number, random: () => number): number | undefined {
  const own = jitteredBackoffMs(RETRY, retries + 1, random);
  if (outcome.kind === 'answer') {
    const { status, retryAfterMs } = outcome;
    const isDelayRequested =
      (status === 429 || status === 503) && retryAfterMs !== undefined && retryAfterMs <= LONGEST_RETRY_AFTER_MS;
    return isDelayRequested ? Math.max(own, retryAfterMs) : undefined;
  }
  if (isCertificateError(outcome.cause)) return undefined;
  return outcome.kind === 'unsent' || (call.method === 'GET' && !(outcome.cause instanceof DeadlineExceeded))
    ? own
    : undefined;
}

/** Returns the error of a failed attempt for the caller. */
export function toError(call: ApiCall, outcome: CallOutcome): PortcullisError {
  const isWrite = call.method !== 'GET';
  const what = `${call.method} ${call.path}`;
  if (outcome.kind === 'answer') {
    const { status, text } = outcome;
    if (status === 403 && hasTerminatingCause(text)) {
      return new PortcullisError('Rejected', `${what}: ${messageOfAnswer(outcome)}`, { code: NAMESPACE_TERMINATING });
    }
    const advice = ADVICE[status];
    const message = `${what}: ${messageOfAnswer(outcome)}${advice === undefined ? '' : ` (${advice})`}`;
    return new PortcullisError(reasonOf(status, isWrite), message, {
      code: String(status),
      ...(outcome.retryAfterMs === undefined ? {} : { retryAfterMs: outcome.retryAfterMs }),
    });
  }
  const { cause } = outcome;
  if (outcome.kind === 'lost' && isWrite) {
    return new PortcullisError(
      'OutcomeUnknown',
      `${what}: the response of the API server was lost (${causeText(cause)}); the call may or may not have taken effect`,
      { cause },
    );
  }
  const advice = isCertificateError(cause)
    ? 'check that the certificate authority signed the certificate of the server'
    : 'check its address, and that the API server is running and reachable';
  return new PortcullisError(
    'Unavailable',
    `${what}: the API server did not respond (${causeText(cause)}): ${advice}`,
    {
      cause,
    },
  );
}

function reasonOf(status: number, isWrite: boolean): Reason {
  if (status === 404) return 'NotFound';
  if (status === 409) return 'Conflict';
  if (status === 401) return 'Unauthorized';
  if (status === 403) return 'Forbidden';
  // The storage or a webhook of the API server timed out, so the write may still take effect.
  if (status === 504 && isWrite) return 'OutcomeUnknown';
  if (status === 429 || status >= 500 || status < 400) return 'Unavailable';
  return 'Rejected';
}

const ADVICE: Readonly<Record<number, string>> = {
  401: 'the credentials were rejected: check the token or the client certificate',
  403: 'the permission is missing: grant the permission by RBAC',
};
const LONGEST_MESSAGE = 2_000;
const NAMESPACE_TERMINATING = 'NamespaceTerminating';

/** Returns whether the API server rejected a creation because the namespace is being deleted. */
export const isNamespaceTerminating = (error: unknown): boolean =>
  error instanceof PortcullisError && error.code === NAMESPACE_TERMINATING;

const Status = z.object({
  message: z.string().min(1).optional().catch(undefined),
  details: z
    .object({ causes: z.array(z.object({ reason: z.string().optional() })).default([]) })
    .optional()
    .catch(undefined),
});

/** Parses a `Status` response. Returns undefined for any other text, such as the error page of a proxy. */
function statusOf(text: string): z.infer<typeof Status> | undefined {
  try {
    return Status.safeParse(JSON.parse(text)).data;
  } catch {
    return undefined;
  }
}

const messageOfAnswer = ({ status, text }: { readonly status: number; readonly text: string }): string =>
  cutToCharacters(statusOf(text)?.message ?? `HTTP status ${status}`, LONGEST_MESSAGE);

const hasTerminatingCause = (text: string): boolean =>
  statusOf(text)?.details?.causes.some(({ reason }) => reason === NAMESPACE_TERMINATING) ?? false;

const codeOf = (cause: unknown): string =>
  cause instanceof Error && 'code' in cause && typeof cause.code === 'string' ? cause.code : '';

function causeText(cause: unknown): string {
  const code = codeOf(cause);
  const text = messageOf(cause);
  return code === '' || text.includes(code) ? text : `${text}, ${code}`;
}

const UNSENT = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'EADDRNOTAVAIL',
  'UND_ERR_CONNECT_TIMEOUT',
]);

const isCertificateError = (cause: unknown): boolean =>
  /^(CERT_|ERR_TLS_|ERR_SSL_|UNABLE_TO_|DEPTH_ZERO_|SELF_SIGNED_|HOSTNAME_MISMATCH)/.test(codeOf(cause));

/**
 * Returns whether the API server certainly did not process the failed call. Certificate errors count, because a server checks certificates before it
 * reads the request.
 */
export const wasUnsent = (cause: unknown): boolean => UNSENT.has(codeOf(cause)) || isCertificateError(cause);
