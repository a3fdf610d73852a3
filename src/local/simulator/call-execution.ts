import type { Caller } from './credentials.ts';
import type { SimulatedCloud, TokenRecord } from './cloud-state.ts';
import { CloudError } from './error.ts';
import type { Fault } from './fault.ts';
import type { JournalEntry } from './journal.ts';
import type { OperationResult, SimulatedOperation, ProductName } from './operation.ts';
import { readArguments, type Arguments } from './parameter.ts';

/** The HTTP response to a call. */
export interface Reply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

const JSON_TYPE = 'application/json;charset=utf-8';
const DENIED = new Set(['Forbidden.RAM', 'NoPermission', 'Forbidden']);

export const replyOf = (status: number, body: unknown, requestId: string): Reply => ({
  status,
  headers: { 'content-type': JSON_TYPE, 'x-acs-request-id': requestId },
  body: JSON.stringify(body),
});

/** Returns the response to a rejected call to `host`. If a permission is missing, the response names `action`. */
export function errorReply(error: CloudError, requestId: string, host: string, action: string): Reply {
  const denied = DENIED.has(error.code)
    ? { AuthAction: action, NoPermissionType: 'ImplicitDeny', PolicyType: 'AccountLevelIdentityBasedPolicy' }
    : undefined;
  const body = {
    RequestId: requestId,
    HostId: host,
    Code: error.code,
    Message: error.message,
    Recommend: `https://error-center.aliyun.com/status/search?Keyword=${encodeURIComponent(error.code)}&source=PopGw`,
    AccessDeniedDetail: denied,
  };
  return replyOf(error.status, body, requestId);
}

/** The inputs of a call to a known operation. */
export interface RequestInput {
  readonly cloud: SimulatedCloud;
  readonly product: ProductName;
  readonly operation: SimulatedOperation;
  readonly parameters: Readonly<Record<string, string>>;
  readonly caller: Caller;
  readonly host: string;
  readonly entry: JournalEntry;
  /** Runs after the call took effect or was rejected. */
  readonly ended: () => void;
}

/** A running call: its parameters, its locks, and its outcome in the journal. */
export class SimulatedRequest {
  readonly input: RequestInput;
  readonly #args: Arguments | CloudError;
  /** The id of the load balancer or VPC that the call changes. */
  readonly #subject: string | undefined;
  /** The id of the load balancer or VPC that the call locks. Undefined for a call without a lock. */
  readonly #lock: string | undefined;
  #hasLocks = false;

  constructor(input: RequestInput) {
    this.input = input;
    this.#args = this.#read();
    this.#subject = this.#findSubject();
    if (this.#subject !== undefined) input.entry.subject = this.#subject;
    this.#lock = input.operation.isLockFree?.(input.cloud.settings) === true ? undefined : this.#subject;
  }

  /** Locks the subject and the `ClientToken` until a call with simulated latency ends. Returns an error response if either is already locked. */
  acquireLocks(): Reply | undefined {
    try {
      this.#checkFree();
    } catch (error) {
      if (error instanceof CloudError) return this.#finish(error);
      throw error;
    }
    this.#hasLocks = true;
    this.input.cloud.acquire(this.#lock);
    this.#token((key, parameters) => this.input.cloud.tokens.set(key, { parameters, answer: undefined }));
    return undefined;
  }

  /** Releases the locks, applies or rejects the call, and returns the response. */
  commit(lagMs = 0): Reply {
    if (this.#hasLocks) {
      this.input.cloud.release(this.#lock);
      this.#token((key) => this.input.cloud.tokens.delete(key));
      this.#hasLocks = false;
    }
    return this.#attempt((args) => {
      this.#checkFree();
      const { operation, cloud, caller, entry } = this.input;
      const answer = this.#once(() => operation.handle(args, cloud.context(caller, lagMs)));
      const missing = operation.missing?.(args, answer) ?? [];
      if (missing.length > 0) entry.missing = missing;
      return answer;
    });
  }

  reject(code: string, message: string, status?: number): Reply {
    return this.#finish(new CloudError(code, message, status));
  }

  /** Records that the call never reached the cloud. */
  abandon(): void {
    this.input.entry.outcome = 'lost';
    this.input.entry.finished = new Date(this.input.cloud.now()).toISOString();
  }

  busy({ ms, code, message }: Fault): Reply {
    if (this.#subject !== undefined && ms !== undefined) this.input.cloud.lock(this.#subject, ms);
    const busy = this.#busy();
    return this.reject(code ?? busy.code, message ?? busy.message);
  }

  throttle(fault: Fault): Reply {
    const { cloud, product, operation } = this.input;
    if (fault.wholeWindow === true) {
      cloud.rateLimit.close(`${product}.${operation.action}`, cloud.rateOf(product, operation), cloud.now());
    }
    return this.reject(fault.code ?? 'Throttling.User', fault.message ?? THROTTLED);
  }

  #read(): Arguments | CloudError {
    try {
      return readArguments(this.input.operation.parameters, this.input.parameters);
    } catch (error) {
      if (error instanceof CloudError) return error;
      throw error;
    }
  }

  #findSubject(): string | undefined {
    if (this.#args instanceof CloudError) return undefined;
    return this.input.operation.subject?.(this.#args, this.input.cloud.world);
  }

  #busy(): CloudError {
    const code = this.input.operation.busyCode ?? 'OperationBusy';
    return new CloudError(code, 'An earlier change of the same object is still in progress; try again.');
  }

  #checkFree(): void {
    if (this.input.cloud.isLocked(this.#lock)) throw this.#busy();
    const { token } = this.input.operation;
    const found = this.#token((key) => this.input.cloud.tokens.get(key));
    if (token !== undefined && found !== undefined && found.answer === undefined) {
      throw new CloudError(token.processing, 'A request with the same ClientToken is still in progress; try again.');
    }
  }

  /** Calls `use` with the key of the call's `ClientToken`. Does nothing for a call without a token. */
  #token<Result>(use: (key: string, parameters: string) => Result): Result | undefined {
    if (this.#args instanceof CloudError || this.input.operation.token === undefined) return undefined;
    const token = this.#args.optional('ClientToken');
    if (token === undefined || token === '') return undefined;
    const { product, operation, caller, parameters } = this.input;
    const own = Object.entries(parameters)
      .map(([name, value]): [string, string] => [name.toLowerCase(), value])
      .filter(([name]) => name !== 'clienttoken')
      .sort(([left], [right]) => (left < right ? -1 : 1));
    return use(`${caller.accountId}/${product}.${operation.action}/${token}`, JSON.stringify(own));
  }

  /** Runs an operation, or returns the result of an earlier call with the same `ClientToken`. */
  #once(work: () => OperationResult): OperationResult {
    const { tokens } = this.input.cloud;
    const known = this.#token((key, parameters): [TokenRecord | undefined, string] => [tokens.get(key), parameters]);
    if (known === undefined) return work();
    const [record, parameters] = known;
    if (record !== undefined && record.parameters !== parameters) {
      const code = this.input.operation.token?.mismatch ?? 'InvalidParameter';
      throw new CloudError(code, 'The ClientToken was used before with other parameters; use a new one.');
    }
    const answer = record?.answer ?? work();
    this.#token((key) => tokens.set(key, { parameters, answer }));
    return answer;
  }

  #attempt(work: (args: Arguments) => OperationResult): Reply {
    if (this.#args instanceof CloudError) return this.#finish(this.#args);
    try {
      return this.#finish(work(this.#args));
    } catch (error) {
      if (error instanceof CloudError) return this.#finish(error);
      throw error;
    }
  }

  #finish(result: OperationResult | CloudError): Reply {
    const reply = this.#reply(result);
    this.input.ended();
    return reply;
  }

  #reply(result: OperationResult | CloudError): Reply {
    const { entry, host, product, operation, cloud } = this.input;
    entry.finished = new Date(cloud.now()).toISOString();
    if (result instanceof CloudError) {
      entry.outcome = result.code;
      return errorReply(result, entry.requestId, host, `${product.toLowerCase()}:${operation.action}`);
    }
    entry.outcome = 'OK';
    const createdId = result['LoadBalancerId'];
    if (operation.kind === 'write' && entry.subject === undefined && typeof createdId === 'string')
      entry.subject = createdId;
    return replyOf(200, { RequestId: entry.requestId, ...result }, entry.requestId);
  }
}

export const THROTTLED = 'Request was denied due to user flow control.';
