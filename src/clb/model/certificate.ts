/** A server certificate of the region. */
export interface Certificate {
  readonly id: string;
  /** Wall-clock time in milliseconds; undefined if the cloud does not report it. */
  readonly expiresAtMs?: number;
}

/** Returns why a listener must not use a certificate; undefined if it may. */
export function whyUnusable(id: string, certificate: Certificate | undefined, nowMs: number): string | undefined {
  if (certificate === undefined)
    return `certificate ${id} does not exist in this region; upload it there, or correct the annotation that names it`;
  const { expiresAtMs } = certificate;
  if (expiresAtMs === undefined || expiresAtMs > nowMs) return undefined;
  return `certificate ${id} has expired on ${new Date(expiresAtMs).toISOString().slice(0, 10)}; name one that is valid`;
}
