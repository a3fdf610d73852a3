import { createDecipheriv } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { z } from 'zod';
import { messageOf } from '../../base/errors.ts';
import type { AccessKey, CredentialSource } from './credential-types.ts';
import { versionOf } from './cloud-config.ts';

const TokenFile = z.object({
  'access.key.id': z.string(),
  'access.key.secret': z.string(),
  'security.token': z.string(),
  expiration: z.string().default(''),
  keyring: z.string(),
});

/** The AES block size in bytes. The initialization vector has the same size and precedes the ciphertext. */
const BLOCK = 16;
const CIPHERS: Readonly<Record<number, string>> = { 16: 'aes-128-cbc', 24: 'aes-192-cbc', 32: 'aes-256-cbc' };

/** Decrypts a base64 text of an initialization vector and an AES-CBC ciphertext. The bytes of `keyring` are the AES key. */
function decrypted(field: string, encoded: string, keyring: string): string {
  const key = Buffer.from(keyring, 'utf8');
  const cipher = CIPHERS[key.length];
  if (cipher === undefined) throw new Error(`keyring must have 16, 24 or 32 bytes, and has ${key.length}`);
  const bytes = Buffer.from(encoded, 'base64');
  try {
    const decipher = createDecipheriv(cipher, key, bytes.subarray(0, BLOCK));
    return Buffer.concat([decipher.update(bytes.subarray(BLOCK)), decipher.final()]).toString('utf8');
  } catch {
    // The original error may quote decrypted content.
    throw new Error(`failed to decrypt ${field} with the keyring of the file`);
  }
}

function keyIn(content: string): AccessKey {
  let json: unknown;
  try {
    json = JSON.parse(content);
  } catch {
    throw new Error('the file is not JSON');
  }
  const { data, error } = TokenFile.safeParse(json);
  if (data === undefined)
    throw new Error(`the file lacks text for ${error.issues.map(({ path }) => path.join('.')).join(', ')}`);
  const read = (field: 'access.key.id' | 'access.key.secret' | 'security.token'): string =>
    decrypted(field, data[field], data.keyring);
  const key = { id: read('access.key.id'), secret: read('access.key.secret'), token: read('security.token') };
  const expiresAtMs = Date.parse(data.expiration);
  // A key without a readable expiration never expires.
  return Number.isNaN(expiresAtMs) ? key : { ...key, expiresAtMs };
}

/** Returns the source for the encrypted token file of ACK add-ons. Reads the file again after a change, because another process renews the file. */
export function fromTokenFile(path: string, now: () => number): CredentialSource {
  let read: { readonly version: string; readonly key: AccessKey } | undefined;
  return {
    name: `token file ${path}`,
    read: async () => {
      const version = await versionOf(path);
      if (version !== read?.version) {
        const content = await contentOf(path);
        if (content === undefined && read !== undefined) throw new Error('the file no longer exists');
        if (content === undefined) return undefined;
        read = { version, key: keyIn(content) };
      }
      const { key } = read;
      if (key.expiresAtMs !== undefined && key.expiresAtMs <= now())
        throw new Error(
          `the token expired at ${new Date(key.expiresAtMs).toISOString()}: check why the add-on does not renew the file`,
        );
      return key;
    },
  };
}

async function contentOf(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    if (error instanceof Error && 'code' in error && (error.code === 'ENOENT' || error.code === 'ENOTDIR'))
      return undefined;
    throw new Error(`failed to read the file (${messageOf(error)})`, { cause: error });
  }
}
