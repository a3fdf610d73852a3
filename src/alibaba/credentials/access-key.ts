/** The key that signs calls. It must never be logged. */
export interface AccessKey {
  readonly id: string;
  readonly secret: string;
  /** The security token of a temporary key. */
  readonly token?: string;
  /** The end of the key in milliseconds since the epoch. Undefined if the key does not expire or its end is unknown. */
  readonly expiresAtMs?: number;
}

/** A possible source of an access key. */
export interface CredentialSource {
  /** The name in messages: `cloud-config file /etc/…`. */
  readonly name: string;
  /** Returns the current key, or undefined if this source is not in use. Rejects with a readable message if the source is in use and unusable. */
  read(): Promise<AccessKey | undefined>;
  /** Reports that the cloud rejected the key. A source that caches the key requests a new key. */
  markRejected?(): void;
}

/** The access key in use. Each call reads it, so a rotated key takes effect with the next call. */
export interface Credentials {
  /**
   * Returns the key of the first source in use. If the source is unusable, returns its previous key until that key expires, and rejects afterwards:
   * `Unavailable` if the issuer of keys cannot be reached, otherwise `Unauthorized`. Also rejects `Unauthorized` if no source is in use.
   */
  current(): Promise<AccessKey>;
  /** Reports that the cloud rejected the key in use: unknown, expired, or inconsistent with its token. */
  markRejected(): void;
  /** Returns the current and earlier keys, which must not appear in any text. */
  secrets(): Iterable<string>;
}

/** Returns both halves of a key, or undefined if both are empty. Throws if only one half is set. */
export function pair(id: string, idName: string, secret: string, secretName: string): AccessKey | undefined {
  if (id === '' && secret === '') return undefined;
  if (id === '') throw new Error(`${secretName} is set and ${idName} is not: set both or neither`);
  if (secret === '') throw new Error(`${idName} is set and ${secretName} is not: set both or neither`);
  return { id, secret };
}
