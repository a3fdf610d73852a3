import assert from 'node:assert/strict';
import { createPrivateKey, createPublicKey, X509Certificate } from 'node:crypto';
import { once } from 'node:events';
import { connect, createServer, type TLSSocket } from 'node:tls';
import type { AddressInfo } from 'node:net';
import { createAuthority, createTokenKeys } from '../../../src/local/pki.ts';

const DAY_MS = 86_400_000;

/** The components of the sandbox trust each other by these certificates. */
describe('a certificate authority', () => {
  it('signs itself, has the authority flag, and is valid for a year', async () => {
    const now = Date.now();
    const authority = await createAuthority('kubernetes', now);
    const parsed = new X509Certificate(authority.certificate);
    assert.equal(parsed.ca, true);
    assert.equal(parsed.subject, 'CN=kubernetes');
    assert.ok(parsed.verify(parsed.publicKey));
    assert.ok(Date.parse(parsed.validFrom) < now);
    assert.equal(Math.round((Date.parse(parsed.validTo) - now) / DAY_MS), 365);
    assert.ok(parsed.checkPrivateKey(createPrivateKey(authority.key)));
  });

  it('issues certificates with a user as common name and a group as organization', async () => {
    const authority = await createAuthority('kubernetes', Date.now());
    const issued = await authority.issue({
      commonName: 'system:node:sandbox',
      organization: 'system:masters',
      usage: 'client',
    });
    const { subject } = new X509Certificate(issued.certificate).toLegacyObject();
    assert.equal(subject.CN, 'system:node:sandbox');
    assert.equal(subject.O, 'system:masters');
  });

  it('gives every certificate another serial number', async () => {
    const authority = await createAuthority('kubernetes', Date.now());
    const serials = await Promise.all(
      ['one', 'two', 'three'].map(async (commonName) => {
        const { certificate } = await authority.issue({ commonName, usage: 'client' });
        return new X509Certificate(certificate).serialNumber;
      }),
    );
    assert.equal(new Set(serials).size, 3);
  });

  it('issues pairs for mutual trust over TLS', async () => {
    const authority = await createAuthority('kubernetes', Date.now());
    const server = await authority.issue({
      commonName: 'server',
      usage: 'server',
      dnsNames: ['kubernetes.default.svc'],
      addresses: ['127.0.0.1'],
    });
    const client = await authority.issue({ commonName: 'client', usage: 'client' });
    const listener = createServer({
      cert: server.certificate,
      key: server.key,
      ca: authority.certificate,
      requestCert: true,
    });
    listener.listen(0, '127.0.0.1');
    await once(listener, 'listening');
    const accepted = once(listener, 'secureConnection') as Promise<[TLSSocket]>;
    const { port } = listener.address() as AddressInfo;
    const socket = connect({
      port,
      host: '127.0.0.1',
      servername: 'kubernetes.default.svc',
      ca: authority.certificate,
      cert: client.certificate,
      key: client.key,
    });
    await once(socket, 'secureConnect');
    assert.equal(socket.authorized, true);
    const [peer] = await accepted;
    assert.equal(peer.getPeerCertificate().subject.CN, 'client');
    socket.destroy();
    listener.close();
  });

  it('issues certificates that are valid only for their names and their usage', async () => {
    const authority = await createAuthority('kubernetes', Date.now());
    const { certificate } = await authority.issue({ commonName: 'server', usage: 'server', dnsNames: ['kubernetes'] });
    const parsed = new X509Certificate(certificate);
    assert.equal(parsed.checkHost('kubernetes'), 'kubernetes');
    assert.equal(parsed.checkHost('other'), undefined);
    assert.deepEqual(parsed.keyUsage, ['1.3.6.1.5.5.7.3.1']);
  });
});

describe('the keys of service account tokens', () => {
  it('are a private key and the public key of this private key', async () => {
    const { publicKey, privateKey } = await createTokenKeys();
    const derived = createPublicKey(createPrivateKey(privateKey)).export({ type: 'spki', format: 'pem' });
    assert.equal(String(derived).trim(), publicKey.trim());
  });
});
