/** A server certificate of the region. */
export interface Certificate {
  readonly id: string;
  /** By the clock of the world, in milliseconds; absent where the cloud does not say. */
  readonly expiresAtMs?: number;
}

/** Why a certificate must not be put into use; absent when it may. */
export function whyUnusable(id: string, certificate: Certificate | undefined, nowMs: number): string | undefined {
  if (certificate === undefined)
    return `certificate ${id} does not exist in this region; upload it there, or correct the annotation that names it`;
  const { expiresAtMs } = certificate;
  if (expiresAtMs === undefined || expiresAtMs > nowMs) return undefined;
  return `certificate ${id} has expired on ${new Date(expiresAtMs).toISOString().slice(0, 10)}; name one that is valid`;
}
