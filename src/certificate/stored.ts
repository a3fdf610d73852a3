import { createPrivateKey, X509Certificate, type KeyObject } from 'node:crypto';
import { signingAlgorithm } from './algorithm.ts';

/** The data of a Secret: base64 by key. */
export type SecretData = Readonly<Record<string, string>>;

/** What a Secret holds: a certificate that can be used, with its key, or why there is none. */
export type StoredCertificate =
  | { readonly kind: 'usable'; readonly certificate: X509Certificate }
  | { readonly kind: 'unusable'; readonly why: string };

/** Under these keys the API server wants them in a Secret of type `kubernetes.io/tls`. */
export const CERTIFICATE = 'tls.crt';
export const PRIVATE_KEY = 'tls.key';
/** Authorities to be trusted; the word of cert-manager, which API servers do not read. */
export const TRUSTED = 'ca.crt';

export const textIn = (data: SecretData | undefined, key: string): string =>
  Buffer.from(data?.[key] ?? '', 'base64').toString();

const BLOCK = '-----END CERTIFICATE-----';

/** The certificates in a PEM text, in their order; what is none is passed over, as API servers do. */
export const certificatesIn = (pem: string): readonly X509Certificate[] =>
  pem
    .split(BLOCK)
    .slice(0, -1)
    .flatMap((block) => parsed(() => new X509Certificate(block + BLOCK)) ?? []);

/** Text that is a key must not get out by the message of who could not read it: there is none. */
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

/** `now` in milliseconds since the epoch, by the clock of whoever is to accept the certificate. */
function pairIn(
  data: SecretData | undefined,
  now: number,
  isFit: (pair: Pair) => string | undefined,
): StoredCertificate {
  if (data === undefined) return unusable('there is none');
  const [certificate] = certificatesIn(textIn(data, CERTIFICATE));
  if (certificate === undefined) return unusable(`its Secret has no certificate under ${CERTIFICATE}`);
  const key = parsed(() => createPrivateKey(textIn(data, PRIVATE_KEY)));
  if (key === undefined) return unusable(`its Secret has no private key under ${PRIVATE_KEY}`);
  if (!certificate.checkPrivateKey(key)) return unusable('certificate and private key do not belong together');
  if (certificate.validToDate.getTime() <= now) return unusable('it has expired');
  if (certificate.validFromDate.getTime() > now) return unusable('it is not valid yet');
  const why = isFit({ certificate, key });
  return why === undefined ? { kind: 'usable', certificate } : unusable(why);
}

/** What can sign. */
export const authorityIn = (data: SecretData | undefined, now: number): StoredCertificate =>
  pairIn(data, now, ({ certificate, key }) => {
    if (!certificate.ca) return 'its certificate is not that of an authority';
    return signingAlgorithm(key) === undefined ? 'no certificate is signed with a key of its kind' : undefined;
  });

const SERVER_AUTH = '1.3.6.1.5.5.7.3.1';

/** What a process can serve under a name, trusted by those who trust one of the authorities. */
export const servingIn = (
  data: SecretData | undefined,
  now: number,
  dnsName: string,
  trusted: readonly X509Certificate[],
): StoredCertificate =>
  pairIn(data, now, ({ certificate }) => {
    if (certificate.checkHost(dnsName, { subject: 'never' }) === undefined) return `it is not for ${dnsName}`;
    if (!usesOf(certificate).includes(SERVER_AUTH)) return 'it is not for servers';
    return trusted.some((authority) => isIssuedBy(certificate, authority))
      ? undefined
      : 'no authority that is trusted has signed it';
  });

/** Typed as always there, which it is not. */
const usesOf = ({ keyUsage }: { readonly keyUsage?: readonly string[] | undefined }): readonly string[] =>
  keyUsage ?? [];

export const isIssuedBy = (certificate: X509Certificate, authority: X509Certificate): boolean =>
  certificate.checkIssued(authority) && certificate.verify(authority.publicKey);

export const isSame = (one: X509Certificate, other: X509Certificate): boolean =>
  one.fingerprint256 === other.fingerprint256;

/** As `caBundle` and `ca.crt` hold them: each block on lines of its own. */
export const bundleOf = (certificates: readonly X509Certificate[]): string =>
  certificates.map((certificate) => `${certificate.toString().trimEnd()}\n`).join('');
