import assert from 'node:assert/strict';
import { createCipheriv, randomBytes } from 'node:crypto';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fromTokenFile } from '../../../src/alibaba/credentials/add-on-token-file.ts';
import { temporaryFolder } from '../../support/folder.ts';

const KEYRING = '0123456789abcdef0123456789abcdef';
const NOW = Date.parse('2026-01-01T00:00:00Z');

/** Encrypts a text as the writer of the file does: AES-CBC, with the vector before the ciphertext. */
function encrypted(text: string, keyring: string): string {
  const vector = randomBytes(16);
  const cipher = createCipheriv(`aes-${keyring.length * 8}-cbc`, keyring, vector);
  return Buffer.concat([vector, cipher.update(text, 'utf8'), cipher.final()]).toString('base64');
}

const tokenFile = (input: Record<string, unknown> = {}, keyring = KEYRING): string =>
  JSON.stringify({
    'access.key.id': encrypted('STS.id', keyring),
    'access.key.secret': encrypted('the secret', keyring),
    'security.token': encrypted('the token', keyring),
    expiration: '2026-01-01T01:00:00Z',
    keyring,
    ...input,
  });

const read = async (content: string | undefined, now = NOW) => {
  using folder = temporaryFolder();
  const path = join(folder.path, 'token-config');
  if (content !== undefined) writeFileSync(path, content);
  return await fromTokenFile(path, () => now).read();
};

/** Managed clusters give the controller its keys in this encrypted file. */
describe('the token file of add-ons', () => {
  for (const length of [16, 24, 32]) {
    it(`is decrypted with a keyring of ${length} bytes`, async () =>
      assert.deepEqual(await read(tokenFile({}, KEYRING.slice(0, length))), {
        id: 'STS.id',
        secret: 'the secret',
        token: 'the token',
        expiresAtMs: NOW + 3_600_000,
      }));
  }

  it('is unused if it does not exist', async () => assert.equal(await read(undefined), undefined));

  it('has no expiry if its expiry is unreadable', async () =>
    assert.deepEqual(await read(tokenFile({ expiration: 'soon' })), {
      id: 'STS.id',
      secret: 'the secret',
      token: 'the token',
    }));

  it('is read again only after a change', async () => {
    using folder = temporaryFolder();
    const path = join(folder.path, 'token-config');
    writeFileSync(path, tokenFile());
    const source = fromTokenFile(path, () => NOW);
    const first = await source.read();
    assert.equal(await source.read(), first);
    rmSync(path);
    await assert.rejects(source.read(), { message: 'the file no longer exists' });
    writeFileSync(path, tokenFile({ 'access.key.id': encrypted('STS.next', KEYRING) }));
    assert.equal((await source.read())?.id, 'STS.next');
  });

  const faults: Record<string, [content: string, message: RegExp]> = {
    'text that is not JSON': ['{"keyring": "0123456789abcdef', /^the file is not JSON$/],
    'a document with a missing part': [
      '{"keyring": "x", "access.key.id": "y"}',
      /^the file lacks text for access\.key\.secret, security\.token$/,
    ],
    'a keyring of another length': [
      JSON.stringify({ ...(JSON.parse(tokenFile()) as object), keyring: 'short' }),
      /^keyring must have 16, 24 or 32 bytes, and has 5$/,
    ],
    'a keyring that does not match': [
      JSON.stringify({ ...(JSON.parse(tokenFile()) as object), keyring: 'f'.repeat(32) }),
      /^failed to decrypt access\.key\.id with the keyring of the file$/,
    ],
    'an invalid ciphertext': [tokenFile({ 'security.token': 'eA==' }), /^failed to decrypt security\.token/],
    'an expired token': [
      tokenFile({ expiration: '2025-12-31T23:59:59Z' }),
      /^the token expired at 2025-12-31T23:59:59\.000Z: check why/,
    ],
  };
  for (const [what, [content, error]] of Object.entries(faults)) {
    it(`rejects ${what}, without a quote of its content`, () =>
      assert.rejects(read(content), ({ message }: Error) => {
        assert.match(message, error);
        assert.doesNotMatch(message, /0123456789abcdef|fffff/);
        return true;
      }));
  }
});
