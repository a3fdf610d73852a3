/** What a reason means for the code that meets it. */
interface ReasonTraits {
  /** Can the same call succeed later with nothing else changed, and when is it worth trying? */
  readonly retry: 'soon' | 'backoff' | 'after-delay' | 'never';
  /** Whose move it is. */
  readonly blame: 'user' | 'cloud' | 'cluster' | 'us';
  /**
   * What else is not done in the same turn: of a call that adds backends nothing but these backends, what depends on what was not done, that
   * and all removals, or everything.
   */
  readonly stops: 'backends' | 'dependants' | 'removals' | 'everything';
  /**
   * What is known of the cloud that has to be read again: nothing, what a call about backends was about, what a call was to change, what
   * a call was about, or all.
   */
  readonly doubts: 'nothing' | 'backends' | 'changed' | 'subject' | 'all';
  /** When a person is told: what passes by itself is told when it does not, or never. */
  readonly told: 'at-once' | 'when-lasting' | 'never';
}

/** Every way in which something can go wrong here. The reason is also an event's and a metric's label. */
export const REASONS = {
  /** An object asks for something that the rules refuse; it is looked at again only when it changes. */
  Invalid: { retry: 'never', blame: 'user', stops: 'dependants', doubts: 'nothing', told: 'at-once' },
  /** Flags, files or environment of the process are unusable. */
  InvalidConfiguration: { retry: 'never', blame: 'user', stops: 'everything', doubts: 'nothing', told: 'at-once' },
  /** A number of things allowed by the cloud is used up. */
  QuotaExceeded: { retry: 'backoff', blame: 'user', stops: 'backends', doubts: 'backends', told: 'at-once' },
  /** Credentials are missing, wrong or expired. */
  Unauthorized: { retry: 'backoff', blame: 'user', stops: 'everything', doubts: 'nothing', told: 'at-once' },
  /** The credentials lack the permission for a call; what they may do else is another matter. */
  Forbidden: { retry: 'backoff', blame: 'user', stops: 'dependants', doubts: 'nothing', told: 'at-once' },
  /** The cloud refused the call for what it asks. Whoever refuses a change may know more than we do of what was to be changed. */
  Rejected: { retry: 'backoff', blame: 'user', stops: 'dependants', doubts: 'changed', told: 'at-once' },
  /** A server or network interface cannot be a backend: it is gone, stopped, or in another VPC. */
  InvalidBackend: { retry: 'backoff', blame: 'cloud', stops: 'backends', doubts: 'backends', told: 'at-once' },
  /** The rate of calls is used up until its window ends. */
  Throttled: { retry: 'after-delay', blame: 'cloud', stops: 'everything', doubts: 'nothing', told: 'never' },
  /** The object is being changed at this moment. */
  Busy: { retry: 'soon', blame: 'cloud', stops: 'dependants', doubts: 'nothing', told: 'when-lasting' },
  /** Something that was believed to be there is not: somebody else has been at work, and nothing known is worth much. */
  NotFound: { retry: 'backoff', blame: 'cloud', stops: 'removals', doubts: 'all', told: 'at-once' },
  /** Somebody else changed or holds what was to be changed. */
  Conflict: { retry: 'soon', blame: 'cluster', stops: 'removals', doubts: 'subject', told: 'when-lasting' },
  /** The call may or may not have taken effect. */
  OutcomeUnknown: { retry: 'backoff', blame: 'cloud', stops: 'dependants', doubts: 'subject', told: 'at-once' },
  /** The other side could not be reached, or answered that it is unwell; nothing was changed. */
  Unavailable: { retry: 'backoff', blame: 'cloud', stops: 'dependants', doubts: 'nothing', told: 'at-once' },
  /** Another replica leads, or may lead before the write ends. A lease that is renewed late allows the write again. */
  LostLeadership: { retry: 'soon', blame: 'cluster', stops: 'everything', doubts: 'nothing', told: 'never' },
  Bug: { retry: 'never', blame: 'us', stops: 'everything', doubts: 'nothing', told: 'at-once' },
} as const satisfies Record<string, ReasonTraits>;

export type Reason = keyof typeof REASONS;

export interface ErrorDetails extends ErrorOptions {
  /** The cloud's id of the failed request, to quote in a support ticket. */
  readonly requestId?: string;
  /** The other side's own code, for example `OperationFailed.TokenIsProcessing` or `409`. */
  readonly code?: string;
  /** Milliseconds after which a try makes sense, where the other side or our limiter said so. */
  readonly retryAfterMs?: number;
  /** Whether traffic has nowhere to go until this is tried again, which is then soon. */
  readonly isUrgent?: boolean;
  /** What else is wrong with the object, a sentence each, to be reported with the failure. */
  readonly otherCauses?: readonly string[];
}

/** The one error class. `message` is a sentence a person can act on and holds no secret. */
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

/** Returns the same failure with more weight, or with other causes. */
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

/** Whether `error` is ours and has this reason. */
export const hasReason = (error: unknown, reason: Reason): error is PortcullisError =>
  error instanceof PortcullisError && error.reason === reason;

/** What a thrown value means; what is not ours is a bug of ours. */
export const traitsOf = (error: unknown): ReasonTraits =>
  REASONS[error instanceof PortcullisError ? error.reason : 'Bug'];

/** Whether it is we who are not let: with these credentials not at all, or not do this. */
export const isDenied = (error: unknown): error is PortcullisError =>
  hasReason(error, 'Unauthorized') || hasReason(error, 'Forbidden');

/** A thrown value's message, whatever was thrown. */
export const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
