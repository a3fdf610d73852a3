import { parseAllDocuments } from 'yaml';
import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import type { Material, Program } from './catalogue.ts';
import { run, type CommandOptions } from '../command.ts';
import { go } from './go.ts';
import { kubernetesRelease, linkerFlags } from './build-inputs.ts';

/** The source and the target of a build. */
export interface Build {
  /** The folder of the module's `go.mod`. */
  readonly source: string;
  /** The path of the result. */
  readonly target: string;
  /** The path of kustomize, for materials that kustomize renders. */
  readonly kustomize?: string;
}

/**
 * Builds a program or material under a temporary name next to its target, then renames the result. Without the rename, an interrupted build
 * would leave an incomplete file, which later starts would use.
 */
export async function build(
  tool: Program | Material,
  { source, target, kustomize = '' }: Build,
  options: CommandOptions,
): Promise<void> {
  await mkdir(dirname(target), { recursive: true });
  await removeLeftOvers(target);
  const unfinished = join(dirname(target), `${unfinishedPrefix(target)}${process.pid}`);
  try {
    if (tool.kind === 'program') await compile(tool, source, unfinished, options);
    else await gather(tool, source, unfinished, kustomize, options);
    options.signal?.throwIfAborted();
    await rename(unfinished, target);
  } finally {
    await rm(unfinished, { force: true });
  }
}

const unfinishedPrefix = (target: string): string => `.${basename(target)}.unfinished-`;

/** Removes the temporary files of killed builds. The caller must hold the target's lock. */
async function removeLeftOvers(target: string): Promise<void> {
  const files = await readdir(dirname(target));
  await Promise.all(
    files
      .filter((file) => file.startsWith(unfinishedPrefix(target)))
      .map((file) => rm(join(dirname(target), file), { force: true })),
  );
}

async function compile(program: Program, source: string, output: string, options: CommandOptions): Promise<void> {
  const release = kubernetesRelease(await readFile(join(source, 'go.mod'), 'utf8'));
  const flags = ['-ldflags', linkerFlags(program, release), '-o', output, program.package];
  await go(['-C', source, 'build', ...flags], options);
}

async function gather(
  material: Material,
  source: string,
  output: string,
  kustomize: string,
  options: CommandOptions,
): Promise<void> {
  // The command "download" prints the folder of the module, and fetches a missing module.
  const printed = await go(['-C', source, 'mod', 'download', '-json', material.carrier], options);
  const { Dir } = JSON.parse(printed) as { readonly Dir: string };
  const folder = join(Dir, material.folder);
  await writeFile(
    output,
    material.how === 'kustomize' ? await run(kustomize, ['build', folder], options) : await listOf(folder, material),
  );
}

/** Returns the objects in the folder's YAML files as a JSON list, so that sandboxes need not parse YAML at each start. */
async function listOf(folder: string, { files }: Material): Promise<string> {
  const texts = await Promise.all(files.map((file) => readFile(join(folder, file), 'utf8')));
  const items = texts
    .flatMap((text) => parseAllDocuments(text))
    .flatMap((document) => (document.toJS() as object | null) ?? []);
  return JSON.stringify({ apiVersion: 'v1', kind: 'List', items });
}
