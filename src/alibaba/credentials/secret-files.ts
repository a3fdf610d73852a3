import { readFile, realpath } from 'node:fs/promises';
import { join } from 'node:path';
import { pair, type CredentialSource } from './access-key.ts';

/** The files of a Secret mounted at `folder`: `access-key-id`, `access-key-secret` and, with a temporary key, `security-token`. */
export const fromSecretFiles = (folder: string): CredentialSource => ({
  name: `files in ${folder}`,
  read: async () => {
    const version = await versionFolder(folder);
    const [id, secret, token] = await Promise.all(
      ['access-key-id', 'access-key-secret', 'security-token'].map((name) => contentOf(join(version, name))),
    );
    const key = pair(id ?? '', 'file access-key-id', secret ?? '', 'file access-key-secret');
    return key === undefined || !token ? key : { ...key, token };
  },
});

/** The kubelet swaps all files of a Secret at once by the link `..data`; followed once, the halves of a key are of one version. */
async function versionFolder(folder: string): Promise<string> {
  try {
    return await realpath(join(folder, '..data'));
  } catch {
    return folder;
  }
}

/** A file's text without surrounding space; empty when there is no such file. */
async function contentOf(path: string): Promise<string> {
  try {
    return (await readFile(path, 'utf8')).trim();
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return '';
    throw error;
  }
}
