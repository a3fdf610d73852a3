import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { messageOf } from '../../../src/base/errors.ts';
import { CONTAINERFILE } from '../containerfile.ts';
import { root } from '../manifests.ts';
import { ARCHITECTURES } from './architecture.ts';
import { debianEntries } from './debian.ts';
import { debianLock } from './debian-lock.ts';
import { layerOf, writeLayout, type ContainerConfig, type Layer } from './layout.ts';
import { nodeEntries, programEntries } from './program-files.ts';
import { imageSbom } from './image-sbom.ts';

/** The usual PATH of containers, which the Containerfile inherits from its base image. */
const PATH = 'PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';

/** Returns the settings of the Containerfile's last stage. */
export function containerConfig(): ContainerConfig {
  const last = CONTAINERFILE.slice(CONTAINERFILE.findLastIndex(({ name }) => name === 'FROM'));
  const allOf = (name: string): readonly string[] => last.filter((each) => each.name === name).map(({ rest }) => rest);
  return {
    User: allOf('USER').at(-1)!,
    Env: [PATH, ...allOf('ENV')],
    Entrypoint: JSON.parse(allOf('ENTRYPOINT').at(-1)!) as readonly string[],
    WorkingDir: allOf('WORKDIR').at(-1)!,
  };
}

interface PackageFile {
  readonly version: string;
  readonly description: string;
  readonly license: string;
}

/** Returns the labels that registries show. */
export function labelsOf({ version, description, license }: PackageFile): Readonly<Record<string, string>> {
  const prefix = 'org.opencontainers.image';
  return {
    [`${prefix}.title`]: 'portcullis',
    [`${prefix}.description`]: description,
    [`${prefix}.version`]: version,
    [`${prefix}.licenses`]: license,
  };
}

/** Builds the image of all architectures. Writes its layout into `layout` of an empty folder. `make image` and `make release` call it. */
export async function buildLayout(folder: string): Promise<string> {
  const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as PackageFile;
  const lock = debianLock();
  const lower: Layer[][] = [];
  for (const architecture of ARCHITECTURES) {
    const downloads = join(folder, architecture);
    const base = await layerOf('packages of Debian', await debianEntries(process.env, lock[architecture], downloads));
    lower.push([base, await layerOf('Node', await nodeEntries(architecture, downloads))]);
  }
  const program = await layerOf('Portcullis', await programEntries(join(folder, 'program')));
  const images = ARCHITECTURES.map((architecture, index) => ({ architecture, layers: [...lower[index]!, program] }));
  const { version } = manifest;
  const input = { version, labels: labelsOf(manifest), config: containerConfig(), images };
  return writeLayout(join(folder, 'layout'), input);
}

/** Replaces `target` by the folder `name` that `build` writes into a folder, once it is complete. Returns the result of `build`. */
export async function replaceWhenComplete<Result>(
  target: string,
  build: (folder: string) => Promise<Result>,
  name = 'layout',
): Promise<Result> {
  const folder = `${target}.new`;
  rmSync(folder, { recursive: true, force: true });
  try {
    const result = await build(folder);
    rmSync(target, { recursive: true, force: true });
    renameSync(join(folder, name), target);
    return result;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

if (import.meta.main) {
  try {
    process.stdout.write(`building the image for ${ARCHITECTURES.join(' and ')}: about a minute\n`);
    const digest = await replaceWhenComplete(join(root, 'dist/image'), buildLayout);
    writeFileSync(join(root, 'dist/image-sbom.json'), `${JSON.stringify(imageSbom(), null, 2)}\n`);
    process.stdout.write(`written: dist/image (${digest}) and dist/image-sbom.json\n`);
  } catch (error) {
    process.stderr.write(`${messageOf(error)}\n`);
    process.exitCode = 1;
  }
}
