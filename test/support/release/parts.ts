import { execFile } from 'node:child_process';
import { copyFileSync, globSync, mkdirSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { promisify } from 'node:util';
import { printProgress } from '../../../src/local/progress.ts';
import { obtainTools } from '../../../src/local/tools/find-or-build-tools.ts';
import { CHART } from '../chart/chart.ts';
import { folderEntries, folderEntry, writeArchive } from '../image/archive.ts';
import { buildLayout } from '../image/build.ts';
import { imageSbom } from '../image/image-sbom.ts';
import { INSTALLATIONS, installText } from '../install-files.ts';
import { root } from '../manifests.ts';
import { lockfile, sbomOf } from '../sbom.ts';
import { compressed, contentsOf } from './archive.ts';
import { writePlugin } from './plugin.ts';

const execute = promisify(execFile);

/** The inputs that the parts share. */
export interface ReleaseInput {
  readonly version: string;
  readonly notes: string;
  /** The address at which the archive of the plug-in is published. Empty if unknown. */
  readonly pluginAddress: string;
}

/** A part of a release, which `make release` writes. */
export interface Part {
  readonly name: string;
  readonly title: string;
  /** The target of make that builds or checks only this part. */
  readonly target: string;
  /** Writes the files of the part into `folder`. `work` is a folder for intermediate files that does not exist yet. */
  readonly write: (folder: string, work: string, input: ReleaseInput) => Promise<void>;
}

const json = (value: object): string => `${JSON.stringify(value, null, 2)}\n`;

async function writeInstallations(folder: string): Promise<void> {
  const { kustomize } = await obtainTools(['kustomize'], { env: process.env, progress: printProgress(process.stdout) });
  for (const overlay of INSTALLATIONS)
    writeFileSync(join(folder, `install-${overlay}.yaml`), await installText(kustomize, overlay));
}

async function writeChart(folder: string, version: string): Promise<void> {
  const name = basename(CHART);
  const archive = await compressed([folderEntry(name), ...folderEntries(join(root, CHART), name)]);
  writeFileSync(join(folder, `${name}-${version}.tgz`), archive);
}

async function writeSite(folder: string, work: string): Promise<void> {
  await execute(process.execPath, [join(root, 'docs/.vitepress/assemble.ts')]);
  await execute(join(root, 'node_modules/.bin/vitepress'), ['build', join(root, 'docs'), '--outDir', work]);
  writeFileSync(join(folder, 'site.tar.gz'), await compressed(contentsOf(work)));
}

async function writeImage(folder: string, work: string): Promise<void> {
  mkdirSync(work, { recursive: true });
  await buildLayout(work);
  writeFileSync(join(folder, 'image.tar'), await writeArchive(contentsOf(join(work, 'layout'))));
  writeFileSync(join(folder, 'image-sbom.json'), json(imageSbom()));
}

/** The parts of a release in the order of their build. The image comes early, because its build fails on a machine without apt. */
export const PARTS: readonly Part[] = [
  {
    name: 'notes',
    title: 'the release notes',
    target: 'test ONLY=test/releases.test.ts',
    write: async (folder, _work, { notes }) => writeFileSync(join(folder, 'release-notes.md'), notes),
  },
  {
    name: 'sbom',
    title: 'the list of packages',
    target: 'sbom',
    write: async (folder) => {
      const { name, packages } = lockfile();
      writeFileSync(join(folder, 'sbom.json'), json(sbomOf(name, packages)));
    },
  },
  {
    name: 'schemas',
    title: 'the JSON schemas',
    target: 'generate',
    write: async (folder) => {
      for (const path of globSync('docs/reference/*.schema.json', { cwd: root }))
        copyFileSync(join(root, path), join(folder, basename(path)));
    },
  },
  {
    name: 'chart',
    title: 'the Helm chart',
    target: 'generate',
    write: (folder, _work, { version }) => writeChart(folder, version),
  },
  { name: 'image', title: 'the image', target: 'image', write: writeImage },
  { name: 'install', title: 'the installations in one file', target: 'install-files', write: writeInstallations },
  {
    name: 'plugin',
    title: 'the plug-in of kubectl',
    target: 'plugin',
    write: (folder, work, { pluginAddress }) => writePlugin(folder, work, pluginAddress),
  },
  { name: 'site', title: 'the documentation site', target: 'docs', write: writeSite },
];
