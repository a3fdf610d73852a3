/** What a reason means for the code that meets it. */
interface ReasonTraits {
  /** Can the same call succeed later with nothing else changed, and when is it worth trying? */
  readonly retry: 'soon' | 'backoff' | 'after-delay' | 'never';
  /** Whose move it is. */
  readonly blame: 'user' | 'cloud' | 'cluster' | 'us';
}

/** Every way in which something can go wrong here. The reason is also an event's and a metric's label. */
export const REASONS = {
  /** An object asks for something that the rules refuse; it is looked at again only when it changes. */
  InvalidObject: { retry: 'never', blame: 'user' },
  /** Flags, files or environment of the process are unusable. */
  InvalidConfiguration: { retry: 'never', blame: 'user' },
  /** A number of things allowed by the cloud is used up. */
  QuotaExceeded: { retry: 'backoff', blame: 'user' },
  /** Credentials are missing, wrong, expired, or lack a permission. */
  Unauthorized: { retry: 'backoff', blame: 'user' },
  /** The cloud refused the call for what it asks. */
  Rejected: { retry: 'backoff', blame: 'user' },
  /** A server or network interface cannot be a backend: it is gone, stopped, or in another VPC. */
  InvalidBackend: { retry: 'backoff', blame: 'cloud' },
  /** The rate of calls is used up until its window ends. */
  Throttled: { retry: 'after-delay', blame: 'cloud' },
  /** The object is being changed at this moment. */
  Busy: { retry: 'soon', blame: 'cloud' },
  NotFound: { retry: 'backoff', blame: 'cloud' },
  /** Somebody else changed or holds what was to be changed. */
  Conflict: { retry: 'soon', blame: 'cluster' },
  /** The call may or may not have taken effect. */
  OutcomeUnknown: { retry: 'backoff', blame: 'cloud' },
  /** The other side could not be reached, or answered that it is unwell; nothing was changed. */
  Unavailable: { retry: 'backoff', blame: 'cloud' },
  /** Another replica leads; nothing may be written any more. */
  LostLeadership: { retry: 'never', blame: 'cluster' },
  Bug: { retry: 'never', blame: 'us' },
} as const satisfies Record<string, ReasonTraits>;

export type Reason = keyof typeof REASONS;

export interface ErrorDetails extends ErrorOptions {
  /** The cloud's id of the failed request, to quote in a support ticket. */
  readonly requestId?: string;
  /** The other side's own code, for example `OperationFailed.TokenIsProcessing` or `409`. */
  readonly code?: string;
  /** Milliseconds after which a try makes sense, where the other side or our limiter said so. */
  readonly retryAfterMs?: number;
}

/** The one error class. `message` is a sentence a person can act on and holds no secret. */
export class PortcullisError extends Error {
  override readonly name = 'PortcullisError';
  readonly reason: Reason;
  readonly requestId: string | undefined;
  readonly code: string | undefined;
  readonly retryAfterMs: number | undefined;

  constructor(reason: Reason, message: string, details: ErrorDetails = {}) {
    super(message, details);
    this.reason = reason;
    this.requestId = details.requestId;
    this.code = details.code;
    this.retryAfterMs = details.retryAfterMs;
  }
}

/** Whether `error` is ours and has this reason. */
export const hasReason = (error: unknown, reason: Reason): error is PortcullisError =>
  error instanceof PortcullisError && error.reason === reason;

/** A thrown value's message, whatever was thrown. */
export const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
