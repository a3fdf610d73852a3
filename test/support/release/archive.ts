import { folderEntries, gzip, writeArchive, type Entry } from '../image/archive.ts';

/** Returns the entries of a folder, without the folder itself, for the archives of a release. */
export const contentsOf = (folder: string): readonly Entry[] => withoutFirstFolder(folderEntries(folder, '.'));

/** Returns the entries at the paths below their first folder. */
export const withoutFirstFolder = (entries: readonly Entry[]): readonly Entry[] =>
  entries.flatMap((entry) => {
    const path = entry.path.split('/').slice(1).join('/');
    return path === '' ? [] : [{ ...entry, path }];
  });

/** Returns a compressed archive. Equal entries give equal bytes on every machine. */
export const compressed = async (entries: readonly Entry[]): Promise<Uint8Array> => gzip(await writeArchive(entries));
