import { stat } from 'node:fs/promises';
import { readCloudConfig } from '../../base/cloud-config.ts';
import type { AccessKey, CredentialSource } from './credential-types.ts';

/** Returns the source that reads `accessKeyID` and `accessKeySecret` (base64) from the cloud-config file. Reads the file again after a change. */
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
        // Throws, unless the last valid version had no key: the process then uses another source, which an error in this file must not disable.
        if (read === undefined || read.key !== undefined) throw error;
      }
      return read.key;
    },
  };
}

/** Returns a text that changes when the file is written or replaced. Follows symbolic links. Returns a constant text if there is no file. */
export async function versionOf(path: string): Promise<string> {
  try {
    const { dev, ino, size, mtimeNs } = await stat(path, { bigint: true });
    return [dev, ino, size, mtimeNs].join(':');
  } catch {
    return 'unreadable';
  }
}
