import { parseAllDocuments } from 'yaml';
import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import type { Material, Program } from './catalogue.ts';
import { run, type CommandOptions } from '../external-command.ts';
import { go } from './go-command.ts';
import { buildFlags } from './build-inputs.ts';

/** A tool to build, and the path of the built file. The path never has an incomplete file. */
export interface Build<Tool extends Program | Material> {
  readonly tool: Tool;
  readonly target: string;
}

/** Builds the missing programs of a module with one `go build`, so that common packages compile only once. `source` is the folder of `go.mod`. */
export function buildPrograms(
  source: string,
  builds: readonly Build<Program>[],
  options: CommandOptions,
): Promise<void> {
  return buildAtomically(builds, options, async (unfinished) => {
    const flags = buildFlags(await readFile(join(source, 'go.mod'), 'utf8'));
    const packages = builds.map(({ tool }) => tool.package);
    await go(['-C', source, 'build', ...flags, '-o', `${unfinished}/`, ...packages], options);
    return builds.map(({ tool }) => binaryName(tool.package));
  });
}

/** Combines manifests of a Go module, such as CRDs of cert-manager, into one file. `kubectl` is the path of kubectl, which renders kustomizations. */
export function gather(
  source: string,
  build: Build<Material>,
  kubectl: string,
  options: CommandOptions,
): Promise<void> {
  return buildAtomically([build], options, async (unfinished) => {
    const name = basename(build.target);
    await writeFile(join(unfinished, name), await contents(build.tool, source, kubectl, options));
    return [name];
  });
}

/** Returns the name that `go build` gives to a binary: the last part of the path, except for a major version such as `/v3`. */
const binaryName = (path: string): string => basename(path.replace(/\/v\d+$/, ''));

const UNFINISHED = '.unfinished-';

/** Builds in a temporary folder, so that a failed build leaves no incomplete target. The caller must hold the lock of the targets' folder. */
async function buildAtomically(
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
    // The names are in the order of `builds`.
    const names = await work(unfinished);
    signal?.throwIfAborted();
    await Promise.all(builds.map(({ target }, index) => rename(join(unfinished, names[index] ?? ''), target)));
  } finally {
    await rm(unfinished, { recursive: true, force: true });
  }
}

/** Removes the temporary folders of killed builds. */
async function removeLeftOvers(folder: string): Promise<void> {
  const leftOvers = (await readdir(folder)).filter((name) => name.startsWith(UNFINISHED));
  await Promise.all(leftOvers.map((name) => rm(join(folder, name), { recursive: true, force: true })));
}

async function contents(material: Material, source: string, kubectl: string, options: CommandOptions): Promise<string> {
  // `go mod download` prints the folder of the module, and fetches a missing module.
  const printed = await go(['-C', source, 'mod', 'download', '-json', material.carrier], options);
  const { Dir } = JSON.parse(printed) as { readonly Dir: string };
  const folder = join(Dir, material.folder);
  return material.how === 'kustomize' ? run(kubectl, ['kustomize', folder], options) : listOf(folder, material);
}

/** Returns the objects in YAML files as a JSON list, so that a sandbox need not parse YAML at each start. */
async function listOf(folder: string, { files }: Material): Promise<string> {
  const texts = await Promise.all(files.map((file) => readFile(join(folder, file), 'utf8')));
  const items = texts
    .flatMap((text) => parseAllDocuments(text))
    .flatMap((document) => (document.toJS() as object | null) ?? []);
  return JSON.stringify({ apiVersion: 'v1', kind: 'List', items });
}
