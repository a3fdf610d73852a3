import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { messageOf } from '../../../src/base/errors.ts';
import { fileEntry, folderEntry } from '../image/archive.ts';
import { programEntries } from '../image/program-files.ts';
import { root } from '../manifests.ts';
import { compressed, withoutFirstFolder } from './archive.ts';

/** The archive of the kubectl plug-in, and its manifest for krew. `make plugin` and `make release` write them. */
export const PLUGIN_FILES = { archive: 'kubectl-portcullis.tar.gz', manifest: 'kubectl-portcullis.yaml' } as const;

const LAUNCHER = 'src/launcher.js';
const read = (path: string): Buffer => readFileSync(join(root, path));

/** Writes the archive of the kubectl plug-in, and its manifest for krew with the `address` of the archive. `work` is an empty folder. */
export async function writePlugin(folder: string, work: string, address: string): Promise<void> {
  const archive = await compressed([
    ...withoutFirstFolder(await programEntries(work)),
    folderEntry('src'),
    fileEntry(LAUNCHER, read(LAUNCHER), 0o755),
    fileEntry('LICENSE', read('LICENSE')),
  ]);
  const manifest = read('manifests/krew/portcullis.yaml')
    .toString()
    .replaceAll(/^#.*\n/gm, '')
    .replace('ARCHIVE_SHA256', createHash('sha256').update(archive).digest('hex'))
    .replace('ARCHIVE_URL', () => (address === '' ? 'ARCHIVE_URL' : address));
  writeFileSync(join(folder, PLUGIN_FILES.archive), archive);
  writeFileSync(join(folder, PLUGIN_FILES.manifest), manifest);
}

if (import.meta.main) {
  const folder = join(root, 'dist/plugin');
  const work = join(folder, 'files');
  try {
    rmSync(folder, { recursive: true, force: true });
    mkdirSync(folder, { recursive: true });
    await writePlugin(folder, work, process.argv[2] ?? '');
    process.stdout.write(
      `written: ${Object.values(PLUGIN_FILES)
        .map((name) => `dist/plugin/${name}`)
        .join(' and ')}\n`,
    );
  } catch (error) {
    process.stderr.write(`${messageOf(error)}\n`);
    process.exitCode = 1;
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}
