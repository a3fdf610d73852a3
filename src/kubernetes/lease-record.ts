import type { Lease } from '../base/objects.ts';

type Spec = NonNullable<Lease['spec']>;

/** A time as Lease fields carry it: RFC 3339 with exactly six digits of a second's fraction. */
export const microTime = (ms: number): string => new Date(ms).toISOString().replace('Z', '000Z');

/** Who holds a lease; empty when it was released, or never held. */
export const holderOf = (lease: Lease): string => lease.spec?.holderIdentity ?? '';

/** Milliseconds for which the holder claims it after each renewal. */
export const durationOf = (lease: Lease, otherwiseMs: number): number => {
  const seconds = lease.spec?.leaseDurationSeconds ?? 0;
  return seconds > 0 ? seconds * 1000 : otherwiseMs;
};

/** What changes whenever the holder renews, whatever its clock says. */
export const fingerprintOf = (lease: Lease): string => JSON.stringify(lease.spec ?? {});

export interface Claim {
  readonly identity: string;
  readonly leaseMs: number;
  /** Milliseconds since the epoch, for people who read the record; nobody decides by it. */
  readonly now: number;
}

/** The record of a holder that takes the lease or renews it. Who takes it from another, or takes it up again, counts a transition. */
export function claimed(before: Spec | undefined, { identity, leaseMs, now }: Claim): Spec {
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

/** The record that a holder leaves behind when it steps down: free for whoever looks next, as client-go leaves it. */
export const released = (before: Spec | undefined, now: number): Spec => ({
  ...before,
  holderIdentity: '',
  leaseDurationSeconds: 1,
  acquireTime: microTime(now),
  renewTime: microTime(now),
});
