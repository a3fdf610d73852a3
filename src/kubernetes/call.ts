export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/** One request to the API server. */
export interface Call {
  readonly method: Method;
  /** Path below the server, each part escaped. */
  readonly path: string;
  readonly query?: Readonly<Record<string, string>>;
  /** Sent as JSON. */
  readonly body?: object;
  /** `application/json` when absent. */
  readonly contentType?: string;
  /** Milliseconds for one try, connecting included; the transport's own when absent. */
  readonly timeoutMs?: number;
  /** Whether the rate limit is for others; only for what must not wait behind them: the lease, events with a rate of their own. */
  readonly unlimited?: boolean;
  /** Called with the milliseconds that a try may take, once its connection stands and right before it is sent; throws to forbid it. */
  readonly guard?: (timeoutMs: number) => void;
}

/** How one try ended. */
export type CallOutcome =
  | { readonly kind: 'answer'; readonly status: number; readonly retryAfterMs?: number; readonly text: string }
  /** No byte of it can have reached the server. */
  | { readonly kind: 'unsent'; readonly cause: unknown }
  /** It was sent and the answer is missing or cut. */
  | { readonly kind: 'lost'; readonly cause: unknown };
