import { readdirSync, readFileSync, statSync, type Dirent } from 'node:fs';
import { buffer } from 'node:stream/consumers';
import { join, resolve } from 'node:path';
import { hasReason, messageOf, PortcullisError } from '../base/errors.ts';
import type { Source } from './source.ts';

/** The command line argument for standard input. */
export const STDIN = '-';
/** The name of standard input in messages. */
const STDIN_NAME = '<stdin>';

/** Matches the names of the files that are read from a folder, as kubectl does. */
const MANIFEST = /\.(?:json|ya?ml)$/;

/** The maximum size of a file, in MiB, because a parsed file takes about fifty times its size in memory. */
const MOST_MIB = 32;
const MIB = 1_024 * 1_024;

const fail = (message: string, cause?: unknown): never => {
  throw new PortcullisError('InvalidConfiguration', message, { cause });
};

const REASONS: Readonly<Record<string, string>> = {
  ENOENT: 'file or folder not found',
  EACCES: 'permission denied',
  EISDIR: 'expected a file, found a folder',
  ELOOP: 'its symbolic links form a cycle',
};

/** Calls `read`, and converts an error of the file system into a readable message. */
function orFail<Value>(path: string, read: () => Value): Value {
  try {
    return read();
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : '';
    return fail(`failed to read ${path}: ${REASONS[code] ?? messageOf(error)}`, error);
  }
}

/** Decodes UTF-8. Rejects other encodings, such as UTF-16, which some Windows shells write with `>`. */
function textOf(name: string, bytes: Uint8Array): string {
  if (bytes.byteLength > MOST_MIB * MIB)
    fail(
      `${name} has ${Math.ceil(bytes.byteLength / MIB)} MiB, more than the limit of ${MOST_MIB} MiB: split the file`,
    );
  const isUtf16 = (bytes[0] === 0xff && bytes[1] === 0xfe) || (bytes[0] === 0xfe && bytes[1] === 0xff);
  if (isUtf16) fail(`${name} is UTF-16 text: save the file as UTF-8`);
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch (error) {
    return fail(`${name} is not UTF-8 text: check that the file is a manifest`, error);
  }
}

/** Reads a file or standard input, for any command. Rejects with `InvalidConfiguration` and a readable message. */
export async function readSource(path: string): Promise<Source> {
  if (path === STDIN) return { name: STDIN_NAME, text: textOf(STDIN_NAME, await buffer(process.stdin)) };
  return {
    name: path,
    text: textOf(
      path,
      orFail(path, () => readFileSync(path)),
    ),
  };
}

/** Returns whether an entry is a manifest file. Skips links to folders, because such links can form a cycle. */
function isFile(entry: Dirent, path: string): boolean {
  if (!MANIFEST.test(entry.name)) return false;
  return entry.isSymbolicLink() ? statSync(path, { throwIfNoEntry: false })?.isFile() === true : entry.isFile();
}

function filesUnder(folder: string, recursive: boolean): readonly string[] {
  const entries = orFail(folder, () => readdirSync(folder, { withFileTypes: true }));
  return entries.flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return recursive ? filesUnder(path, recursive) : [];
    return orFail(path, () => isFile(entry, path)) ? [path] : [];
  });
}

function filesIn(folder: string, recursive: boolean): readonly string[] {
  const files = filesUnder(folder, recursive);
  if (files.length === 0) {
    const hint = recursive ? '' : ': -R includes subfolders';
    fail(`${folder} contains no .yaml, .yml or .json file${hint}`);
  }
  return files.toSorted();
}

/** Returns each file once, by its first name: `web.yaml` and `./web.yaml` are one file. */
const distinct = (files: readonly string[]): readonly string[] =>
  [...Map.groupBy(files, (file) => (file === STDIN ? file : resolve(file))).values()].flatMap(([first = []]) => first);

/** Returns the files for arguments that name files, folders or `-`. Lists each file once. Includes subfolders if `recursive` is true. */
export function filesOf(paths: readonly string[], recursive: boolean): readonly string[] {
  const files = paths.flatMap((path) => {
    if (path === STDIN) return [path];
    return orFail(path, () => statSync(path)).isDirectory() ? filesIn(path, recursive) : [path];
  });
  return distinct(files);
}

/** A file or folder that cannot be read. */
export interface Unread {
  readonly name: string;
  /** An `InvalidConfiguration` with a readable message. */
  readonly error: PortcullisError;
}

/** Returns the items of all names. Adds the names that cannot be read to `unread`. */
async function collected<Item>(
  names: Iterable<string>,
  read: (name: string) => readonly Item[] | Promise<readonly Item[]>,
  unread: Unread[],
): Promise<readonly Item[]> {
  const items: Item[] = [];
  for (const name of names) {
    try {
      items.push(...(await read(name)));
    } catch (error) {
      if (!hasReason(error, 'InvalidConfiguration')) throw error;
      unread.push({ name: name === STDIN ? STDIN_NAME : name, error });
    }
  }
  return items;
}

/** The files that were read, and the unreadable files and folders. */
export interface SourcesRead {
  readonly sources: readonly Source[];
  readonly unread: readonly Unread[];
}

/** Reads all files that arguments name, as `filesOf` lists them. Continues after an unreadable file. */
export async function readEachSource(paths: readonly string[], recursive: boolean): Promise<SourcesRead> {
  const unread: Unread[] = [];
  const files = await collected(paths, (path) => filesOf([path], recursive), unread);
  const sources = await collected(distinct(files), async (file) => [await readSource(file)], unread);
  return { sources, unread };
}

/** Reads all files that arguments name, as `filesOf` lists them. Rejects with the first error. */
export async function readSources(paths: readonly string[], recursive: boolean): Promise<readonly Source[]> {
  const { sources, unread } = await readEachSource(paths, recursive);
  for (const { error } of unread) throw error;
  return sources;
}
