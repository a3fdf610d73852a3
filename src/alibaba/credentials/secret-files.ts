import { readFile, realpath } from 'node:fs/promises';
import { join } from 'node:path';
import { accessKeyOf, type CredentialSource } from './credential-types.ts';

/**
 * Returns the source for `--access-key-dir`, a mounted Secret: the files `access-key-id`, `access-key-secret` and, for a temporary key,
 * `security-token`.
 */
export const fromSecretFiles = (folder: string): CredentialSource => ({
  name: `files in ${folder}`,
  read: async () => {
    const version = await versionFolder(folder);
    const [id, secret, token] = await Promise.all(
      ['access-key-id', 'access-key-secret', 'security-token'].map((name) => contentOf(join(version, name))),
    );
    const key = accessKeyOf(id ?? '', 'file access-key-id', secret ?? '', 'file access-key-secret');
    return key === undefined || !token ? key : { ...key, token };
  },
});

/**
 * Returns the target of the link `..data`, because all files in the target belong to one version of the Secret. Without the link, returns `folder`.
 */
async function versionFolder(folder: string): Promise<string> {
  try {
    return await realpath(join(folder, '..data'));
  } catch {
    return folder;
  }
}

/** Returns the trimmed text of a file; empty if the file does not exist. */
async function contentOf(path: string): Promise<string> {
  try {
    return (await readFile(path, 'utf8')).trim();
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return '';
    throw error;
  }
}
