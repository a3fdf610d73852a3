import type { Clock } from '../../base/clock.ts';
import { within } from '../../base/deadline.ts';
import type { AccessKey, CredentialSource } from './credential-types.ts';

/** A temporary access key, which an issuer renews. */
export interface IssuedKey extends AccessKey {
  readonly token: string;
  readonly expiresAtMs: number;
}

/** A service that issues temporary keys. */
export interface KeyIssuer {
  /** The name of the issuer in messages. */
  readonly name: string;
  /** Returns a new key, or undefined if this machine cannot use the issuer. Rejects with a readable message. */
  issue(signal: AbortSignal): Promise<IssuedKey | undefined>;
}

/** The remaining lifetime at which a key is renewed, in milliseconds. A short-lived key is renewed when a quarter of its lifetime remains. */
const RENEW_BEFORE_MS = 15 * 60_000;
/** The shortest time between two scheduled renewals, in milliseconds. */
const SHORTEST_MS = 60_000;
/** The shortest time between two attempts after a failure or a rejected key, in milliseconds. */
const RETRY_MS = 10_000;
/** The timeout of one attempt, in milliseconds. */
const ATTEMPT_TIMEOUT_MS = 12_000;

/** Returns a source that caches and renews the key of an issuer. A read waits for a renewal only if there is no valid key. */
export function issuedBy(issuer: KeyIssuer, clock: Clock, stop: AbortSignal): CredentialSource {
  let key: IssuedKey | undefined;
  let isRejected = false;
  let failure: { readonly error: unknown } | undefined;
  /** The time of the next renewal, in milliseconds since the epoch. */
  let renewAtMs = -Infinity;
  /** The earliest time of the next attempt, in monotonic milliseconds. */
  let notBeforeMs = -Infinity;
  let renewing: Promise<void> | undefined;

  const renew = async (): Promise<void> => {
    try {
      key = await within(clock, ATTEMPT_TIMEOUT_MS, stop, (signal) => issuer.issue(signal));
      failure = undefined;
      isRejected = false;
      const nowMs = clock.now();
      const leftMs = (key?.expiresAtMs ?? nowMs) - nowMs;
      renewAtMs = nowMs + Math.max(SHORTEST_MS, leftMs - Math.min(RENEW_BEFORE_MS, leftMs / 4));
    } catch (error) {
      failure = { error };
    }
    notBeforeMs = clock.monotonic() + RETRY_MS;
    renewing = undefined;
  };
  const isGood = (): boolean => key !== undefined && !isRejected && clock.now() < key.expiresAtMs;
  const isDue = (): boolean => clock.now() >= renewAtMs || !isGood();

  return {
    name: issuer.name,
    read: async () => {
      if (isDue() && clock.monotonic() >= notBeforeMs) renewing ??= renew();
      if (!isGood()) await renewing;
      if (failure !== undefined) throw failure.error;
      return key;
    },
    markRejected: () => {
      isRejected = true;
    },
  };
}
