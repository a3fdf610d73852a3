import type { ProductName } from './operation.ts';

export interface JournalEntry {
  /** Counts from 1, in order of arrival. */
  readonly n: number;
  /** When the call arrived, in the cloud's own time, ISO 8601. */
  readonly time: string;
  readonly userAgent: string;
  /** Absent when the version names none. */
  readonly product: ProductName | undefined;
  readonly action: string;
  readonly kind: 'read' | 'write' | undefined;
  /** As they came, flattened, without the parameters of the envelope; secrets are cut. */
  readonly parameters: Readonly<Record<string, string>>;
  readonly requestId: string;
  /** The load balancer or VPC that a changing call is about, or the one that it made. */
  subject?: string;
  /** When the call took effect or was refused; absent while it is under way. */
  finished?: string;
  /** `OK` or the error's code, whether or not the answer reached the caller; absent while it is under way. */
  outcome?: string;
  /** The ids that a read asked for and was not answered; absent when there are none. */
  missing?: readonly string[];
  /** The effect of the fault that hit this call. */
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

/** The operation's own parameters. */
export const ownParameters = (parameters: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(Object.entries(parameters).filter(([name]) => !ENVELOPE.has(name.toLowerCase())));

const withoutSecrets = (parameters: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(parameters).map(([name, value]) => [name, SECRET.has(name.toLowerCase()) ? '[cut]' : value]),
  );

/** How many calls are remembered; the oldest go first. */
export const JOURNAL_LENGTH = 100_000;

export class Journal {
  #entries: JournalEntry[] = [];
  #n = 0;

  begin(entry: Omit<JournalEntry, 'n'>): JournalEntry {
    this.#n += 1;
    const kept = { n: this.#n, ...entry, parameters: withoutSecrets(entry.parameters) };
    this.#entries.push(kept);
    if (this.#entries.length >= 2 * JOURNAL_LENGTH) this.#entries = this.#entries.slice(-JOURNAL_LENGTH);
    return kept;
  }

  /** The calls after the `n`-th. */
  since(n: number): readonly JournalEntry[] {
    const first = this.#entries[0]?.n ?? 1;
    return this.#entries.slice(Math.max(0, n + 1 - first));
  }

  clear(): void {
    this.#entries = [];
    this.#n = 0;
  }
}
