export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/** A request to the API server, which the transport sends. */
export interface ApiCall {
  readonly method: Method;
  /** The path after the server URL, with escaped segments. */
  readonly path: string;
  readonly query?: Readonly<Record<string, string>>;
  /** The body, which is sent as JSON. */
  readonly body?: object;
  /** Default: `application/json`. */
  readonly contentType?: string;
  /** The timeout of one attempt, in milliseconds, including the connection. Default: the timeout of the transport. */
  readonly timeoutMs?: number;
  /** True for calls that bypass the rate limit: calls for the Lease, and for events, which have their own limit. */
  readonly unlimited?: boolean;
  /** Runs right before each attempt is sent. Receives the timeout of the attempt in milliseconds. Throws if the call must not be sent. */
  readonly guard?: (timeoutMs: number) => void;
  /** Receives each warning of the API server about the call. */
  readonly onWarning?: (text: string) => void;
}

/** The outcome of one attempt to send a call. */
export type CallOutcome =
  | { readonly kind: 'answer'; readonly status: number; readonly retryAfterMs?: number; readonly text: string }
  /** The call certainly did not reach the server. */
  | { readonly kind: 'unsent'; readonly cause: unknown }
  /** The call may have been sent, but its response is missing or incomplete. */
  | { readonly kind: 'lost'; readonly cause: unknown };
