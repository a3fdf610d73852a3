import { parseAllDocuments } from 'yaml';
import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import type { Material, Program } from './catalogue.ts';
import { run, type CommandOptions } from '../command.ts';
import { go } from './go.ts';
import { buildFlags } from './build-inputs.ts';

/** A tool, and the path of its result, which never holds an incomplete result. */
export interface Build<Tool extends Program | Material> {
  readonly tool: Tool;
  readonly target: string;
}

/** Builds programs of one module by one command, which compiles common packages once. `source` is the folder of `go.mod`. */
export function buildPrograms(
  source: string,
  builds: readonly Build<Program>[],
  options: CommandOptions,
): Promise<void> {
  return renamed(builds, options, async (unfinished) => {
    const flags = buildFlags(await readFile(join(source, 'go.mod'), 'utf8'));
    const packages = builds.map(({ tool }) => tool.package);
    await go(['-C', source, 'build', ...flags, '-o', `${unfinished}/`, ...packages], options);
    return builds.map(({ tool }) => binaryName(tool.package));
  });
}

/** Writes a material. `kubectl` is the path of the program, which renders folders. */
export function gather(
  source: string,
  build: Build<Material>,
  kubectl: string,
  options: CommandOptions,
): Promise<void> {
  return renamed([build], options, async (unfinished) => {
    const name = basename(build.target);
    await writeFile(join(unfinished, name), await contents(build.tool, source, kubectl, options));
    return [name];
  });
}

/** Returns the name that the go command gives to the binary of a package. A major version is not a name. */
const binaryName = (path: string): string => basename(path.replace(/\/v\d+$/, ''));

const UNFINISHED = '.unfinished-';

/**
 * Renames what `work` writes into a folder next to the targets, in the order of the returned names. A build that fails, is interrupted or runs twice
 * at once never leaves an incomplete file. The caller must hold the lock of the targets' folder.
 */
async function renamed(
  builds: readonly Build<Program | Material>[],
  { signal }: CommandOptions,
  work: (unfinished: string) => Promise<readonly string[]>,
): Promise<void> {
  const folder = dirname(builds[0]?.target ?? '');
  await mkdir(folder, { recursive: true });
  await removeLeftOvers(folder);
  const unfinished = join(folder, `${UNFINISHED}${process.pid}`);
  await mkdir(unfinished);
  try {
    const names = await work(unfinished);
    signal?.throwIfAborted();
    await Promise.all(builds.map(({ target }, index) => rename(join(unfinished, names[index] ?? ''), target)));
  } finally {
    await rm(unfinished, { recursive: true, force: true });
  }
}

/** Removes the files of a killed build. */
async function removeLeftOvers(folder: string): Promise<void> {
  const leftOvers = (await readdir(folder)).filter((name) => name.startsWith(UNFINISHED));
  await Promise.all(leftOvers.map((name) => rm(join(folder, name), { recursive: true, force: true })));
}

async function contents(material: Material, source: string, kubectl: string, options: CommandOptions): Promise<string> {
  // The command "download" prints the folder of the module, and fetches a missing module.
  const printed = await go(['-C', source, 'mod', 'download', '-json', material.carrier], options);
  const { Dir } = JSON.parse(printed) as { readonly Dir: string };
  const folder = join(Dir, material.folder);
  return material.how === 'kustomize' ? run(kubectl, ['kustomize', folder], options) : listOf(folder, material);
}

/** Returns the objects in the folder's YAML files as a JSON list, so that sandboxes need not parse YAML at each start. */
async function listOf(folder: string, { files }: Material): Promise<string> {
  const texts = await Promise.all(files.map((file) => readFile(join(folder, file), 'utf8')));
  const items = texts
    .flatMap((text) => parseAllDocuments(text))
    .flatMap((document) => (document.toJS() as object | null) ?? []);
  return JSON.stringify({ apiVersion: 'v1', kind: 'List', items });
}
