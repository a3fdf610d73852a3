/** The consequences of an error reason. */
interface ReasonTraits {
  /** The time of the next attempt, or `never` if the same call cannot succeed later. */
  readonly retry: 'soon' | 'backoff' | 'after-delay' | 'never';
  /** The party that has to act. */
  readonly blame: 'user' | 'cloud' | 'cluster' | 'us';
  /**
   * The actions that the controller skips after the failure: only these backends, dependent actions, dependent actions and all removals, or
   * everything.
   */
  readonly stops: 'backends' | 'dependants' | 'removals' | 'everything';
  /**
   * The parts of the observed state to read again: nothing, the call's backends, the parts to change, the call's subject, or everything.
   */
  readonly invalidates: 'nothing' | 'backends' | 'changed' | 'subject' | 'all';
  /** The time at which the controller reports the failure to users: at once, only if it persists, or never. */
  readonly reported: 'at-once' | 'when-lasting' | 'never';
}

/** The closed set of error reasons. A reason is also a label of events and metrics. */
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
  /** The credentials lack the permission for a call. Other calls may be permitted. */
  Forbidden: { retry: 'backoff', blame: 'user', stops: 'dependants', invalidates: 'nothing', reported: 'at-once' },
  /** The cloud rejected the content of the call. The observed state may be outdated. */
  Rejected: { retry: 'backoff', blame: 'user', stops: 'dependants', invalidates: 'changed', reported: 'at-once' },
  /** A server or network interface is gone, stopped, or in another VPC, so it cannot be a backend. */
  InvalidBackend: { retry: 'backoff', blame: 'cloud', stops: 'backends', invalidates: 'backends', reported: 'at-once' },
  /** The rate of calls is used up until its window ends. */
  Throttled: { retry: 'after-delay', blame: 'cloud', stops: 'everything', invalidates: 'nothing', reported: 'never' },
  /** The object is being changed at this moment. */
  Busy: { retry: 'soon', blame: 'cloud', stops: 'dependants', invalidates: 'nothing', reported: 'when-lasting' },
  /** An expected object does not exist. Another client has changed it, so the observed state is outdated. */
  NotFound: { retry: 'backoff', blame: 'cloud', stops: 'removals', invalidates: 'all', reported: 'at-once' },
  /** Another client changed or locked the object. */
  Conflict: { retry: 'soon', blame: 'cluster', stops: 'removals', invalidates: 'subject', reported: 'when-lasting' },
  /** The call may or may not have taken effect. */
  OutcomeUnknown: {
    retry: 'backoff',
    blame: 'cloud',
    stops: 'dependants',
    invalidates: 'subject',
    reported: 'at-once',
  },
  /** The server could not be reached or reported an internal error. Nothing was changed. */
  Unavailable: { retry: 'backoff', blame: 'cloud', stops: 'dependants', invalidates: 'nothing', reported: 'at-once' },
  /** Another replica leads, or may lead before the write ends. A late renewal of the Lease permits the write again. */
  LostLeadership: { retry: 'soon', blame: 'cluster', stops: 'everything', invalidates: 'nothing', reported: 'never' },
  Bug: { retry: 'never', blame: 'us', stops: 'everything', invalidates: 'nothing', reported: 'at-once' },
} as const satisfies Record<string, ReasonTraits>;

export type Reason = keyof typeof REASONS;

export interface ErrorDetails extends ErrorOptions {
  /** The cloud's id of the failed request, to quote in a support ticket. */
  readonly requestId?: string;
  /** The other side's own code, for example `OperationFailed.TokenIsProcessing` or `409`. */
  readonly code?: string;
  /** Milliseconds until a retry makes sense, as the server or the call limiter stated. */
  readonly retryAfterMs?: number;
  /** True if traffic has no destination until a retry succeeds. The queue then starts with a short back-off. */
  readonly isUrgent?: boolean;
  /** Further problems of the object, one sentence each, to report with the failure. */
  readonly otherCauses?: readonly string[];
}

/** The error class of the project. `message` is a sentence that a user can act on, without secrets. */
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

/** Returns the same failure with a higher urgency, or with other causes. */
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

/** Returns whether `error` is a `PortcullisError` with this reason. */
export const hasReason = (error: unknown, reason: Reason): error is PortcullisError =>
  error instanceof PortcullisError && error.reason === reason;

/** Returns the consequences of a thrown value. Any other class counts as a bug of the project. */
export const traitsOf = (error: unknown): ReasonTraits =>
  REASONS[error instanceof PortcullisError ? error.reason : 'Bug'];

/** Returns whether the API server or the cloud denies access to the process. */
export const isDenied = (error: unknown): error is PortcullisError =>
  hasReason(error, 'Unauthorized') || hasReason(error, 'Forbidden');

/** Returns the message of any thrown value. */
export const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
