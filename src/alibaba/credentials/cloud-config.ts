import { stat } from 'node:fs/promises';
import { readCloudConfig } from '../../base/cloud-config.ts';
import type { AccessKey, CredentialSource } from './access-key.ts';

/** Reads `accessKeyID` and `accessKeySecret` (base64) from the cloud-config file. Reads the file again after a change. */
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
        // If the last version of the file had no key, the keys come from other sources. An error in the file must not disable them.
        if (read === undefined || read.key !== undefined) throw error;
      }
      return read.key;
    },
  };
}

/**
 * Returns a text that changes if the file, or the target of a link at the path, is replaced or written. The text is constant while there is no file.
 */
export async function versionOf(path: string): Promise<string> {
  try {
    const { dev, ino, size, mtimeNs } = await stat(path, { bigint: true });
    return [dev, ino, size, mtimeNs].join(':');
  } catch {
    return 'unreadable';
  }
}
