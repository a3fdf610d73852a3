/** The traits of an error reason, which decide how the controller reacts to a failure. */
interface ReasonTraits {
  /** The time of the next attempt. `never` means that only a change can help. */
  readonly retry: 'soon' | 'backoff' | 'after-delay' | 'never';
  /** The party that must solve the problem. */
  readonly blame: 'user' | 'cloud' | 'cluster' | 'us';
  /** The later actions of the plan that are skipped: on the same backends; dependent; dependent and all removals; all. */
  readonly stops: 'backends' | 'dependants' | 'removals' | 'everything';
  /** The parts of the observed state that the controller reads again: none, backends, changed parts, all of the resource, or all of the Service. */
  readonly invalidates: 'nothing' | 'backends' | 'changed' | 'subject' | 'all';
  /** The time at which users see the failure: at once, only if the failure persists, or never. */
  readonly reported: 'at-once' | 'when-lasting' | 'never';
}

/** The error reasons of the project with their traits. Events, metrics and logs use the names of the reasons. */
export const REASONS = {
  /** The rules deny the object. The controller retries only when the object changes. */
  Invalid: { retry: 'never', blame: 'user', stops: 'dependants', invalidates: 'nothing', reported: 'at-once' },
  /** The flags, files or environment of the process are unusable. */
  InvalidConfiguration: {
    retry: 'never',
    blame: 'user',
    stops: 'everything',
    invalidates: 'nothing',
    reported: 'at-once',
  },
  /** A quota of the cloud is used up. */
  QuotaExceeded: { retry: 'backoff', blame: 'user', stops: 'backends', invalidates: 'backends', reported: 'at-once' },
  /** Credentials are missing, wrong or expired. */
  Unauthorized: { retry: 'backoff', blame: 'user', stops: 'everything', invalidates: 'nothing', reported: 'at-once' },
  /** The credentials lack the permission for a call, but may permit other calls. */
  Forbidden: { retry: 'backoff', blame: 'user', stops: 'dependants', invalidates: 'nothing', reported: 'at-once' },
  /** The cloud rejected the content of the call. The cause may be an outdated observed state. */
  Rejected: { retry: 'backoff', blame: 'user', stops: 'dependants', invalidates: 'changed', reported: 'at-once' },
  /** A server or network interface is gone, stopped, or in another VPC, so it cannot be a backend. */
  InvalidBackend: { retry: 'backoff', blame: 'cloud', stops: 'backends', invalidates: 'backends', reported: 'at-once' },
  /** The rate limit of an API is used up until its window ends. */
  Throttled: { retry: 'after-delay', blame: 'cloud', stops: 'everything', invalidates: 'nothing', reported: 'never' },
  /** Another change of the resource is in progress. */
  Busy: { retry: 'soon', blame: 'cloud', stops: 'dependants', invalidates: 'nothing', reported: 'when-lasting' },
  /** An expected resource does not exist. Another client has deleted it, so the observed state is outdated. */
  NotFound: { retry: 'backoff', blame: 'cloud', stops: 'removals', invalidates: 'all', reported: 'at-once' },
  /** Another client has changed or locked the resource. */
  Conflict: { retry: 'soon', blame: 'cluster', stops: 'removals', invalidates: 'subject', reported: 'when-lasting' },
  /** The call may or may not have taken effect. */
  OutcomeUnknown: {
    retry: 'backoff',
    blame: 'cloud',
    stops: 'dependants',
    invalidates: 'subject',
    reported: 'at-once',
  },
  /** The server could not be reached or reported an internal error. The call changed nothing. */
  Unavailable: { retry: 'backoff', blame: 'cloud', stops: 'dependants', invalidates: 'nothing', reported: 'at-once' },
  /** Another replica leads, or may lead before the write ends. A renewal of the Lease permits writes again. */
  LostLeadership: { retry: 'soon', blame: 'cluster', stops: 'everything', invalidates: 'nothing', reported: 'never' },
  Bug: { retry: 'never', blame: 'us', stops: 'everything', invalidates: 'nothing', reported: 'at-once' },
} as const satisfies Record<string, ReasonTraits>;

export type Reason = keyof typeof REASONS;

export interface ErrorDetails extends ErrorOptions {
  /** The request id of the cloud, which support tickets need. */
  readonly requestId?: string;
  /** The error code of the cloud or the API server, such as `OperationFailed.TokenIsProcessing` or `409`. */
  readonly code?: string;
  /** The wait before a retry in milliseconds, as the server or the rate limiter requests. */
  readonly retryAfterMs?: number;
  /** True if traffic has no backend until a retry succeeds, so that the queue retries sooner. */
  readonly isUrgent?: boolean;
  /** Other problems of the object, each as a sentence. Reports contain these sentences after the message. */
  readonly otherCauses?: readonly string[];
}

/** The error class of the project. `message` is shown to users, names a remedy if any exists, and contains no secrets. */
export class PortcullisError extends Error {
  override readonly name = 'PortcullisError';
  readonly reason: Reason;
  readonly requestId: string | undefined;
  readonly code: string | undefined;
  readonly retryAfterMs: number | undefined;
  readonly isUrgent: boolean;
  readonly otherCauses: readonly string[];

  constructor(reason: Reason, message: string, details: ErrorDetails = {}) {
    super(message, details);
    this.reason = reason;
    this.requestId = details.requestId;
    this.code = details.code;
    this.retryAfterMs = details.retryAfterMs;
    this.isUrgent = details.isUrgent ?? false;
    this.otherCauses = details.otherCauses ?? [];
  }
}

/** Returns a copy of an error with another urgency or other causes. */
export function amended(
  error: PortcullisError,
  { isUrgent = error.isUrgent, otherCauses = error.otherCauses }: Pick<ErrorDetails, 'isUrgent' | 'otherCauses'>,
): PortcullisError {
  const { reason, message, code, requestId, retryAfterMs } = error;
  return new PortcullisError(reason, message, {
    cause: error,
    isUrgent,
    otherCauses,
    ...(code === undefined ? {} : { code }),
    ...(requestId === undefined ? {} : { requestId }),
    ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
  });
}

/** Returns whether `error` is a `PortcullisError` with the given reason. */
export const hasReason = (error: unknown, reason: Reason): error is PortcullisError =>
  error instanceof PortcullisError && error.reason === reason;

/** Returns the traits of any thrown value. An error of another class counts as a bug. */
export const traitsOf = (error: unknown): ReasonTraits =>
  REASONS[error instanceof PortcullisError ? error.reason : 'Bug'];

/** Returns whether the API server or the cloud denied access to this process. */
export const isDenied = (error: unknown): error is PortcullisError =>
  hasReason(error, 'Unauthorized') || hasReason(error, 'Forbidden');

/** Returns the message of any thrown value. */
export const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
