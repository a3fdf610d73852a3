import type { Clock } from '../../base/clock.ts';
import { within } from '../../base/deadline.ts';
import type { AccessKey, CredentialSource } from './access-key.ts';

/** A key that is given out for a time. */
export interface IssuedKey extends AccessKey {
  readonly token: string;
  readonly expiresAtMs: number;
}

/** Whoever gives out keys for a time. */
export interface Issuer {
  /** For people. */
  readonly name: string;
  /** A new key; undefined when there is none to be had here. Rejects with a sentence. */
  issue(signal: AbortSignal): Promise<IssuedKey | undefined>;
}

/** A key is renewed when so much is left of its time, or a quarter of it where that is less. */
const RENEW_BEFORE_MS = 15 * 60_000;
/** Between two keys, also when the new one ends as soon as the one before. */
const SHORTEST_MS = 60_000;
/** Until the next try after a failure, and after a key that the cloud refused. */
const RETRY_MS = 10_000;
/** For one try. */
const PATIENCE_MS = 12_000;

/**
 * Remembers the key that an issuer has given out, and has it renewed in time: once, however many ask, and without anybody waiting as
 * long as the old one counts. `stop` ends what is under way.
 */
export function issuedBy(issuer: Issuer, clock: Clock, stop: AbortSignal): CredentialSource {
  let key: IssuedKey | undefined;
  let isRefused = false;
  let failure: { readonly error: unknown } | undefined;
  /** By the wall clock, as the end of the key is. */
  let renewAtMs = -Infinity;
  /** By the monotonic clock. */
  let notBeforeMs = -Infinity;
  let renewing: Promise<void> | undefined;

  const renew = async (): Promise<void> => {
    try {
      key = await within(clock, PATIENCE_MS, stop, (signal) => issuer.issue(signal));
      failure = undefined;
      isRefused = false;
      const nowMs = clock.now();
      const leftMs = (key?.expiresAtMs ?? nowMs) - nowMs;
      renewAtMs = nowMs + Math.max(SHORTEST_MS, leftMs - Math.min(RENEW_BEFORE_MS, leftMs / 4));
    } catch (error) {
      failure = { error };
    }
    notBeforeMs = clock.monotonic() + RETRY_MS;
    renewing = undefined;
  };
  const isGood = (): boolean => key !== undefined && !isRefused && clock.now() < key.expiresAtMs;
  const isDue = (): boolean => clock.now() >= renewAtMs || !isGood();

  return {
    name: issuer.name,
    read: async () => {
      if (isDue() && clock.monotonic() >= notBeforeMs) renewing ??= renew();
      if (!isGood()) await renewing;
      if (failure !== undefined) throw failure.error;
      return key;
    },
    refused: () => {
      isRefused = true;
    },
  };
}
