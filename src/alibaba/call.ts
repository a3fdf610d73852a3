/** A product of the cloud, as the API's reference writes it. */
export type Product = 'Slb' | 'Vpc' | 'Ecs' | 'Sts';

export interface CloudOperation {
  readonly product: Product;
  /** `2014-05-15` */
  readonly version: string;
  /** `CreateLoadBalancer` */
  readonly action: string;
}

/** The parameters of a call by their wire names (`Tag.1.Key`), with `RegionId` and without the signature. */
export type Parameters = Readonly<Record<string, string>>;

/**
 * Sends one call to the cloud once and returns the body. Calls `beforeSend` right before the first byte is sent. Rejects with the error of
 * `beforeSend`, a `CloudRejection`, a `NoAnswer`, or a `PortcullisError` about credentials.
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
  /** The header `x-acs-retry-after`, in milliseconds. */
  readonly retryAfterMs?: number | undefined;
}

/** An error response of the cloud. The message comes from the cloud and may quote the request. */
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

/** A missing or unreadable response. `sent` is false only if the request was certainly never sent. */
export class NoAnswer extends Error {
  override readonly name = 'NoAnswer';
  readonly sent: boolean;

  constructor(message: string, sent: boolean) {
    super(message);
    this.sent = sent;
  }
}

/** Returns whether a call may change the cloud. */
export const isWrite = ({ action }: CloudOperation): boolean => !/^(Describe|List|Get|Check|AssumeRole)/.test(action);

const WRITE_TIMEOUT_MS = 8_000;
const READ_TIMEOUT_MS = 15_000;

/** Returns the time-out of a call. The time-out of writes is short, because a leader sends a write only if the write ends before its Lease expires. */
export const timeoutOf = (operation: CloudOperation): number =>
  isWrite(operation) ? WRITE_TIMEOUT_MS : READ_TIMEOUT_MS;
