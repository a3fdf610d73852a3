import { createSigner, newKeys, pem, type CertificateRequest, type Credential } from '../certificate/x509.ts';

export type { CertificateRequest, Credential } from '../certificate/x509.ts';

export interface CertificateAuthority extends Credential {
  /** Valid for as long as the authority. */
  readonly issue: (request: CertificateRequest) => Promise<Credential>;
}

/** Certificates are valid from a little earlier: clocks of one machine's parts may differ by a virtual machine's drift. */
const BACKDATED_MS = 5 * 60 * 1000;
const LIFETIME_MS = 365 * 24 * 60 * 60 * 1000;

/** A new authority, valid for a year from `now` (milliseconds since the epoch). */
export async function createAuthority(commonName: string, now: number): Promise<CertificateAuthority> {
  const validity = { notBefore: now - BACKDATED_MS, notAfter: now + LIFETIME_MS };
  const { certificate, key, issue } = await createSigner(commonName, validity);
  return { certificate, key, issue: (request) => issue(request, validity) };
}

/** The pair that signs and proves service-account tokens, PEM. */
export async function createTokenKeys(): Promise<{ readonly publicKey: string; readonly privateKey: string }> {
  const keys = await newKeys();
  return { publicKey: await pem(keys.publicKey), privateKey: await pem(keys.privateKey) };
}
