import type { SimulatedAccessKey, Caller, KeyRing } from './credentials.ts';
import type { IdSource } from './id-source.ts';

/** The role and the lifetime of a temporary key. */
export interface Session {
  /** The short name of the role. */
  readonly role: string;
  /** The name of the session, which the caller chooses. */
  readonly session: string;
  readonly seconds: number;
}

interface Issuer {
  readonly ids: IdSource;
  readonly keys: KeyRing;
  /** Milliseconds since the epoch. */
  readonly now: number;
}

/** Creates a temporary access key of a role, and adds the key to the keys that the simulator accepts. */
export function temporaryKey(
  { ids, keys, now }: Issuer,
  { accountId }: Caller,
  { role, session, seconds }: Session,
): SimulatedAccessKey & { readonly expiresAt: number; readonly token: string } {
  const roleId = ids.characters(18);
  const key = {
    id: `STS.${ids.characters(24)}`,
    secret: ids.characters(44),
    token: ids.characters(200),
    expiresAt: now + seconds * 1_000,
    caller: {
      accountId,
      arn: `acs:ram::${accountId}:assumed-role/${role}/${session}`,
      identityType: 'AssumedRoleUser',
      principalId: `${roleId}:${session}`,
      roleId,
    },
  } as const;
  keys.add(key);
  return key;
}
