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

/** For how long certificates are valid and trusted; milliseconds. */
export interface Terms {
  readonly authorityMs: number;
  readonly servingMs: number;
  /** By how much certificates begin to be valid before they are made: clocks of API servers differ. */
  readonly backdatedMs: number;
  /** For how long at most an authority is trusted everywhere before it is used. */
  readonly overlapMs: number;
  /** For how long at most an authority is trusted after it was used last: until every process has taken up what replaced it. */
  readonly lingerMs: number;
}

const HOUR_MS = 3_600_000;

/** The lives are those that `manifests/certificate` asks cert-manager for. */
export const TERMS: Terms = {
  authorityMs: 87_600 * HOUR_MS,
  servingMs: 2_160 * HOUR_MS,
  backdatedMs: HOUR_MS,
  overlapMs: HOUR_MS / 6,
  lingerMs: 24 * HOUR_MS,
};

/** Everything that counts, as it was read at one moment. */
export interface Situation {
  /** Milliseconds since the epoch, by the API server, which is who accepts or refuses certificates. */
  readonly now: number;
  /** Absent: there is no such Secret. */
  readonly authority: SecretData | undefined;
  readonly serving: SecretData | undefined;
  /** Webhook configurations that there are, each with the `caBundle` of its webhooks, base64. */
  readonly configurations: readonly { readonly kind: string; readonly bundles: readonly string[] }[];
  /** Whether these are all: one that could not be read may trust nobody. */
  readonly isComplete: boolean;
  /** For how long all of them have been seen to trust an authority; milliseconds. */
  readonly trustedForMs: (authority: X509Certificate) => number;
  /** Under which the webhook is called. */
  readonly dnsName: string;
}

/** One write. Each may be repeated, and may be the last one for a long time. */
export type Step =
  /** A new authority, beside those that stay trusted. */
  | { readonly kind: 'authority'; readonly why: string; readonly trusted: readonly X509Certificate[] }
  /** Whom to trust, kept with the authority. */
  | { readonly kind: 'record'; readonly trusted: readonly X509Certificate[] }
  /** The same in a webhook configuration. */
  | { readonly kind: 'trust'; readonly configuration: string; readonly trusted: readonly X509Certificate[] }
  /** A new serving certificate, signed by the authority. */
  | { readonly kind: 'serving'; readonly why: string };

export interface RotationDecision {
  /** In their order. What has to wait for one of them to be done comes in the next decision. */
  readonly steps: readonly Step[];
  /** Whether the authority is trusted by every webhook of every configuration that there is. */
  readonly isTrusted: boolean;
  /** Absent: there is none that can be used. */
  readonly authority: X509Certificate | undefined;
  readonly serving: X509Certificate | undefined;
  /** How long each part of the overlap lasts; absent where one authority is trusted alone. */
  readonly overlapMs: number | undefined;
}

/** Trust that ends soon may take no more than this part of what is left. */
const OF_WHAT_IS_LEFT = 1 / 100;
/** Of its life after which a certificate is replaced. */
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
 * What to do next. An authority is replaced in this order, so that at each moment who calls trusts who serves: a new one is made and
 * trusted beside the old one; once that has been so for a while, it signs; the old one is no longer trusted once nobody can be serving
 * under it any more. Where each of these sandboxes is seen from what is stored alone.
 */
export function decide(situation: Situation, terms: Terms): RotationDecision {
  const { now, dnsName } = situation;
  const found = authorityIn(situation.authority, now);
  const recorded = certificatesIn(textIn(situation.authority, TRUSTED));
  const inForce = situation.configurations.map(({ kind, bundles }) => ({
    kind,
    bundles: bundles.map((bundle) => certificatesIn(Buffer.from(bundle, 'base64').toString())),
  }));
  const known = distinct([...recorded, ...inForce.flatMap(({ bundles }) => bundles.flat())]).filter(
    (certificate) => certificate.ca && endOf(certificate) > now,
  );
  const authority = orNothing(found);
  if (authority === undefined) return withoutAuthority(found, known);
  const others = known.filter((one) => !isSame(one, authority));
  const serving = servingIn(situation.serving, now, dnsName, [authority, ...others]);
  const overlap = overlapOf(others, terms, now);
  const isSettled = hasSettled(orNothing(serving), authority, now - terms.backdatedMs - overlap.lingerMs);
  const trusted = isSettled ? [authority] : [authority, ...others];
  const isTrusted = inForce.every(({ bundles }) =>
    bundles.every((bundle) => bundle.some((one) => isSame(one, authority))),
  );
  const decided = {
    isTrusted,
    authority,
    serving: orNothing(serving),
    overlapMs: trusted.length > 1 ? Math.min(overlap.overlapMs, overlap.lingerMs) : undefined,
  };
  if (isDue(authority, now)) {
    return { ...decided, steps: [{ kind: 'authority', why: 'two thirds of its life are over', trusted }] };
  }
  const isReady = isTrusted && situation.isComplete;
  const hasWaited = situation.trustedForMs(authority) >= overlap.overlapMs;
  const why = whyServing(serving, { authority, now, isReady, hasWaited });
  const steps: readonly Step[] = [
    ...(areSame(recorded, trusted) ? [] : [{ kind: 'record', trusted } as const]),
    ...inForce
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

/** Who serves under one that ends soon has to be given another one before. */
function overlapOf(others: readonly X509Certificate[], { overlapMs, lingerMs }: Terms, now: number) {
  const left = Math.min(...others.map(endOf)) - now;
  return {
    overlapMs: Math.min(overlapMs, left * OF_WHAT_IS_LEFT),
    lingerMs: Math.min(lingerMs, left * OF_WHAT_IS_LEFT),
  };
}

/** Whether what is served is the authority's since before a moment. */
const hasSettled = (serving: X509Certificate | undefined, authority: X509Certificate, since: number): boolean =>
  serving !== undefined && isIssuedBy(serving, authority) && beginOf(serving) <= since;

interface Readiness {
  readonly authority: X509Certificate;
  readonly now: number;
  /** Whether what the authority signs would be trusted now. */
  readonly isReady: boolean;
  /** Whether it would have been for long enough. */
  readonly hasWaited: boolean;
}

/** Why another serving certificate is wanted at this moment, if it is. What cannot be served is replaced whoever trusts it. */
function whyServing(serving: StoredCertificate, { authority, now, isReady, hasWaited }: Readiness): string | undefined {
  if (serving.kind === 'unusable') return serving.why;
  if (!isReady) return undefined;
  if (!isIssuedBy(serving.certificate, authority)) return hasWaited ? 'another authority has signed it' : undefined;
  return isDue(serving.certificate, now) ? 'two thirds of its life are over' : undefined;
}
