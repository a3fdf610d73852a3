import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../manifests.ts';
import type { Architecture } from './architecture.ts';

/** A package of Debian in one version. */
export interface DebianPackage {
  readonly name: string;
  readonly version: string;
  /** Path in Debian's archive. */
  readonly path: string;
  readonly sha256: string;
}

/** The Debian packages of the image, by architecture. The lock fixes their versions, so that every build has the same bytes. */
export type DebianLock = Readonly<Record<Architecture, readonly DebianPackage[]>>;

export const DEBIAN_LOCK = 'manifests/image/debian-lock.json';

export const debianLock = (): DebianLock => JSON.parse(readFileSync(join(root, DEBIAN_LOCK), 'utf8')) as DebianLock;

export const writeDebianLock = (lock: DebianLock): void =>
  writeFileSync(join(root, DEBIAN_LOCK), `${JSON.stringify(lock, null, 2)}\n`);
