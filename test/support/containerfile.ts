import { execFile } from 'node:child_process';
import { cpSync, mkdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { promisify } from 'node:util';
import { root } from './manifests.ts';

/** A line of a Containerfile: `COPY`, and what follows it. */
export interface Instruction {
  readonly name: string;
  readonly rest: string;
}

/** The instructions of a Containerfile, in their order, each in one line. */
export const instructionsOf = (text: string): readonly Instruction[] =>
  text
    .replaceAll(/^#.*\n/gm, '')
    .replaceAll('\\\n', ' ')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => ({
      name: line.split(' ', 1)[0] ?? '',
      rest: line.slice(line.indexOf(' ') + 1).replaceAll(/ +/g, ' '),
    }));

/** The Containerfile of this repository. */
export const CONTAINERFILE = instructionsOf(readFileSync(join(root, 'manifests/image/Containerfile'), 'utf8'));

/** The folders and files beside it that a build is sent, by their names. */
export const SENT: readonly string[] = readFileSync(join(root, 'manifests/image/Containerfile.dockerignore'), 'utf8')
  .split('\n')
  .filter((line) => line.startsWith('!'))
  .map((line) => line.slice(1));

const run = promisify(execFile);
const OPTIONAL = /^node-(linux|bin-darwin)-/;

/** What is installed here already stands in for what a build fetches: the lockfile's packages, but for Node's own, which are not kept. */
function install(folder: string): void {
  const filter = (source: string): boolean => !OPTIONAL.test(basename(source));
  cpSync(join(root, 'node_modules'), join(folder, 'node_modules'), { recursive: true, verbatimSymlinks: true, filter });
}

/** Copies as `COPY [--from=build] source… target` says, in stages whose file systems are folders. */
function copy(rest: string, workdir: string, from: string, to: string): void {
  const sources = rest.split(' ').filter((word) => !word.startsWith('--from='));
  const target = sources.pop() ?? '';
  for (const source of sources) {
    const at = target.endsWith('/') ? join(target, basename(source)) : target;
    cpSync(join(from, source), join(to, workdir, at), { recursive: true, verbatimSymlinks: true });
  }
}

/**
 * Does what the Containerfile says, each stage in a folder of its own under `folder`, with the machine's Node for the base image. Answers the
 * folder of the last stage, which is the root of the image.
 */
export async function buildImage(folder: string): Promise<string> {
  const stages: string[] = [];
  let workdir = '/';
  for (const { name, rest } of CONTAINERFILE) {
    const stage = join(folder, `${stages.length}`);
    if (name === 'FROM') stages.push(join(folder, `${stages.length + 1}`));
    else if (name === 'WORKDIR') {
      workdir = rest;
      mkdirSync(join(stage, workdir), { recursive: true });
    } else if (name === 'COPY') {
      const from = rest.includes('--from=build') ? (stages[0] ?? '') : root;
      copy(rest, workdir, from, stage);
    } else if (name === 'RUN' && rest.startsWith('npm ci ')) install(join(stage, workdir));
    else if (name === 'RUN') await run('/bin/sh', ['-ec', rest], { cwd: join(stage, workdir) });
  }
  return stages.at(-1) ?? '';
}
