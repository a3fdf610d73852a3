/** A server certificate of the region. */
export interface Certificate {
  readonly id: string;
  /** Wall-clock time in milliseconds; undefined if the cloud does not report it. */
  readonly expiresAtMs?: number;
}

/** Returns why a listener must not use a certificate; undefined if it may. */
export function whyUnusable(id: string, certificate: Certificate | undefined, nowMs: number): string | undefined {
  if (certificate === undefined)
    return `certificate ${id} does not exist in this region; upload the certificate there, or correct the annotation that names the certificate`;
  const { expiresAtMs } = certificate;
  if (expiresAtMs === undefined || expiresAtMs > nowMs) return undefined;
  return `certificate ${id} expired on ${new Date(expiresAtMs).toISOString().slice(0, 10)}; name a valid certificate`;
}
