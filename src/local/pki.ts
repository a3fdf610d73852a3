import './reflect-metadata.ts';
import { webcrypto } from 'node:crypto';
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
  X509CertificateGenerator,
  type Extension,
} from '@peculiar/x509';

/** A certificate and its private key, both PEM. */
export interface Credential {
  readonly certificate: string;
  readonly key: string;
}

export interface CertificateRequest {
  /** Kubernetes reads it as a user. Letters, digits, spaces and `:-.` only: others would need escaping. */
  readonly commonName: string;
  /** Kubernetes reads it as a group. */
  readonly organization?: string;
  readonly usage: 'server' | 'client';
  readonly dnsNames?: readonly string[];
  readonly addresses?: readonly string[];
}

export interface CertificateAuthority {
  /** PEM. */
  readonly certificate: string;
  /** PEM. */
  readonly key: string;
  readonly issue: (request: CertificateRequest) => Promise<Credential>;
}

const ALGORITHM = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' };
/** Certificates are valid from a little earlier: clocks of one machine's parts may differ by a virtual machine's drift. */
const BACKDATED_MS = 5 * 60 * 1000;
const LIFETIME_MS = 365 * 24 * 60 * 60 * 1000;
const SERIAL_BYTES = 16;

const newKeys = (): Promise<webcrypto.CryptoKeyPair> =>
  webcrypto.subtle.generateKey(ALGORITHM, true, ['sign', 'verify']);

async function pem(key: webcrypto.CryptoKey): Promise<string> {
  return key.type === 'private'
    ? PemConverter.encode(await webcrypto.subtle.exportKey('pkcs8', key), 'PRIVATE KEY')
    : PemConverter.encode(await webcrypto.subtle.exportKey('spki', key), 'PUBLIC KEY');
}

function newSerial(): string {
  const serial = webcrypto.getRandomValues(new Uint8Array(SERIAL_BYTES));
  // A positive number without leading zeros (RFC 5280 §4.1.2.2).
  serial[0] = ((serial[0] ?? 0) & 0x7f) | 0x40;
  return Buffer.from(serial).toString('hex');
}

const nameOf = ({ commonName, organization }: Pick<CertificateRequest, 'commonName' | 'organization'>) => [
  ...(organization === undefined ? [] : [{ O: [organization] }]),
  { CN: [commonName] },
];

/** A new authority, valid for a year from `now` (milliseconds since the epoch). */
export async function createAuthority(commonName: string, now: number): Promise<CertificateAuthority> {
  const keys = await newKeys();
  const validity = { notBefore: new Date(now - BACKDATED_MS), notAfter: new Date(now + LIFETIME_MS) };
  const certificate = await X509CertificateGenerator.createSelfSigned({
    serialNumber: newSerial(),
    name: nameOf({ commonName }),
    ...validity,
    signingAlgorithm: ALGORITHM,
    keys,
    extensions: [
      new BasicConstraintsExtension(true, undefined, true),
      new KeyUsagesExtension(KeyUsageFlags.keyCertSign | KeyUsageFlags.cRLSign | KeyUsageFlags.digitalSignature, true),
      await SubjectKeyIdentifierExtension.create(keys.publicKey),
    ],
  });
  const issue = async (request: CertificateRequest): Promise<Credential> => {
    const own = await newKeys();
    const issued = await X509CertificateGenerator.create({
      serialNumber: newSerial(),
      subject: nameOf(request),
      issuer: certificate.subject,
      ...validity,
      signingAlgorithm: ALGORITHM,
      publicKey: own.publicKey,
      signingKey: keys.privateKey,
      extensions: await leafExtensions(request, own.publicKey, keys.publicKey),
    });
    return { certificate: issued.toString('pem'), key: await pem(own.privateKey) };
  };
  return { certificate: certificate.toString('pem'), key: await pem(keys.privateKey), issue };
}

async function leafExtensions(
  request: CertificateRequest,
  subjectKey: webcrypto.CryptoKey,
  issuerKey: webcrypto.CryptoKey,
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
    await AuthorityKeyIdentifierExtension.create(issuerKey),
  ];
}

/** The pair that signs and proves service-account tokens, PEM. */
export async function createTokenKeys(): Promise<{ readonly publicKey: string; readonly privateKey: string }> {
  const keys = await newKeys();
  return { publicKey: await pem(keys.publicKey), privateKey: await pem(keys.privateKey) };
}
