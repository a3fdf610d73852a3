/** An access key of the cloud, which signs calls. The process must never log a key. */
export interface AccessKey {
  readonly id: string;
  readonly secret: string;
  /** The security token of a temporary key. */
  readonly token?: string;
  /** The time at which the key expires, in milliseconds since the epoch. Undefined if the key does not expire or the time is unknown. */
  readonly expiresAtMs?: number;
}

/** A possible source of an access key. */
export interface CredentialSource {
  /** The name in messages, such as `token file /var/addon/token-config`. */
  readonly name: string;
  /** Returns the current key, or undefined if this source is not configured. Rejects with the problem if a configured source has no usable key. */
  read(): Promise<AccessKey | undefined>;
  /** Reports that the cloud rejected the key, so that a source with a cached key requests a new key. */
  markRejected?(): void;
}

/** The access key of the process. Each call asks for the key, so a rotated key takes effect with the next call. */
export interface Credentials {
  /** Returns the key of the first configured source. If the source fails, returns its last key while the key is valid. */
  current(): Promise<AccessKey>;
  /** Reports that the cloud rejected the current key as unknown, expired, or inconsistent with its token. */
  markRejected(): void;
  /** Returns the ids, secrets and tokens of the recent keys, which messages and logs must not contain. */
  secrets(): Iterable<string>;
}

/** Returns the key, or undefined if both texts are empty. Throws if only one text is empty. */
export function accessKeyOf(id: string, idName: string, secret: string, secretName: string): AccessKey | undefined {
  if (id === '' && secret === '') return undefined;
  if (id === '') throw new Error(`${secretName} is set and ${idName} is not: set both or neither`);
  if (secret === '') throw new Error(`${idName} is set and ${secretName} is not: set both or neither`);
  return { id, secret };
}
