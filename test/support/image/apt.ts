import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { promisify } from 'node:util';
import { isMissingProgram } from '../../../src/local/external-command.ts';
import type { Architecture } from './architecture.ts';
import { DEBIAN_LOCK, type DebianPackage } from './debian-lock.ts';

const execute = promisify(execFile);

/** The options with which apt runs as the current user. */
const OPTIONS = ['-o', 'APT::Sandbox::User=root'];

/** Folder of `apt-helper`, which is on no PATH. */
const HELPERS = '/usr/lib/apt';
const LARGEST = 256 * 1024 * 1024;

/** Runs a program of apt or dpkg with a base environment. Throws an error with a remedy if the machine lacks the program. */
export async function runApt(
  environment: NodeJS.ProcessEnv,
  program: string,
  args: readonly string[],
): Promise<Buffer> {
  const env = { ...environment, LC_ALL: 'C', PATH: `${environment['PATH'] ?? ''}:${HELPERS}` };
  try {
    return (await execute(program, args, { env, encoding: 'buffer', maxBuffer: LARGEST })).stdout;
  } catch (error) {
    if (!isMissingProgram(error)) throw error;
    throw new Error(
      `the image contains packages of Debian, and this machine has no ${program}: run "make image" on Debian, or build the image with a container engine and manifests/image/Containerfile`,
      { cause: error },
    );
  }
}

/** Returns the addresses of the archives that the machine's apt reads. */
async function archives(environment: NodeJS.ProcessEnv): Promise<readonly string[]> {
  const printed = (await runApt(environment, 'apt-get', [...OPTIONS, 'update', '--print-uris'])).toString();
  const found = printed.matchAll(/^'([^']+\/)dists\/[^']+\/InRelease'/gm).map(([, address = '']) => address);
  return [...new Set(found)];
}

/** Downloads packages into a folder, from the first archive that has them. Returns their files. Throws if no archive has a package. */
export async function download(
  environment: NodeJS.ProcessEnv,
  packages: readonly DebianPackage[],
  folder: string,
): Promise<readonly string[]> {
  mkdirSync(folder, { recursive: true });
  const fileOf = ({ path }: DebianPackage): string => join(folder, basename(path));
  let missing = packages;
  let reason = 'apt has no source';
  for (const archive of await archives(environment)) {
    if (missing.length === 0) break;
    const wanted = missing.flatMap((each) => [`${archive}${each.path}`, fileOf(each), `SHA256:${each.sha256}`]);
    await runApt(environment, 'apt-helper', [...OPTIONS, 'download-file', ...wanted]).catch((error: unknown) => {
      if (!(error instanceof Error && 'stderr' in error)) throw error;
      reason = /^E: (.*)/m.exec(String(error.stderr))?.[1] ?? reason;
    });
    missing = missing.filter((each) => !existsSync(fileOf(each)));
  }
  const [first] = missing;
  if (first === undefined) return packages.map(fileOf);
  throw new Error(
    `no source of apt on this machine has ${first.path} with the checksum in ${DEBIAN_LOCK} (${reason}): if Debian has replaced the version, run "make image-lock" and commit the file`,
  );
}

/** Returns the current versions of packages for an architecture. Keeps lists and caches in `folder`, so that the machine does not change. */
export async function currentVersions(
  environment: NodeJS.ProcessEnv,
  architecture: Architecture,
  names: readonly string[],
  folder: string,
): Promise<readonly DebianPackage[]> {
  for (const each of ['lists/partial', 'archives/partial']) mkdirSync(join(folder, each), { recursive: true });
  writeFileSync(join(folder, 'status'), '');
  const options = [
    `Dir::State=${folder}`,
    `Dir::State::status=${join(folder, 'status')}`,
    `Dir::Cache=${folder}`,
    `APT::Architecture=${architecture}`,
    `APT::Architectures::=${architecture}`,
  ].flatMap((option) => ['-o', option]);
  await runApt(environment, 'apt-get', [...OPTIONS, ...options, '-qq', 'update']);
  const shown = await runApt(environment, 'apt-cache', [...options, '--no-all-versions', 'show', ...names]);
  const paragraphs = shown.toString().split('\n\n');
  const found = new Map(paragraphs.map(packageOf).map((each) => [each.name, each]));
  // apt-cache succeeds if it has only some of the packages.
  return names.map((name) => found.get(name) ?? unknownPackage(name, architecture));
}

function unknownPackage(name: string, architecture: Architecture): never {
  throw new Error(
    `the sources of apt on this machine have no ${name} for ${architecture}: correct the name in ${DEBIAN_LOCK}`,
  );
}

/** Reads a paragraph of `apt-cache show`. */
function packageOf(paragraph: string): DebianPackage {
  const field = (name: string): string => new RegExp(`^${name}: (.*)$`, 'm').exec(paragraph)?.[1] ?? '';
  return { name: field('Package'), version: field('Version'), path: field('Filename'), sha256: field('SHA256') };
}
