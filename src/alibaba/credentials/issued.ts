import type { Clock } from '../../base/clock.ts';
import { within } from '../../base/deadline.ts';
import type { AccessKey, CredentialSource } from './access-key.ts';

/** A temporary key. */
export interface IssuedKey extends AccessKey {
  readonly token: string;
  readonly expiresAtMs: number;
}

/** A service that issues temporary keys. */
export interface KeyIssuer {
  /** The name in messages. */
  readonly name: string;
  /** Returns a new key, or undefined if this machine has no such issuer. Rejects with a readable message. */
  issue(signal: AbortSignal): Promise<IssuedKey | undefined>;
}

/** A key is renewed when this much of its lifetime is left, or a quarter of its lifetime if a quarter is shorter. */
const RENEW_BEFORE_MS = 15 * 60_000;
/** The minimum between two scheduled renewals, even if the new key expires as early as the old key. */
const SHORTEST_MS = 60_000;
/** The minimum between two attempts, for example after a failure or a rejected key. */
const RETRY_MS = 10_000;
/** The time-out of one attempt. */
const PATIENCE_MS = 12_000;

/**
 * Caches the key of an issuer and renews it in time. Concurrent reads share one renewal and wait only if the old key is invalid. `stop` aborts a
 * running renewal.
 */
export function issuedBy(issuer: KeyIssuer, clock: Clock, stop: AbortSignal): CredentialSource {
  let key: IssuedKey | undefined;
  let isRejected = false;
  let failure: { readonly error: unknown } | undefined;
  /** In wall-clock milliseconds, like the end of the key. */
  let renewAtMs = -Infinity;
  /** In monotonic milliseconds. */
  let notBeforeMs = -Infinity;
  let renewing: Promise<void> | undefined;

  const renew = async (): Promise<void> => {
    try {
      key = await within(clock, PATIENCE_MS, stop, (signal) => issuer.issue(signal));
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
