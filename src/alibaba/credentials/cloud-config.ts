import { stat } from 'node:fs/promises';
import { readCloudConfig } from '../../base/cloud-config.ts';
import type { AccessKey, CredentialSource } from './access-key.ts';

/** `accessKeyID` and `accessKeySecret` of the cloud-config file, base64. The file is read again when it has changed. */
export function fromCloudConfig(path: string): CredentialSource {
  let read: { readonly version: string; readonly key: AccessKey | undefined } | undefined;
  return {
    name: 'cloud-config file',
    read: async () => {
      const version = await versionOf(path);
      if (version === read?.version) return read.key;
      try {
        read = { version, key: (await readCloudConfig(path)).accessKey };
      } catch (error) {
        // Whoever has keys elsewhere does not lose them by a slip in this file; others are told of it.
        if (read === undefined || read.key !== undefined) throw error;
      }
      return read.key;
    },
  };
}

/** Differs when the file, or what a link at its place points to, is another or was written to; the same text while there is none. */
export async function versionOf(path: string): Promise<string> {
  try {
    const { dev, ino, size, mtimeNs } = await stat(path, { bigint: true });
    return [dev, ino, size, mtimeNs].join(':');
  } catch {
    return 'unreadable';
  }
}
