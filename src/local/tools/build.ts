import { parseAllDocuments } from 'yaml';
import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import type { Material, Program } from './catalogue.ts';
import { run, type CommandOptions } from '../command.ts';
import { go } from './go.ts';
import { kubernetesRelease, linkerFlags } from './recipe.ts';

export interface Build {
  /** The folder of the module's `go.mod`. */
  readonly source: string;
  /** Where the result goes; nothing is ever seen there but a complete one. */
  readonly target: string;
  /** Needed by materials that kustomize renders. */
  readonly kustomize?: string;
}

/**
 * Builds one program or gathers one material beside its target and then renames it, so that a build that fails, is
 * interrupted, or runs twice at once leaves either a complete file or none.
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

/** What a build that was killed left behind. Only called by the holder of the target's lock. */
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
  // "download" answers the module's folder and fetches it first when a cached program spared us that.
  const printed = await go(['-C', source, 'mod', 'download', '-json', material.carrier], options);
  const { Dir } = JSON.parse(printed) as { readonly Dir: string };
  const folder = join(Dir, material.folder);
  await writeFile(
    output,
    material.how === 'kustomize' ? await run(kustomize, ['build', folder], options) : await listOf(folder, material),
  );
}

/** The objects in a folder's YAML files as one JSON list: parsed once here, and not at every start of a sandbox. */
async function listOf(folder: string, { files }: Material): Promise<string> {
  const texts = await Promise.all(files.map((file) => readFile(join(folder, file), 'utf8')));
  const items = texts
    .flatMap((text) => parseAllDocuments(text))
    .flatMap((document) => (document.toJS() as object | null) ?? []);
  return JSON.stringify({ apiVersion: 'v1', kind: 'List', items });
}
