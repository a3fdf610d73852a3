import type { ProductName } from './operation.ts';

/** A recorded call, as `GET /_simulator/journal` returns the call. */
export interface JournalEntry {
  /** The number of the call in order of arrival, counted from 1. */
  readonly n: number;
  /** The time of arrival by the clock of the simulated cloud, in ISO 8601. */
  readonly time: string;
  readonly userAgent: string;
  /** Undefined if the API version belongs to no product. */
  readonly product: ProductName | undefined;
  readonly action: string;
  readonly kind: 'read' | 'write' | undefined;
  /** The flat parameters of the operation, without common parameters such as `Action`. Secrets are replaced. */
  readonly parameters: Readonly<Record<string, string>>;
  readonly requestId: string;
  /** The load balancer or VPC that a write changes or creates. */
  subject?: string;
  /** The time at which the call took effect, was rejected or was lost. Undefined while the call runs. */
  finished?: string;
  /** `OK` or the error code, even if the caller got no response. `lost` if the call never reached the cloud. Undefined while the call runs. */
  outcome?: string;
  /** The requested ids that a read did not return. Undefined if the read returned all ids. */
  missing?: readonly string[];
  /** The effect of the fault that applied to the call. */
  fault?: string;
}

const ENVELOPE = new Set(
  [
    'Action',
    'Version',
    'Format',
    'Timestamp',
    'AccessKeyId',
    'Signature',
    'SignatureMethod',
    'SignatureVersion',
    'SignatureNonce',
    'SignatureType',
    'SecurityToken',
  ].map((name) => name.toLowerCase()),
);
const SECRET = new Set(['privatekey', 'oidctoken', 'bearertoken']);

/** Returns the parameters of the operation, without common parameters such as `Action`. */
export const ownParameters = (parameters: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(Object.entries(parameters).filter(([name]) => !ENVELOPE.has(name.toLowerCase())));

const withoutSecrets = (parameters: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(parameters).map(([name, value]) => [name, SECRET.has(name.toLowerCase()) ? '[cut]' : value]),
  );

/** The number of latest calls that the journal always has. Older calls may be dropped. */
export const JOURNAL_LENGTH = 100_000;

/** The record of all calls. From the journal, tests and the demo learn which calls a client sent. */
export class Journal {
  #entries: JournalEntry[] = [];
  #n = 0;

  /** Records a call on arrival. The caller later sets the outcome in the returned entry. */
  begin(entry: Omit<JournalEntry, 'n'>): JournalEntry {
    this.#n += 1;
    const kept = { n: this.#n, ...entry, parameters: withoutSecrets(entry.parameters) };
    this.#entries.push(kept);
    if (this.#entries.length >= 2 * JOURNAL_LENGTH) this.#entries = this.#entries.slice(-JOURNAL_LENGTH);
    return kept;
  }

  /** Returns the calls after call number `n`. */
  since(n: number): readonly JournalEntry[] {
    const first = this.#entries[0]?.n ?? 1;
    return this.#entries.slice(Math.max(0, n + 1 - first));
  }

  clear(): void {
    this.#entries = [];
    this.#n = 0;
  }
}
