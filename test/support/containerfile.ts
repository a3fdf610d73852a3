import { execFile } from 'node:child_process';
import { cpSync, mkdirSync, readFileSync, statSync } from 'node:fs';
import { basename, join } from 'node:path';
import { promisify } from 'node:util';
import { linkFolder } from './hard-links.ts';
import { root } from './manifests.ts';

/** An instruction of a Containerfile, such as `COPY`, and its arguments. */
export interface Instruction {
  readonly name: string;
  readonly rest: string;
}

/** Returns the instructions of a Containerfile in order. Each instruction must be on one line. */
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

/** The Containerfile of this repository. Tests check the content of the image without a container engine. */
export const CONTAINERFILE = instructionsOf(readFileSync(join(root, 'manifests/image/Containerfile'), 'utf8'));

/** The names of the folders and files of the build context. */
export const SENT: readonly string[] = readFileSync(join(root, 'manifests/image/Containerfile.dockerignore'), 'utf8')
  .split('\n')
  .filter((line) => line.startsWith('!'))
  .map((line) => line.slice(1));

const run = promisify(execFile);
const OPTIONAL = /^node-(linux|bin-darwin)-/;
/** The file of `node_modules` that `npm prune` writes. It deletes and replaces all others. */
const WRITTEN = '.package-lock.json';

/** Installs the local packages in place of downloads: the packages of the lockfile without Node.js itself, which the image does not keep. */
function install(folder: string): void {
  const [from, to] = [join(root, 'node_modules'), join(folder, 'node_modules')];
  linkFolder(from, to, (name) => !OPTIONAL.test(name) && name !== WRITTEN);
  cpSync(join(from, WRITTEN), join(to, WRITTEN));
}

/** Copies as `COPY [--from=build] source… target` does. The file system of each stage is a folder. */
function copy(rest: string, workdir: string, from: string, to: string): void {
  const sources = rest.split(' ').filter((word) => !word.startsWith('--from='));
  const target = sources.pop() ?? '';
  for (const source of sources) {
    const at = target.endsWith('/') ? join(target, basename(source)) : target;
    const [original, copied] = [join(from, source), join(to, workdir, at)];
    // No later stage writes to files of the build stage.
    if (from !== root && statSync(original).isDirectory()) linkFolder(original, copied);
    else cpSync(original, copied, { recursive: true, verbatimSymlinks: true });
  }
}

/** Applies the Containerfile with the local Node.js in place of the base image. Returns the root folder of the image. */
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
