/** A server certificate of the region. */
export interface Certificate {
  readonly id: string;
  /** The time of expiry in milliseconds since 1970; undefined if the cloud reports none. */
  readonly expiresAtMs?: number;
}

/** Returns the message for a missing or expired certificate that a plan references; undefined if listeners can use the certificate. */
export function whyUnusable(id: string, certificate: Certificate | undefined, nowMs: number): string | undefined {
  if (certificate === undefined)
    return `certificate ${id} does not exist in this region; upload the certificate there, or correct the annotation that names the certificate`;
  const { expiresAtMs } = certificate;
  if (expiresAtMs === undefined || expiresAtMs > nowMs) return undefined;
  return `certificate ${id} expired on ${new Date(expiresAtMs).toISOString().slice(0, 10)}; name a valid certificate`;
}
