import type { X509Certificate } from 'node:crypto';
import {
  authorityIn,
  certificatesIn,
  isIssuedBy,
  isSame,
  servingIn,
  textIn,
  TRUSTED,
  type StoredCertificate,
  type SecretData,
} from './stored.ts';

/** The periods of certificates, in milliseconds. */
export interface Terms {
  readonly authorityMs: number;
  readonly servingMs: number;
  /** The time that certificates start before they are issued, because the clocks of API servers differ. */
  readonly backdatedMs: number;
  /** The longest time that all configurations trust an authority before it signs. */
  readonly overlapMs: number;
  /** The longest time that an authority stays trusted after its last use. Every process must have loaded the replacement by then. */
  readonly lingerMs: number;
}

const HOUR_MS = 3_600_000;

/** The lifetimes are equal to those that `manifests/certificate` requests from cert-manager. */
export const TERMS: Terms = {
  authorityMs: 87_600 * HOUR_MS,
  servingMs: 2_160 * HOUR_MS,
  backdatedMs: HOUR_MS,
  overlapMs: HOUR_MS / 6,
  lingerMs: 24 * HOUR_MS,
};

/** The inputs of a decision, read at one moment. */
export interface Situation {
  /** Milliseconds since the epoch by the clock of the API server, because the API server accepts or rejects certificates. */
  readonly now: number;
  /** Undefined if the Secret does not exist. */
  readonly authority: SecretData | undefined;
  readonly serving: SecretData | undefined;
  /** The existing webhook configurations, each with the `caBundle` (base64) of its webhooks. */
  readonly configurations: readonly { readonly kind: string; readonly bundles: readonly string[] }[];
  /** True if every configuration was read. An unread configuration may trust no authority. */
  readonly isComplete: boolean;
  /** Returns the milliseconds for which all configurations are known to trust the authority. */
  readonly trustedForMs: (authority: X509Certificate) => number;
  /** The DNS name of the webhook. */
  readonly dnsName: string;
}

/** A single write. A step may be repeated, and the next step may come much later. */
export type RotationStep =
  /** Creates a new authority; the trusted authorities stay trusted. */
  | { readonly kind: 'authority'; readonly why: string; readonly trusted: readonly X509Certificate[] }
  /** Stores the trusted authorities in the Secret of the authority. */
  | { readonly kind: 'record'; readonly trusted: readonly X509Certificate[] }
  /** Writes the trusted authorities to a webhook configuration. */
  | { readonly kind: 'trust'; readonly configuration: string; readonly trusted: readonly X509Certificate[] }
  /** Issues a new serving certificate, which the authority signs. */
  | { readonly kind: 'serving'; readonly why: string };

export interface RotationDecision {
  /** The steps in their order. Steps that depend on one of these steps come in the next decision. */
  readonly steps: readonly RotationStep[];
  /** True if every webhook of every existing configuration trusts the authority. */
  readonly isTrusted: boolean;
  /** Undefined if no authority is usable. */
  readonly authority: X509Certificate | undefined;
  readonly serving: X509Certificate | undefined;
  /** The milliseconds of each part of the overlap. Undefined if only one authority is trusted. */
  readonly overlapMs: number | undefined;
}

/** The largest part of the remaining validity that an overlap may take if a trusted authority expires soon. */
const OF_WHAT_IS_LEFT = 1 / 100;
/** The part of its life after which a certificate is replaced. */
const RENEWED_AFTER = 2 / 3;

const beginOf = ({ validFromDate }: X509Certificate): number => validFromDate.getTime();
const endOf = ({ validToDate }: X509Certificate): number => validToDate.getTime();

const isDue = (certificate: X509Certificate, now: number): boolean =>
  now >= beginOf(certificate) + (endOf(certificate) - beginOf(certificate)) * RENEWED_AFTER;

const distinct = (certificates: readonly X509Certificate[]): readonly X509Certificate[] =>
  certificates.filter((one, index) => certificates.findIndex((other) => isSame(one, other)) === index);

const areSame = (some: readonly X509Certificate[], others: readonly X509Certificate[]): boolean =>
  some.length === others.length &&
  some.every((one, index) => others[index] !== undefined && isSame(one, others[index]));

const orNothing = (found: StoredCertificate): X509Certificate | undefined =>
  found.kind === 'usable' ? found.certificate : undefined;

/**
 * Returns the next steps. A new authority is trusted first, signs after the overlap, and replaces the old authority once no process serves under the
 * old one. The stored objects alone show the progress.
 */
export function decide(situation: Situation, terms: Terms): RotationDecision {
  const { now, dnsName } = situation;
  const found = authorityIn(situation.authority, now);
  const recorded = certificatesIn(textIn(situation.authority, TRUSTED));
  const activeBundles = situation.configurations.map(({ kind, bundles }) => ({
    kind,
    bundles: bundles.map((bundle) => certificatesIn(Buffer.from(bundle, 'base64').toString())),
  }));
  const known = distinct([...recorded, ...activeBundles.flatMap(({ bundles }) => bundles.flat())]).filter(
    (certificate) => certificate.ca && endOf(certificate) > now,
  );
  const authority = orNothing(found);
  if (authority === undefined) return withoutAuthority(found, known);
  const others = known.filter((one) => !isSame(one, authority));
  const serving = servingIn(situation.serving, now, dnsName, [authority, ...others]);
  const overlap = overlapOf(others, terms, now);
  const isSettled = hasSettled(orNothing(serving), authority, now - terms.backdatedMs - overlap.lingerMs);
  const trusted = isSettled ? [authority] : [authority, ...others];
  const isTrusted = activeBundles.every(({ bundles }) =>
    bundles.every((bundle) => bundle.some((one) => isSame(one, authority))),
  );
  const decided = {
    isTrusted,
    authority,
    serving: orNothing(serving),
    overlapMs: trusted.length > 1 ? Math.min(overlap.overlapMs, overlap.lingerMs) : undefined,
  };
  if (isDue(authority, now)) {
    return { ...decided, steps: [{ kind: 'authority', why: 'two thirds of its validity are over', trusted }] };
  }
  const isReady = isTrusted && situation.isComplete;
  const hasWaited = situation.trustedForMs(authority) >= overlap.overlapMs;
  const why = whyServing(serving, { authority, now, isReady, hasWaited });
  const steps: readonly RotationStep[] = [
    ...(areSame(recorded, trusted) ? [] : [{ kind: 'record', trusted } as const]),
    ...activeBundles
      .filter(({ bundles }) => bundles.some((bundle) => !areSame(bundle, trusted)))
      .map(({ kind }) => ({ kind: 'trust', configuration: kind, trusted }) as const),
    ...(why === undefined ? [] : [{ kind: 'serving', why } as const]),
  ];
  return { ...decided, steps };
}

const withoutAuthority = (found: StoredCertificate, trusted: readonly X509Certificate[]): RotationDecision => ({
  steps: [{ kind: 'authority', why: found.kind === 'unusable' ? found.why : '', trusted }],
  isTrusted: false,
  authority: undefined,
  serving: undefined,
  overlapMs: undefined,
});

/** Shortens the overlap if a trusted authority expires soon, so that the replacement is in use before the expiry. */
function overlapOf(others: readonly X509Certificate[], { overlapMs, lingerMs }: Terms, now: number) {
  const left = Math.min(...others.map(endOf)) - now;
  return {
    overlapMs: Math.min(overlapMs, left * OF_WHAT_IS_LEFT),
    lingerMs: Math.min(lingerMs, left * OF_WHAT_IS_LEFT),
  };
}

/** Returns whether the authority has signed the serving certificate, and the certificate starts at or before `since`. */
const hasSettled = (serving: X509Certificate | undefined, authority: X509Certificate, since: number): boolean =>
  serving !== undefined && isIssuedBy(serving, authority) && beginOf(serving) <= since;

interface Readiness {
  readonly authority: X509Certificate;
  readonly now: number;
  /** True if all configurations trust the authority now. */
  readonly isReady: boolean;
  /** True if all configurations have trusted the authority for the whole overlap. */
  readonly hasWaited: boolean;
}

/**
 * Returns why a new serving certificate is needed now, or undefined. An unusable certificate is replaced even if the authority is not trusted yet.
 */
function whyServing(serving: StoredCertificate, { authority, now, isReady, hasWaited }: Readiness): string | undefined {
  if (serving.kind === 'unusable') return serving.why;
  if (!isReady) return undefined;
  if (!isIssuedBy(serving.certificate, authority)) return hasWaited ? 'signed by another authority' : undefined;
  return isDue(serving.certificate, now) ? 'two thirds of its validity are over' : undefined;
}
