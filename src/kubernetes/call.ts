export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/** A request to the API server. */
export interface ApiCall {
  readonly method: Method;
  /** The path below the server URL, with escaped segments. */
  readonly path: string;
  readonly query?: Readonly<Record<string, string>>;
  /** Sent as JSON. */
  readonly body?: object;
  /** Default: `application/json`. */
  readonly contentType?: string;
  /** Milliseconds for one attempt, including the connection. Default: the time-out of the transport. */
  readonly timeoutMs?: number;
  /** Whether the call bypasses the rate limit. Only for the Lease and for events, which have a rate of their own. */
  readonly unlimited?: boolean;
  /**
   * Called with the time-out of the attempt in milliseconds, when the connection is ready and right before the call is sent. Throws to prevent the
   * call.
   */
  readonly guard?: (timeoutMs: number) => void;
  /** Called with each warning of the API server about the request. */
  readonly onWarning?: (text: string) => void;
}

/** The outcome of one attempt. */
export type CallOutcome =
  | { readonly kind: 'answer'; readonly status: number; readonly retryAfterMs?: number; readonly text: string }
  /** No byte can have reached the server. */
  | { readonly kind: 'unsent'; readonly cause: unknown }
  /** The call was sent, and the answer is missing or incomplete. */
  | { readonly kind: 'lost'; readonly cause: unknown };
