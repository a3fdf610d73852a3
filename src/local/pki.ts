import { createSigner, newKeys, pem, type CertificateRequest, type Credential } from '../certificate/x509.ts';

export type { CertificateRequest, Credential } from '../certificate/x509.ts';

/** A certificate authority of the sandbox. `planControlPlane` creates the authorities of each new sandbox. */
export interface CertificateAuthority extends Credential {
  /** Issues a certificate with the validity of the authority. */
  readonly issue: (request: CertificateRequest) => Promise<Credential>;
}

/** The milliseconds by which the validity starts before the creation, because the clocks of virtual machines drift. */
const BACKDATED_MS = 5 * 60 * 1000;
const LIFETIME_MS = 365 * 24 * 60 * 60 * 1000;

/** Creates an authority that is valid for a year. `now` is in milliseconds since the epoch. */
export async function createAuthority(commonName: string, now: number): Promise<CertificateAuthority> {
  const validity = { notBefore: now - BACKDATED_MS, notAfter: now + LIFETIME_MS };
  const { certificate, key, issue } = await createSigner(commonName, validity);
  return { certificate, key, issue: (request) => issue(request, validity) };
}

/** Creates the key pair in PEM that signs and verifies the tokens of ServiceAccounts. */
export async function createTokenKeys(): Promise<{ readonly publicKey: string; readonly privateKey: string }> {
  const keys = await newKeys();
  return { publicKey: await pem(keys.publicKey), privateKey: await pem(keys.privateKey) };
}
