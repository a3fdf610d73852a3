/** What signs a call. Never to be logged. */
export interface AccessKey {
  readonly id: string;
  readonly secret: string;
  /** With a temporary key. */
  readonly token?: string;
  /** Milliseconds since the epoch from which on the cloud refuses it; absent where it does not end, or that is not known. */
  readonly expiresAtMs?: number;
}

/** One place where an access key may be. */
export interface CredentialSource {
  /** For people: `cloud-config file /etc/…`. */
  readonly name: string;
  /** The key as it is now; undefined when this source is not in use. Rejects with a sentence when it is in use and unusable. */
  read(): Promise<AccessKey | undefined>;
  /** The cloud has refused the key of late: one that is remembered is to be asked for anew. */
  refused?(): void;
}

/** The access key in use. Asked for each call, so that a rotated key counts from the next call on. */
export interface Credentials {
  /**
   * Rejects `Unauthorized` when no source has a key, or the first that is in use is unusable and never gave one that still counts;
   * `Unavailable` when whoever gives out keys cannot be reached.
   */
  current(): Promise<AccessKey>;
  /** Says that the cloud has refused the key in use: unknown, expired, or not fitting its token. */
  refused(): void;
  /** Everything that must not appear in a text: the key in use and those before it. */
  secrets(): Iterable<string>;
}

/** Both halves of a key, or neither; one alone is a mistake that is said. */
export function pair(id: string, idName: string, secret: string, secretName: string): AccessKey | undefined {
  if (id === '' && secret === '') return undefined;
  if (id === '') throw new Error(`${secretName} is set and ${idName} is not: set both or none`);
  if (secret === '') throw new Error(`${idName} is set and ${secretName} is not: set both or none`);
  return { id, secret };
}
