import './reflect-metadata.ts';
import { createPrivateKey, webcrypto } from 'node:crypto';
import {
  AuthorityKeyIdentifierExtension,
  BasicConstraintsExtension,
  ExtendedKeyUsage,
  ExtendedKeyUsageExtension,
  KeyUsageFlags,
  KeyUsagesExtension,
  PemConverter,
  SubjectAlternativeNameExtension,
  SubjectKeyIdentifierExtension,
  X509Certificate,
  X509CertificateGenerator,
  type Extension,
} from '@peculiar/x509';
import { signingAlgorithm } from './algorithm.ts';

/** A certificate and its private key, as PEM texts. */
export interface Credential {
  readonly certificate: string;
  readonly key: string;
}

export interface CertificateRequest {
  /**
   * The common name, which is the user in Kubernetes. Only letters, digits, spaces and `:-.` are allowed, because the issuer does not escape names.
   */
  readonly commonName: string;
  /** The organization, which is the group in Kubernetes. */
  readonly organization?: string;
  readonly usage: 'server' | 'client';
  readonly dnsNames?: readonly string[];
  readonly addresses?: readonly string[];
}

/** The validity of a certificate, in milliseconds since the epoch. Certificates store whole seconds. */
export interface Validity {
  readonly notBefore: number;
  readonly notAfter: number;
}

/** A certificate authority that issues certificates: for the webhook in a cluster, or for the components of a sandbox. */
export interface Signer extends Credential {
  readonly issue: (request: CertificateRequest, validity: Validity) => Promise<Credential>;
}

const ALGORITHM = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' };
const SERIAL_BYTES = 16;

/** Creates a key pair for a certificate. */
export const newKeys = (): Promise<webcrypto.CryptoKeyPair> =>
  webcrypto.subtle.generateKey(ALGORITHM, true, ['sign', 'verify']);

/** Returns a private or public key as PEM text. */
export async function pem(key: webcrypto.CryptoKey): Promise<string> {
  return key.type === 'private'
    ? PemConverter.encode(await webcrypto.subtle.exportKey('pkcs8', key), 'PRIVATE KEY')
    : PemConverter.encode(await webcrypto.subtle.exportKey('spki', key), 'PUBLIC KEY');
}

function newSerial(): string {
  const serial = webcrypto.getRandomValues(new Uint8Array(SERIAL_BYTES));
  // RFC 5280 requires a positive number, so the top bit is 0. The next bit is 1, so that the number does not begin with zeros.
  serial[0] = ((serial[0] ?? 0) & 0x7f) | 0x40;
  return Buffer.from(serial).toString('hex');
}

const nameOf = ({ commonName, organization }: Pick<CertificateRequest, 'commonName' | 'organization'>) => [
  ...(organization === undefined ? [] : [{ O: [organization] }]),
  { CN: [commonName] },
];

const datesOf = ({ notBefore, notAfter }: Validity) => ({
  notBefore: new Date(notBefore),
  notAfter: new Date(notAfter),
});

/** Creates a self-signed authority with a new key. */
export async function createSigner(commonName: string, validity: Validity): Promise<Signer> {
  const keys = await newKeys();
  const certificate = await X509CertificateGenerator.createSelfSigned({
    serialNumber: newSerial(),
    name: nameOf({ commonName }),
    ...datesOf(validity),
    signingAlgorithm: ALGORITHM,
    keys,
    extensions: [
      new BasicConstraintsExtension(true, undefined, true),
      new KeyUsagesExtension(KeyUsageFlags.keyCertSign | KeyUsageFlags.cRLSign | KeyUsageFlags.digitalSignature, true),
      await SubjectKeyIdentifierExtension.create(keys.publicKey),
    ],
  });
  return signerWith(certificate, keys.privateKey, {
    certificate: certificate.toString('pem'),
    key: await pem(keys.privateKey),
  });
}

/** Returns the signer of a stored authority. Callers must not log thrown errors, because an error can quote the key. */
export function signerOf(pair: Credential): Signer {
  const key = createPrivateKey(pair.key);
  const algorithm = signingAlgorithm(key);
  if (algorithm === undefined) throw new Error('a key of this kind cannot sign certificates');
  return signerWith(new X509Certificate(pair.certificate), key.toCryptoKey(algorithm, false, ['sign']), pair);
}

function signerWith(authority: X509Certificate, signingKey: webcrypto.CryptoKey, pair: Credential): Signer {
  const issue: Signer['issue'] = async (request, validity) => {
    const own = await newKeys();
    const issued = await X509CertificateGenerator.create({
      serialNumber: newSerial(),
      subject: nameOf(request),
      // API servers compare names byte by byte, so the issuer is copied from the subject of the authority.
      issuer: authority.subjectName,
      ...datesOf(validity),
      publicKey: own.publicKey,
      signingKey,
      extensions: await leafExtensions(request, own.publicKey, await keyIdentifier(authority)),
    });
    return { certificate: issued.toString('pem'), key: await pem(own.privateKey) };
  };
  return { ...pair, issue };
}

/** Returns the key identifier of the authority. Authorities derive identifiers differently, so an existing identifier is copied. */
function keyIdentifier(authority: X509Certificate): Promise<AuthorityKeyIdentifierExtension> {
  const own = authority.getExtension(SubjectKeyIdentifierExtension);
  return own === null
    ? AuthorityKeyIdentifierExtension.create(authority.publicKey)
    : Promise.resolve(new AuthorityKeyIdentifierExtension(own.keyId));
}

async function leafExtensions(
  request: CertificateRequest,
  subjectKey: webcrypto.CryptoKey,
  issuer: AuthorityKeyIdentifierExtension,
): Promise<Extension[]> {
  const usage = request.usage === 'server' ? ExtendedKeyUsage.serverAuth : ExtendedKeyUsage.clientAuth;
  const names = [
    ...(request.dnsNames ?? []).map((value) => ({ type: 'dns' as const, value })),
    ...(request.addresses ?? []).map((value) => ({ type: 'ip' as const, value })),
  ];
  return [
    new KeyUsagesExtension(KeyUsageFlags.digitalSignature, true),
    new ExtendedKeyUsageExtension([usage]),
    ...(names.length === 0 ? [] : [new SubjectAlternativeNameExtension(names)]),
    await SubjectKeyIdentifierExtension.create(subjectKey),
    issuer,
  ];
}
