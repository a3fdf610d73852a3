import { createPrivateKey, X509Certificate, type KeyObject } from 'node:crypto';
import { signingAlgorithm } from './algorithm.ts';

/** The data of a Secret: base64 texts by key. */
export type SecretData = Readonly<Record<string, string>>;

/** The certificate in a Secret, or the reason why the certificate is unusable. The certificate controller replaces unusable certificates. */
export type StoredCertificate =
  | { readonly kind: 'usable'; readonly certificate: X509Certificate }
  | { readonly kind: 'unusable'; readonly why: string };

/** The keys that the API server requires in a Secret of type `kubernetes.io/tls`. */
export const CERTIFICATE = 'tls.crt';
export const PRIVATE_KEY = 'tls.key';
/** The entry of the Secret with the trusted authorities, as in cert-manager. API servers do not read this entry. */
export const TRUSTED = 'ca.crt';

export const textIn = (data: SecretData | undefined, key: string): string =>
  Buffer.from(data?.[key] ?? '', 'base64').toString();

const BLOCK = '-----END CERTIFICATE-----';

/** Returns the certificates in a PEM text, in order. Skips invalid blocks, as API servers do. */
export const certificatesIn = (pem: string): readonly X509Certificate[] =>
  pem
    .split(BLOCK)
    .slice(0, -1)
    .flatMap((block) => parsed(() => new X509Certificate(block + BLOCK)) ?? []);

/** Returns the parsed value, or undefined after an error. Drops the error, because its message may quote a private key. */
function parsed<Value>(parse: () => Value): Value | undefined {
  try {
    return parse();
  } catch {
    return undefined;
  }
}

const unusable = (why: string): StoredCertificate => ({ kind: 'unusable', why });

interface Pair {
  readonly certificate: X509Certificate;
  readonly key: KeyObject;
}

/** Reads a certificate and its private key, and checks both. `now` is the time of the API server in milliseconds. */
function pairIn(
  data: SecretData | undefined,
  now: number,
  whyUnfit: (pair: Pair) => string | undefined,
): StoredCertificate {
  if (data === undefined) return unusable('missing');
  const [certificate] = certificatesIn(textIn(data, CERTIFICATE));
  if (certificate === undefined) return unusable(`no certificate in ${CERTIFICATE} of its Secret`);
  const key = parsed(() => createPrivateKey(textIn(data, PRIVATE_KEY)));
  if (key === undefined) return unusable(`no private key in ${PRIVATE_KEY} of its Secret`);
  if (!certificate.checkPrivateKey(key)) return unusable('certificate and private key do not match');
  if (certificate.validToDate.getTime() <= now) return unusable('expired');
  if (certificate.validFromDate.getTime() > now) return unusable('not valid yet');
  const why = whyUnfit({ certificate, key });
  return why === undefined ? { kind: 'usable', certificate } : unusable(why);
}

/** Returns the certificate authority in a Secret if its key can sign certificates. */
export const authorityIn = (data: SecretData | undefined, now: number): StoredCertificate =>
  pairIn(data, now, ({ certificate, key }) => {
    if (!certificate.ca) return 'not a certificate of an authority';
    return signingAlgorithm(key) === undefined ? 'a key of this kind cannot sign certificates' : undefined;
  });

const SERVER_AUTH = '1.3.6.1.5.5.7.3.1';

/** Returns the certificate in a Secret if it is valid for `dnsName` and for servers, and if a trusted authority signed it. */
export const servingIn = (
  data: SecretData | undefined,
  now: number,
  dnsName: string,
  trusted: readonly X509Certificate[],
): StoredCertificate =>
  pairIn(data, now, ({ certificate }) => {
    if (certificate.checkHost(dnsName, { subject: 'never' }) === undefined) return `not valid for ${dnsName}`;
    if (!usesOf(certificate).includes(SERVER_AUTH)) return 'not valid for servers';
    return trusted.some((authority) => isIssuedBy(certificate, authority))
      ? undefined
      : 'not signed by a trusted authority';
  });

/** Returns the extended key usages. Node.js returns undefined if the certificate has none, unlike its types. */
const usesOf = ({ keyUsage }: { readonly keyUsage?: readonly string[] | undefined }): readonly string[] =>
  keyUsage ?? [];

/** Returns whether the authority signed the certificate. */
export const isIssuedBy = (certificate: X509Certificate, authority: X509Certificate): boolean =>
  certificate.checkIssued(authority) && certificate.verify(authority.publicKey);

export const isSame = (one: X509Certificate, other: X509Certificate): boolean =>
  one.fingerprint256 === other.fingerprint256;

/** Returns certificates as PEM text for `caBundle` and `ca.crt`. */
export const bundleOf = (certificates: readonly X509Certificate[]): string =>
  certificates.map((certificate) => `${certificate.toString().trimEnd()}\n`).join('');
