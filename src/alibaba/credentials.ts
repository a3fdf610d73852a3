import { readFile, realpath, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { readCloudConfig } from '../config.ts';
import { PortcullisError, messageOf } from '../errors.ts';

/** What signs a call. Never to be logged. */
export interface AccessKey {
  readonly id: string;
  readonly secret: string;
  /** With a temporary key. */
  readonly token?: string;
}

/** One place where an access key may be. */
export interface CredentialSource {
  /** For people: `cloud-config file /etc/…`. */
  readonly name: string;
  /** The key as it is now; undefined when this source is not in use. Rejects with a sentence when it is in use and unusable. */
  read(): Promise<AccessKey | undefined>;
}

/** The access key in use. Asked for each call, so that a rotated key counts from the next call on. */
export interface Credentials {
  /** Rejects `Unauthorized` when no source has a key, or the first that is in use is unusable and never gave one. */
  current(): Promise<AccessKey>;
  /** Everything that must not appear in a text: the key in use and those before it. */
  secrets(): Iterable<string>;
}

/** How many rotated keys are remembered for redaction. */
const REMEMBERED = 8;

/**
 * The first source that has a key, in the order given. A source that has given one and cannot be read now (a file half
 * written, a Secret being replaced) keeps counting with its last key; `warn` is told, once for each new fault.
 */
export function createCredentials(sources: readonly CredentialSource[], warn: (message: string) => void): Credentials {
  const seen: AccessKey[] = [];
  let last: { readonly source: CredentialSource; readonly key: AccessKey } | undefined;
  let fault = '';

  const use = (source: CredentialSource, key: AccessKey): AccessKey => {
    if (last?.key.id !== key.id || last.key.secret !== key.secret || last.key.token !== key.token) {
      seen.unshift(key);
      seen.length = Math.min(seen.length, REMEMBERED);
    }
    last = { source, key };
    fault = '';
    return key;
  };
  const keepUsing = (source: CredentialSource, error: unknown): AccessKey => {
    const message = `${source.name}: ${messageOf(error)}`;
    if (last?.source !== source) throw new PortcullisError('Unauthorized', message);
    if (message !== fault) warn(`${message}; the access key read before stays in use`);
    fault = message;
    return last.key;
  };

  return {
    current: async () => {
      for (const source of sources) {
        try {
          const key = await source.read();
          if (key !== undefined) return use(source, key);
        } catch (error) {
          return keepUsing(source, error);
        }
      }
      const places = sources.map(({ name }) => name).join(', ');
      throw new PortcullisError(
        'Unauthorized',
        `no access key was found; looked at: ${places}: write accessKeyID and accessKeySecret into the cloud-config, mount a Secret and name it with --access-key-dir, or set ACCESS_KEY_ID and ACCESS_KEY_SECRET`,
      );
    },
    secrets: () => seen.flatMap(({ id, secret, token }) => [id, secret, ...(token === undefined ? [] : [token])]),
  };
}

/** Both halves of a key, or neither; one alone is a mistake that is said. */
function pair(id: string, idName: string, secret: string, secretName: string): AccessKey | undefined {
  if (id === '' && secret === '') return undefined;
  if (id === '') throw new Error(`${secretName} is set and ${idName} is not: set both or none`);
  if (secret === '') throw new Error(`${idName} is set and ${secretName} is not: set both or none`);
  return { id, secret };
}

/** `accessKeyID` and `accessKeySecret` of the cloud-config file, base64. The file is read again when it has changed. */
export function fromCloudConfig(path: string): CredentialSource {
  let read: { readonly version: string; readonly key: AccessKey | undefined } | undefined;
  return {
    name: 'cloud-config file',
    read: async () => {
      const version = await versionOf(path);
      if (version !== read?.version) read = { version, key: (await readCloudConfig(path)).accessKey };
      return read.key;
    },
  };
}

/** Differs when the file, or what a link at its place points to, is another or was written to; the same text while there is none. */
async function versionOf(path: string): Promise<string> {
  try {
    const { dev, ino, size, mtimeNs } = await stat(path, { bigint: true });
    return [dev, ino, size, mtimeNs].join(':');
  } catch {
    return 'unreadable';
  }
}

type Environment = Readonly<Record<string, string | undefined>>;
const environmentSource = (environment: Environment, idName: string, secretName: string, tokenName?: string) => ({
  name: `environment ${idName}`,
  read: async () => {
    const value = (name: string) => environment[name]?.trim() ?? '';
    const key = pair(value(idName), idName, value(secretName), secretName);
    const token = tokenName === undefined ? '' : value(tokenName);
    return key === undefined || token === '' ? key : { ...key, token };
  },
});

/** The environment: the names that all the cloud's tools know first, then the existing controller's own. */
export const fromEnvironment = (environment: Environment): readonly CredentialSource[] => [
  environmentSource(
    environment,
    'ALIBABA_CLOUD_ACCESS_KEY_ID',
    'ALIBABA_CLOUD_ACCESS_KEY_SECRET',
    'ALIBABA_CLOUD_SECURITY_TOKEN',
  ),
  environmentSource(environment, 'ACCESS_KEY_ID', 'ACCESS_KEY_SECRET'),
];

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
