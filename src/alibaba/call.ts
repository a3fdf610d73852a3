/** A product of the cloud, as the API's reference writes it. */
export type Product = 'Slb' | 'Vpc' | 'Ecs' | 'Sts';

export interface Operation {
  readonly product: Product;
  /** `2014-05-15` */
  readonly version: string;
  /** `CreateLoadBalancer` */
  readonly action: string;
}

/** What one call carries, under its names on the wire: `Tag.1.Key`. `RegionId` is among them; what signs the call is not. */
export type Parameters = Readonly<Record<string, string>>;

/**
 * Carries one call to the cloud and answers the body. Once: nothing below the door repeats a call. Calls `beforeSend` right before the
 * first byte leaves. Rejects with what that throws, or with a `Refusal`, a `NoAnswer`, or a `PortcullisError` about credentials.
 */
export type Transport = (
  operation: Operation,
  parameters: Parameters,
  signal: AbortSignal,
  beforeSend: () => void,
) => Promise<object>;

export interface CloudRejectionDetails {
  readonly code: string;
  readonly status: number;
  readonly requestId?: string | undefined;
  /** From the answer's `x-acs-retry-after`, in milliseconds. */
  readonly retryAfterMs?: number | undefined;
}

/** The cloud answered, and the answer is an error. The message is the cloud's own and may quote the request. */
export class CloudRejection extends Error {
  override readonly name = 'Refusal';
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

/** No answer that could be read. `sent` is false only when the request certainly never left. */
export class NoAnswer extends Error {
  override readonly name = 'NoAnswer';
  readonly sent: boolean;

  constructor(message: string, sent: boolean) {
    super(message);
    this.sent = sent;
  }
}

/** Whether a call may change something in the cloud. */
export const isWrite = ({ action }: Operation): boolean => !/^(Describe|List|Get|Check|AssumeRole)/.test(action);

const WRITE_TIMEOUT_MS = 8_000;
const READ_TIMEOUT_MS = 15_000;

/** How long a call may take. Writes are shorter than what the lease leaves a leader that has lost contact. */
export const timeoutOf = (operation: Operation): number => (isWrite(operation) ? WRITE_TIMEOUT_MS : READ_TIMEOUT_MS);
