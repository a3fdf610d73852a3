import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { cpSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { gunzipSync } from 'node:zlib';
import { CONTAINERFILE } from '../containerfile.ts';
import { root } from '../manifests.ts';
import { lockfile } from '../sbom.ts';
import { NODE_PACKAGES, type Architecture } from './architecture.ts';
import { fileEntry, folderEntries, folderEntry, readArchive, type Entry } from './archive.ts';

const execute = promisify(execFile);
const QUIET = ['--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'];

/** Place of the program, as in the Containerfile. */
const PROGRAM = 'portcullis';

/** Returns the folders above a path. */
const foldersAbove = (path: string): readonly Entry[] =>
  path
    .split('/')
    .slice(0, -1)
    .map((_name, index, names) => folderEntry(names.slice(0, index + 1).join('/')));

/** Returns the program and the license of Node.js for an architecture, from the lockfile. Throws if the checksum differs from the lockfile. */
export async function nodeEntries(architecture: Architecture, folder: string): Promise<readonly Entry[]> {
  const name = NODE_PACKAGES[architecture];
  const { version, integrity } = lockfile().packages[`node_modules/${name}`]!;
  mkdirSync(folder, { recursive: true });
  await execute('npm', ['pack', `${name}@${version}`, `--pack-destination=${folder}`, '--prefer-offline', ...QUIET]);
  const archive = readFileSync(join(folder, `${name}-${version}.tgz`));
  const found = `sha512-${createHash('sha512').update(archive).digest('base64')}`;
  if (found !== integrity)
    throw new Error(`${name}@${version} has the checksum ${found}, and the lockfile ${integrity}`);
  const packed = await readArchive(gunzipSync(archive));
  const contentOf = (path: string): Buffer => packed.find((each) => each.path === `package/${path}`)!.content!;
  const [program, license] = ['usr/local/bin/node', 'usr/local/share/doc/node/LICENSE'];
  return [
    ...foldersAbove(program),
    ...foldersAbove(license),
    fileEntry(program, contentOf('bin/node'), 0o755),
    fileEntry(license, contentOf('LICENSE')),
  ];
}

/** Ends of the names of files that the Containerfile deletes. */
const DELETED = CONTAINERFILE.filter(({ name }) => name === 'RUN').flatMap(({ rest }) =>
  [...rest.matchAll(/-name '\*([^']+)'/g)].map(([, end = '']) => end),
);

/** Files that the image omits: only the build needs them, and the text of npm's own lockfile depends on the version of npm. */
const UNUSED = ['package-lock.json', '.npmrc', 'node_modules/.package-lock.json'].map((name) => `${PROGRAM}/${name}`);

const isInImage = ({ path }: Entry): boolean =>
  !UNUSED.includes(path) && !(path.startsWith(`${PROGRAM}/node_modules/`) && DELETED.some((end) => path.endsWith(end)));

/** Returns the program and its production packages, as the Containerfile installs them. `folder` must be empty. */
export async function programEntries(folder: string): Promise<readonly Entry[]> {
  mkdirSync(folder, { recursive: true });
  await execute('npm', ['run', '--silent', 'bundle', '--', `--outdir=${join(folder, 'dist')}`], { cwd: root });
  for (const name of ['package.json', 'package-lock.json', '.npmrc']) cpSync(join(root, name), join(folder, name));
  const flags = ['--omit=dev', '--omit=optional', '--no-bin-links', '--prefer-offline', ...QUIET];
  await execute('npm', ['ci', ...flags], { cwd: folder });
  return [folderEntry(PROGRAM), ...folderEntries(folder, PROGRAM).filter(isInImage)];
}
