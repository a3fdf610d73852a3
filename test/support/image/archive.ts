import { lstatSync, readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { gzipSync } from 'fflate';
import { extract, pack } from 'tar-stream';

/** A file, folder or symbolic link of an image, without owner and time. */
export interface Entry {
  /** Path from the root, without a slash at either end. */
  readonly path: string;
  readonly type: 'file' | 'directory' | 'symlink';
  readonly mode: number;
  readonly content?: Buffer;
  /** Target of a symbolic link. */
  readonly target?: string;
}

const PERMISSIONS = 0o7777;

export const folderEntry = (path: string): Entry => ({ path, type: 'directory', mode: 0o755 });
export const fileEntry = (path: string, content: Buffer, mode = 0o644): Entry => ({
  path,
  type: 'file',
  mode,
  content,
});

/** Returns the entries of a tar archive. Throws for types that an image does not need, such as devices. */
export async function readArchive(archive: Buffer): Promise<readonly Entry[]> {
  const unpacking = extract();
  unpacking.end(archive);
  const entries: Entry[] = [];
  for await (const entry of unpacking) {
    const { name, type, mode, linkname } = entry.header;
    const content = await buffer(entry);
    const path = name.replace(/^\.?\/*/, '').replace(/\/+$/, '');
    if (path === '') continue;
    const common = { path, mode: mode & PERMISSIONS };
    if (type === 'directory') entries.push({ ...common, type });
    else if (type === 'file') entries.push({ ...common, type, content });
    else if (type === 'symlink') entries.push({ ...common, type, target: linkname });
    else throw new Error(`${path} is a ${type}, which no image needs`);
  }
  return entries;
}

/** Returns a tar archive: entries in the order of their paths, owned by root, at the beginning of 1970. */
export async function writeArchive(entries: readonly Entry[]): Promise<Buffer> {
  const packing = pack();
  const whole = buffer(packing);
  const byPath = new Map(entries.map((entry) => [entry.path, entry]));
  for (const path of [...byPath.keys()].sort()) {
    const { type, mode, content, target } = byPath.get(path)!;
    const header = { name: path, type, mode, mtime: new Date(0), uid: 0, gid: 0, linkname: target ?? '' };
    packing.entry(header, content ?? Buffer.alloc(0));
  }
  packing.finalize();
  return whole;
}

/** Compresses an archive with a package of the lockfile, because the bytes of zlib in Node.js depend on its version and on the processor. */
export const gzip = (archive: Buffer): Uint8Array => gzipSync(archive, { mtime: 0 });

/** Returns the entries of a folder for a place in an image. Files are readable by all, whatever the umask was. */
export function folderEntries(folder: string, place: string): readonly Entry[] {
  return readdirSync(folder).flatMap((name) => {
    const [source, path] = [join(folder, name), `${place}/${name}`];
    const stat = lstatSync(source);
    if (stat.isDirectory()) return [folderEntry(path), ...folderEntries(source, path)];
    if (stat.isSymbolicLink()) return [{ path, type: 'symlink', mode: 0o777, target: readlinkSync(source) } as const];
    return [fileEntry(path, readFileSync(source), (stat.mode & 0o100) === 0 ? 0o644 : 0o755)];
  });
}
