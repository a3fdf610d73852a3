import { join } from 'node:path';
import type { Mount } from './container-of-deployment.ts';

/** Returns the folder of a pod's volume on this machine. */
export const volumeFolder = (podFolder: string, volume: string): string => join(podFolder, 'volumes', volume);

const escaped = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');

/** Replaces container mount paths in an argument or a variable with the paths of the volumes on this machine. */
export function relocate(text: string, mounts: readonly Mount[], podFolder: string): string {
  if (mounts.length === 0) return text;
  const targets = new Map(
    mounts.map(({ volume, mountPath, subPath = '' }) => [
      mountPath.replace(/\/+$/, ''),
      join(volumeFolder(podFolder, volume), subPath),
    ]),
  );
  const longestFirst = [...targets.keys()].sort((one, other) => other.length - one.length);
  const pattern = new RegExp(`(^|[=,:])(${longestFirst.map(escaped).join('|')})(?=$|[/,:])`, 'g');
  return text.replace(pattern, (_whole, before: string, path: string) => before + (targets.get(path) ?? path));
}
