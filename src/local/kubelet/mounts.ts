import { join } from 'node:path';
import type { Mount } from './container.ts';

/** Where a volume lies on this machine. */
export const volumeFolder = (podFolder: string, volume: string): string => join(podFolder, 'volumes', volume);

const escaped = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');

/**
 * A text (an argument, a variable's value) in which every path under a mount is the path where the volume really lies.
 * A path counts where it begins the text or follows `=`, `,` or `:`, and ends at a folder's boundary; the longest mount wins.
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
