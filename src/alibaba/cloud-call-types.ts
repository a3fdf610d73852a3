/** A product of Alibaba Cloud, in the spelling of its API reference. */
export type Product = 'Slb' | 'Vpc' | 'Ecs' | 'Sts';

/** An API of Alibaba Cloud, such as `CreateLoadBalancer` of SLB. */
export interface CloudOperation {
  readonly product: Product;
  /** The version of the API, such as `2014-05-15`. */
  readonly version: string;
  /** The name of the API, such as `CreateLoadBalancer`. */
  readonly action: string;
}

/** The parameters of a call by their names in the API, such as `Tag.1.Key`. They include `RegionId`, but no signature. */
export type Parameters = Readonly<Record<string, string>>;

/**
 * Sends a call once, right after `beforeSend`. Rejects with a `CloudRejection`, a `NoAnswer`, a `PortcullisError` or the reason of the aborted
 * signal.
 */
export type CloudTransport = (
  operation: CloudOperation,
  parameters: Parameters,
  signal: AbortSignal,
  beforeSend: () => void,
) => Promise<object>;

export interface CloudRejectionDetails {
  readonly code: string;
  readonly status: number;
  readonly requestId?: string | undefined;
  /** The value of the header `x-acs-retry-after`, in milliseconds. */
  readonly retryAfterMs?: number | undefined;
}

/** An error response of the cloud. Its message may quote the request, so `translate` in `error-translation.ts` removes secrets. */
export class CloudRejection extends Error {
  override readonly name = 'CloudRejection';
  readonly code: string;
  readonly status: number;
  readonly requestId: string | undefined;
  readonly retryAfterMs: number | undefined;

  constructor(message: string, details: CloudRejectionDetails) {
    super(message);
    this.code = details.code;
    this.status = details.status;
    this.requestId = details.requestId;
    this.retryAfterMs = details.retryAfterMs;
  }
}

/** The error of a call without a readable response. `sent` is false only if the call was certainly not sent. */
export class NoAnswer extends Error {
  override readonly name = 'NoAnswer';
  readonly sent: boolean;

  constructor(message: string, sent: boolean) {
    super(message);
    this.sent = sent;
  }
}

/** Returns whether a call can change the cloud. Only the leader may send writes. */
export const isWrite = ({ action }: CloudOperation): boolean => !/^(Describe|List|Get|Check|AssumeRole)/.test(action);

/** Short, because a leader sends a write only if its Lease outlasts this timeout. */
const WRITE_TIMEOUT_MS = 8_000;
const READ_TIMEOUT_MS = 15_000;

/** Returns the timeout of a call, in milliseconds. */
export const timeoutOf = (operation: CloudOperation): number =>
  isWrite(operation) ? WRITE_TIMEOUT_MS : READ_TIMEOUT_MS;
