import { lstat, mkdir, readdir, readFile, readlink, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { PortcullisError } from '../../base/errors.ts';
import type { Volume } from './container-of-deployment.ts';

/** The contents of the files of a volume, by path. */
export type VolumeFiles = ReadonlyMap<string, Buffer>;

/** The contents of Secrets, ConfigMaps and tokens. `secret` and `configMap` return undefined if the object does not exist. */
export interface VolumeSource {
  readonly secret: (name: string) => ReadonlyMap<string, Buffer> | undefined;
  readonly configMap: (name: string) => ReadonlyMap<string, Buffer> | undefined;
  /** Returns a token of the pod's service account. */
  readonly token: (audience: string | undefined, seconds: number) => string;
}

interface Items {
  readonly items?: readonly { readonly key: string; readonly path: string }[];
  readonly optional?: boolean;
}

const DEFAULT_TOKEN_S = 3600;

/** Returns the files of a pod's volume, like the mount of a real kubelet. Returns undefined if a required object does not exist. */
export function filesOf(volume: Volume, source: VolumeSource): VolumeFiles | undefined {
  const { secret, configMap, projected, emptyDir } = volume;
  if (emptyDir !== undefined) return new Map();
  if (secret !== undefined) return pick(source.secret(secret.secretName ?? ''), secret);
  if (configMap !== undefined) return pick(source.configMap(configMap.name ?? ''), configMap);
  if (projected === undefined) {
    throw new PortcullisError(
      'InvalidConfiguration',
      `volume ${volume.name} has a kind that the sandbox does not support: use secret, configMap, projected or emptyDir`,
    );
  }
  const parts = (projected.sources ?? []).map((part) => projection(part, source));
  return parts.some((part) => part === undefined) ? undefined : new Map(parts.flatMap((part) => [...(part ?? [])]));
}

type Projection = NonNullable<NonNullable<Volume['projected']>['sources']>[number];

function projection(part: Projection, source: VolumeSource): VolumeFiles | undefined {
  const { secret, configMap, serviceAccountToken: token } = part;
  if (secret !== undefined) return pick(source.secret(secret.name ?? ''), secret);
  if (configMap !== undefined) return pick(source.configMap(configMap.name ?? ''), configMap);
  if (token === undefined) return new Map();
  const text = source.token(token.audience, token.expirationSeconds ?? DEFAULT_TOKEN_S);
  return new Map([[token.path, Buffer.from(text)]]);
}

function pick(data: ReadonlyMap<string, Buffer> | undefined, { items, optional }: Items): VolumeFiles | undefined {
  if (data === undefined) return optional === true ? new Map() : undefined;
  if (items === undefined) return data;
  return new Map(
    items.flatMap(({ key, path }) => (data.has(key) ? [[path, data.get(key) ?? Buffer.alloc(0)] as const] : [])),
  );
}

const DATA = '..data';

/** Writes a volume and returns whether a file changed. Supports only one writer at a time. */
export async function writeVolume(folder: string, files: VolumeFiles): Promise<boolean> {
  await mkdir(folder, { recursive: true });
  const current = await currentData(folder);
  if (current !== undefined && (await holds(join(folder, current), files))) return false;
  const fresh = nextName(current);
  await rm(join(folder, fresh), { recursive: true, force: true });
  await mkdir(join(folder, fresh), { mode: 0o700 });
  for (const [path, content] of files) {
    await mkdir(dirname(join(folder, fresh, path)), { recursive: true });
    await writeFile(join(folder, fresh, path), content, { mode: 0o600 });
  }
  // As in a real kubelet, a reader of the link never sees a mix of versions.
  await replaceLink(join(folder, DATA), fresh);
  await linkTopLevel(folder, files);
  if (current !== undefined) await rm(join(folder, current), { recursive: true, force: true });
  return true;
}

async function currentData(folder: string): Promise<string | undefined> {
  try {
    return await readlink(join(folder, DATA));
  } catch {
    return undefined;
  }
}

const nextName = (current: string | undefined): string => `..${Number(/\d+/.exec(current ?? '')?.[0] ?? 0) + 1}`;

async function holds(folder: string, files: VolumeFiles): Promise<boolean> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => []);
  if (entries.filter((entry) => entry.isFile()).length !== files.size) return false;
  const same = await Promise.all(
    [...files].map(async ([path, content]) => {
      const found = await readFile(join(folder, path)).catch(() => undefined);
      return found?.equals(content) === true;
    }),
  );
  return same.every(Boolean);
}

async function replaceLink(path: string, target: string): Promise<void> {
  await rm(`${path}.new`, { force: true });
  await symlink(target, `${path}.new`);
  await rename(`${path}.new`, path);
}

/** Creates a symlink into `..data` for each top-level name of the files, and removes other symlinks. */
async function linkTopLevel(folder: string, files: VolumeFiles): Promise<void> {
  const names = new Set([...files.keys()].map((path) => path.split('/')[0] ?? path));
  for (const name of names) {
    const known = await lstat(join(folder, name)).catch(() => undefined);
    if (known === undefined) await replaceLink(join(folder, name), join(DATA, name));
  }
  const stale = (await readdir(folder)).filter((name) => !name.startsWith('..') && !names.has(name));
  await Promise.all(stale.map((name) => rm(join(folder, name), { force: true })));
}
