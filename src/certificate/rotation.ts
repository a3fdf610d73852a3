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
} from './certificate-secret.ts';

/** The periods of certificates and rotations, in milliseconds. */
export interface Terms {
  readonly authorityMs: number;
  readonly servingMs: number;
  /** The time between the start of the validity and the issue, because the clocks of API servers may be behind. */
  readonly backdatedMs: number;
  /** The time for which all webhook configurations trust a new authority before it signs; shorter if an old authority expires soon (`overlapOf`). */
  readonly overlapMs: number;
  /**
   * The longest time for which an old authority stays trusted after the new authority signs, so that webhook processes can load the new certificate.
   */
  readonly lingerMs: number;
}

const HOUR_MS = 3_600_000;

/** The periods of the controller. The lifetimes equal those in `manifests/certificate` for cert-manager. */
export const TERMS: Terms = {
  authorityMs: 87_600 * HOUR_MS,
  servingMs: 2_160 * HOUR_MS,
  backdatedMs: HOUR_MS,
  overlapMs: HOUR_MS / 6,
  lingerMs: 24 * HOUR_MS,
};

/** The inputs of a decision, all read in one pass of the certificate controller. */
export interface Situation {
  /** The time of the API server in milliseconds since the epoch, because the API server checks the validity of certificates. */
  readonly now: number;
  /** The data of the authority's Secret. Undefined without the Secret. */
  readonly authority: SecretData | undefined;
  readonly serving: SecretData | undefined;
  /** The webhook configurations, each with the `caBundle` (base64) of each webhook. */
  readonly configurations: readonly { readonly kind: string; readonly bundles: readonly string[] }[];
  /** True if every configuration was read, because an unread configuration can lack the authority. */
  readonly isComplete: boolean;
  /** Returns the time, in milliseconds, for which all configurations have trusted the authority. */
  readonly trustedForMs: (authority: X509Certificate) => number;
  /** The DNS name of the webhook, which its certificate must contain. */
  readonly dnsName: string;
}

/** A write to the API server, which the certificate controller applies. The controller may repeat a step, or stop after any step. */
export type RotationStep =
  /** Creates a new authority. The trusted authorities stay trusted. */
  | { readonly kind: 'authority'; readonly why: string; readonly trusted: readonly X509Certificate[] }
  /** Stores the trusted authorities in the Secret of the authority. */
  | { readonly kind: 'record'; readonly trusted: readonly X509Certificate[] }
  /** Writes the trusted authorities to a webhook configuration. */
  | { readonly kind: 'trust'; readonly configuration: string; readonly trusted: readonly X509Certificate[] }
  /** Issues a new certificate for the webhook, signed by the authority. */
  | { readonly kind: 'serving'; readonly why: string };

export interface RotationDecision {
  /** The steps to apply now, in order. Later steps follow from the next decision. */
  readonly steps: readonly RotationStep[];
  /** True if every webhook of every existing configuration trusts the authority. */
  readonly isTrusted: boolean;
  /** The authority that signs. Undefined if there is no usable authority. */
  readonly authority: X509Certificate | undefined;
  readonly serving: X509Certificate | undefined;
  /** The shorter of `overlapMs` and `lingerMs` now. The controller decides again within this time. Undefined if only one authority is trusted. */
  readonly shorterWaitMs: number | undefined;
}

/** The part of an authority's remaining validity that limits each wait of a rotation. */
const PART_OF_REMAINING = 1 / 100;
/** The part of its validity after which a certificate is renewed. */
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

/** Returns the next steps for the webhook's certificates. */
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
  // Old authorities stay trusted until no process uses their certificates.
  const trusted = isSettled ? [authority] : [authority, ...others];
  const isTrusted = activeBundles.every(({ bundles }) =>
    bundles.every((bundle) => bundle.some((one) => isSame(one, authority))),
  );
  const decided = {
    isTrusted,
    authority,
    serving: orNothing(serving),
    shorterWaitMs: trusted.length > 1 ? Math.min(overlap.overlapMs, overlap.lingerMs) : undefined,
  };
  if (isDue(authority, now)) {
    return { ...decided, steps: [{ kind: 'authority', why: 'two thirds of its validity are over', trusted }] };
  }
  const isReady = isTrusted && situation.isComplete;
  const hasWaited = situation.trustedForMs(authority) >= overlap.overlapMs;
  // The replacement of a usable certificate waits until all configurations trust the authority.
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
  shorterWaitMs: undefined,
});

/** Returns the waits of a rotation. A trusted authority that expires soon shortens both waits, because the rotation must end before the expiry. */
function overlapOf(others: readonly X509Certificate[], { overlapMs, lingerMs }: Terms, now: number) {
  const left = Math.min(...others.map(endOf)) - now;
  return {
    overlapMs: Math.min(overlapMs, left * PART_OF_REMAINING),
    lingerMs: Math.min(lingerMs, left * PART_OF_REMAINING),
  };
}

/**
 * Returns whether the authority signed the serving certificate and the certificate is valid since `since` or earlier, so that old authorities are not
 * needed.
 */
const hasSettled = (serving: X509Certificate | undefined, authority: X509Certificate, since: number): boolean =>
  serving !== undefined && isIssuedBy(serving, authority) && beginOf(serving) <= since;

interface Readiness {
  readonly authority: X509Certificate;
  readonly now: number;
  /** True if all configurations now trust the authority. */
  readonly isReady: boolean;
  /** True if all configurations have trusted the authority for the whole overlap. */
  readonly hasWaited: boolean;
}

/**
 * Returns why a new serving certificate is needed, or undefined. Replaces an unusable certificate at once, even if the authority is not yet trusted.
 */
function whyServing(serving: StoredCertificate, { authority, now, isReady, hasWaited }: Readiness): string | undefined {
  if (serving.kind === 'unusable') return serving.why;
  if (!isReady) return undefined;
  if (!isIssuedBy(serving.certificate, authority)) return hasWaited ? 'signed by another authority' : undefined;
  return isDue(serving.certificate, now) ? 'two thirds of its validity are over' : undefined;
}
