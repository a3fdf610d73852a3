import assert from 'node:assert/strict';
import {
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  X509Certificate as Parsed,
  type KeyObject,
} from 'node:crypto';
import '../../../src/certificate/reflect-metadata.ts';
import { Name, PublicKey, X509Certificate, X509CertificateGenerator } from '@peculiar/x509';
import { signingAlgorithm } from '../../../src/certificate/algorithm.ts';
import { createSigner, signerOf, type Credential } from '../../../src/certificate/x509.ts';

const now = Date.now();
const validity = { notBefore: now - 60_000, notAfter: now + 3_600_000 };
const REQUEST = { commonName: 'webhook', usage: 'server', dnsNames: ['webhook.svc'] } as const;

const KEYS: Readonly<Record<string, () => KeyObject>> = {
  'of ECDSA, P-256': () => generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey,
  'of ECDSA, P-384': () => generateKeyPairSync('ec', { namedCurve: 'P-384' }).privateKey,
  'of ECDSA, P-521': () => generateKeyPairSync('ec', { namedCurve: 'P-521' }).privateKey,
  'of RSA': () => generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey,
  'of Ed25519': () => generateKeyPairSync('ed25519').privateKey,
};

/** Returns an authority as other programs create it: the name has another encoding, and the certificate has no key identifier. */
async function othersAuthority(key: KeyObject, pem: string): Promise<Credential> {
  const algorithm = signingAlgorithm(key);
  assert.ok(algorithm !== undefined);
  const name = new Name([{ O: [{ printableString: 'Somebody' }] }, { CN: [{ printableString: 'their authority' }] }]);
  const certificate = await X509CertificateGenerator.create({
    serialNumber: '01',
    subject: name,
    issuer: name,
    notBefore: new Date(validity.notBefore),
    notAfter: new Date(validity.notAfter),
    publicKey: new PublicKey(createPublicKey(key).export({ type: 'spki', format: 'der' })),
    signingKey: key.toCryptoKey(algorithm, true, ['sign']),
  });
  return { certificate: certificate.toString('pem'), key: pem };
}

const nameBytes = (name: { toArrayBuffer(): ArrayBuffer }): string => Buffer.from(name.toArrayBuffer()).toString('hex');

/** API servers compare the bytes of issuer names, so a certificate with a differently encoded issuer name would not be trusted. */
describe('certificates of an authority', () => {
  for (const [kind, keyOf] of Object.entries(KEYS)) {
    it(`that a user created with a key ${kind} have its exact name as issuer`, async () => {
      const key = keyOf();
      const pair = await othersAuthority(key, key.export({ type: 'pkcs8', format: 'pem' }).toString());
      const { certificate } = await signerOf(pair).issue(REQUEST, validity);
      const authority = new Parsed(pair.certificate);
      const issued = new Parsed(certificate);
      assert.ok(issued.checkIssued(authority) && issued.verify(authority.publicKey));
      assert.equal(
        nameBytes(new X509Certificate(certificate).issuerName),
        nameBytes(new X509Certificate(pair.certificate).subjectName),
      );
    });
  }

  it('are issued with a key in the older form of cert-manager', async () => {
    const { certificate, key } = await createSigner('authority', validity);
    const older = createPrivateKey(key).export({ type: 'sec1', format: 'pem' }).toString();
    assert.match(older, /^-----BEGIN EC PRIVATE KEY-----/);
    const issued = new Parsed((await signerOf({ certificate, key: older }).issue(REQUEST, validity)).certificate);
    assert.ok(issued.checkIssued(new Parsed(certificate)));
    assert.equal(issued.checkHost('webhook.svc'), 'webhook.svc');
  });

  it('are valid from and until the requested second', async () => {
    const signer = await createSigner('authority', validity);
    const { certificate } = await signer.issue(REQUEST, { notBefore: 1_800_000_000_500, notAfter: 4_102_444_800_000 });
    const { validFromDate, validToDate } = new Parsed(certificate);
    assert.equal(validFromDate.getTime(), 1_800_000_000_000);
    assert.equal(validToDate.getTime(), 4_102_444_800_000);
  });

  it('are not issued with a key that cannot sign', async () => {
    const { certificate } = await createSigner('authority', validity);
    const key = generateKeyPairSync('ec', { namedCurve: 'secp256k1' }).privateKey;
    const pair = { certificate, key: key.export({ type: 'pkcs8', format: 'pem' }).toString() };
    assert.throws(() => signerOf(pair), /a key of this kind cannot sign certificates/);
    assert.equal(signingAlgorithm(generateKeyPairSync('x25519').privateKey), undefined);
  });
});
