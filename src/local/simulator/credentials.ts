import { CloudError } from './error.ts';

/** The identity of a caller, as `GetCallerIdentity` reports it. */
export interface Caller {
  readonly accountId: string;
  readonly arn: string;
  readonly identityType: 'Account' | 'RAMUser' | 'AssumedRoleUser';
  readonly principalId: string;
  readonly roleId?: string;
  readonly userId?: string;
}

/** An access key. A key with a token is temporary. */
export interface SimulatedAccessKey {
  readonly id: string;
  readonly secret: string;
  readonly token?: string;
  /** Milliseconds since the epoch. */
  readonly expiresAt?: number;
  readonly disabled?: boolean;
  readonly caller: Caller;
}

export const ROOT_ACCOUNT = '1234567890123456';

export const accountCaller = (accountId: string = ROOT_ACCOUNT): Caller => ({
  accountId,
  arn: `acs:ram::${accountId}:root`,
  identityType: 'Account',
  principalId: accountId,
  userId: accountId,
});

/** The access keys that the cloud accepts. `Authority` looks up the key of each signed request. */
export class KeyRing {
  #keys = new Map<string, SimulatedAccessKey>();

  add(key: SimulatedAccessKey): void {
    this.#keys.set(key.id, key);
  }

  remove(id: string): boolean {
    return this.#keys.delete(id);
  }

  ids(): readonly string[] {
    return [...this.#keys.keys()];
  }

  /** Saves the keys and returns a function that restores the saved keys, with which `plantSeed` undoes a failed seed. */
  mark(): () => void {
    const keys = new Map(this.#keys);
    return () => {
      this.#keys = keys;
    };
  }

  /** Removes all temporary keys. */
  forgetTemporary(): void {
    for (const key of this.#keys.values()) if (key.token !== undefined) this.#keys.delete(key.id);
  }

  /** Returns the key with this id. Throws the `CloudError` of the response if the key or the token is invalid. */
  use(id: string, token: string | undefined, now: number): SimulatedAccessKey {
    const key = this.#keys.get(id);
    if (key === undefined) {
      throw new CloudError('InvalidAccessKeyId.NotFound', 'The access key id does not exist.');
    }
    if (key.disabled === true) throw new CloudError('InvalidAccessKeyId.Inactive', 'The access key is disabled.');
    // The older Go client library sends an empty token with a permanent key.
    const sentToken = token === '' ? undefined : token;
    if (key.token === undefined && sentToken === undefined) return key;
    this.#checkToken(key, sentToken, now);
    return key;
  }

  #checkToken(key: SimulatedAccessKey, token: string | undefined, now: number): void {
    if (token === undefined) {
      throw new CloudError('MissingSecurityToken', 'A temporary access key requires its SecurityToken.');
    }
    if (key.token !== token) {
      const known = [...this.#keys.values()].some((other) => other.token === token);
      throw known || key.token === undefined
        ? new CloudError(
            'InvalidSecurityToken.MismatchWithAccessKey',
            'The SecurityToken belongs to another access key.',
          )
        : new CloudError('InvalidSecurityToken.Malformed', 'The SecurityToken cannot be read.');
    }
    if (key.expiresAt !== undefined && key.expiresAt <= now) {
      throw new CloudError('InvalidSecurityToken.Expired', 'The SecurityToken has expired.');
    }
  }
}
