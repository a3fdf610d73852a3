import { copyFileSync, linkSync, mkdirSync, readdirSync, readlinkSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';

/** Links a file, or copies the file if the folders are on different file systems. */
function linkFile(from: string, to: string): void {
  try {
    linkSync(from, to);
  } catch {
    copyFileSync(from, to);
  }
}

/**
 * Copies a folder with hard links to its files, which is ten times faster than copies of thousands of files. Callers may delete and replace the
 * linked files, but not write to them.
 */
export function linkFolder(from: string, to: string, isCopied: (name: string) => boolean = () => true): void {
  mkdirSync(to, { recursive: true });
  for (const entry of readdirSync(from, { withFileTypes: true })) {
    const [source, target] = [join(from, entry.name), join(to, entry.name)];
    if (!isCopied(entry.name)) continue;
    if (entry.isDirectory()) linkFolder(source, target, isCopied);
    else if (entry.isSymbolicLink()) symlinkSync(readlinkSync(source), target);
    else linkFile(source, target);
  }
}
