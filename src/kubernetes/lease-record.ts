import type { Lease } from '../base/objects.ts';

type Spec = NonNullable<Lease['spec']>;

/** Returns a time in the format of Lease fields: RFC 3339 with six fractional digits of the second. */
export const microTime = (ms: number): string => new Date(ms).toISOString().replace('Z', '000Z');

/** Returns the holder of a Lease; empty if it was released or never held. */
export const holderOf = (lease: Lease): string => lease.spec?.holderIdentity ?? '';

/** Returns the milliseconds for which the holder keeps the Lease after each renewal. */
export const durationOf = (lease: Lease, otherwiseMs: number): number => {
  const seconds = lease.spec?.leaseDurationSeconds ?? 0;
  return seconds > 0 ? seconds * 1000 : otherwiseMs;
};

/** Returns a text that changes with every renewal, independent of the holder's clock. */
export const fingerprintOf = (lease: Lease): string => JSON.stringify(lease.spec ?? {});

export interface LeaseClaim {
  readonly identity: string;
  readonly leaseMs: number;
  /** Milliseconds since the epoch, for users who read the record. No decision depends on it. */
  readonly now: number;
}

/** Returns the record of a holder that acquires or renews the Lease. An acquisition counts a transition, unless the Lease is new. */
export function claimed(before: Spec | undefined, { identity, leaseMs, now }: LeaseClaim): Spec {
  const isRenewal = before?.holderIdentity === identity;
  const transitions = before?.leaseTransitions ?? 0;
  return {
    ...before,
    holderIdentity: identity,
    leaseDurationSeconds: Math.ceil(leaseMs / 1000),
    acquireTime: isRenewal && before.acquireTime !== undefined ? before.acquireTime : microTime(now),
    renewTime: microTime(now),
    leaseTransitions: isRenewal || before === undefined ? transitions : transitions + 1,
  };
}

/** Returns the record after a release: the Lease is free at once, as in client-go. */
export const released = (before: Spec | undefined, now: number): Spec => ({
  ...before,
  holderIdentity: '',
  leaseDurationSeconds: 1,
  acquireTime: microTime(now),
  renewTime: microTime(now),
});
