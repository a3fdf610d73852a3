import type { Lease } from '../base/kubernetes-objects.ts';

type Spec = NonNullable<Lease['spec']>;

/** Returns a time in the format of Lease fields: RFC 3339 with six fractional digits of the second. */
export const microTime = (ms: number): string => new Date(ms).toISOString().replace('Z', '000Z');

/** Returns the holder of a Lease, or an empty text for a free Lease. */
export const holderOf = (lease: Lease): string => lease.spec?.holderIdentity ?? '';

/** Returns the validity of a Lease after each renewal, in milliseconds. */
export const durationOf = (lease: Lease, otherwiseMs: number): number => {
  const seconds = lease.spec?.leaseDurationSeconds ?? 0;
  return seconds > 0 ? seconds * 1000 : otherwiseMs;
};

/** Returns a text that changes with each renewal. Candidates compare texts, because they cannot trust the clock of the holder. */
export const fingerprintOf = (lease: Lease): string => JSON.stringify(lease.spec ?? {});

export interface LeaseClaim {
  readonly identity: string;
  readonly leaseMs: number;
  /** The current time in milliseconds since the epoch. Only users read the time; no decision depends on it. */
  readonly now: number;
}

/** Returns the spec of a Lease that a process acquires or renews. A new holder counts as a transition, except for a new Lease. */
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

/** Returns the spec of a released Lease, as client-go writes it, so that another process can acquire the Lease at once. */
export const released = (before: Spec | undefined, now: number): Spec => ({
  ...before,
  holderIdentity: '',
  leaseDurationSeconds: 1,
  acquireTime: microTime(now),
  renewTime: microTime(now),
});
