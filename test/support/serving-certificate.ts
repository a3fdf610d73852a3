import { mkdtempSync, renameSync, rmSync, symlinkSync, writeFileSync, mkdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createAuthority, type CertificateAuthority, type Credential } from '../../src/local/pki.ts';

const YEAR_MS = 365 * 24 * 60 * 60 * 1000;

/** A serving certificate of a webhook for the loopback address, with its authority. */
export interface ServingCertificate extends Credential {
  readonly authority: CertificateAuthority;
}

/** Creates a certificate that is valid for a year from `now`. */
export async function servingCertificate(now = Date.now()): Promise<ServingCertificate> {
  const authority = await createAuthority('test', now);
  const issued = await authority.issue({
    commonName: 'portcullis-webhook',
    usage: 'server',
    dnsNames: ['localhost', 'portcullis-webhook.portcullis-system.svc'],
    addresses: ['127.0.0.1'],
  });
  return { ...issued, authority };
}

/** Creates a certificate that expired a year ago. */
export const expiredCertificate = (now = Date.now()): Promise<ServingCertificate> =>
  servingCertificate(now - 2 * YEAR_MS);

/** A folder like a mounted Secret of a kubelet. Files link into a folder behind the link `..data`, which a change replaces. */
export interface MountedSecret extends Disposable {
  readonly certFile: string;
  readonly keyFile: string;
  swap(pair: Credential): void;
}

export function mountedSecret(pair: Credential): MountedSecret {
  const folder = mkdtempSync(join(tmpdir(), 'portcullis-secret-'));
  let version = 0;
  const swap = ({ certificate, key }: Credential): void => {
    version += 1;
    const target = `..version-${version}`;
    mkdirSync(join(folder, target));
    writeFileSync(join(folder, target, 'tls.crt'), certificate);
    writeFileSync(join(folder, target, 'tls.key'), key);
    symlinkSync(target, join(folder, '..data_tmp'));
    renameSync(join(folder, '..data_tmp'), join(folder, '..data'));
  };
  swap(pair);
  for (const file of ['tls.crt', 'tls.key']) symlinkSync(join('..data', file), join(folder, file));
  return {
    certFile: join(folder, 'tls.crt'),
    keyFile: join(folder, 'tls.key'),
    swap,
    [Symbol.dispose]: () => rmSync(folder, { recursive: true, force: true }),
  };
}
