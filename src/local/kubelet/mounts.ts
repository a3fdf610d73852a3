import { join } from 'node:path';
import type { Mount } from './container.ts';

/** Returns the folder of a volume on this machine. */
export const volumeFolder = (podFolder: string, volume: string): string => join(podFolder, 'volumes', volume);

const escaped = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');

/**
 * Replaces every path under a mount in a text (an argument or a variable's value) by the path of the volume. A path starts the text or follows `=`,
 * `,` or `:`, and ends at a folder boundary; the longest mount wins.
 */
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
