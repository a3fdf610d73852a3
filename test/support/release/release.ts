import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { messageOf } from '../../../src/base/errors.ts';
import { replaceWhenComplete } from '../image/build.ts';
import { root } from '../manifests.ts';
import { changelog, releaseNotes } from './changelog.ts';
import { PARTS, type Part, type ReleaseInput } from './parts.ts';

const TARGET = 'dist/release';
const SUMS = 'SHA256SUMS';
const USAGE = 2;

type Print = (line: string) => void;

/** Throws a message that names the part and the commands that help. */
async function writePart(part: Part, folder: string, work: string, input: ReleaseInput): Promise<void> {
  try {
    await part.write(folder, work, input);
  } catch (error) {
    throw new Error(
      `${part.title} cannot be built: ${messageOf(error)}\nTo repeat only this part, run "make ${part.target}". To release without it, run "make release WITHOUT=${part.name}".`,
      { cause: error },
    );
  }
}

/** Returns the checksums of the files of a folder, as `sha256sum` prints them. */
const sumsOf = (folder: string): string =>
  readdirSync(folder)
    .sort()
    .map(
      (name) =>
        `${createHash('sha256')
          .update(readFileSync(join(folder, name)))
          .digest('hex')}  ${name}\n`,
    )
    .join('');

/** Writes parts and their checksums into `target`. If a part fails, `target` stays unchanged. Returns the names of the files. */
export function buildRelease(
  target: string,
  parts: readonly Part[],
  input: ReleaseInput,
  print: Print,
): Promise<readonly string[]> {
  const build = async (folder: string): Promise<readonly string[]> => {
    const complete = join(folder, 'complete');
    mkdirSync(complete, { recursive: true });
    for (const part of parts) {
      print(`building ${part.title}`);
      await writePart(part, complete, join(folder, part.name), input);
    }
    writeFileSync(join(complete, SUMS), sumsOf(complete));
    return readdirSync(complete).sort();
  };
  return replaceWhenComplete(target, build, 'complete');
}

/** Returns the parts whose names are not in a list such as `image,site`. Throws for an unknown name. */
export function partsWithout(list: string): readonly Part[] {
  const names = list.split(',').filter((name) => name !== '');
  const unknown = names.find((name) => !PARTS.some((part) => part.name === name));
  if (unknown !== undefined)
    throw new Error(
      `WITHOUT="${unknown}" is no part of a release: choose from ${PARTS.map(({ name }) => name).join(', ')}`,
    );
  return PARTS.filter(({ name }) => !names.includes(name));
}

interface PackageFile {
  readonly version: string;
  readonly homepage: string;
}

/** Returns the version and its notes. Throws if `expected` or the changelog has another version. An empty `expected` is any version. */
export function versionAndNotes({ version, homepage }: PackageFile, page: string, expected: string) {
  if (expected !== '' && expected !== version)
    throw new Error(`VERSION=${expected} is not the version ${version} of package.json: correct one of them`);
  return { version, notes: releaseNotes(page, version, homepage) };
}

/** Runs `make release`: writes all parts and their checksums into dist/release, and prints which parts are missing. */
async function main(args: readonly string[]): Promise<number> {
  const options = { version: { type: 'string', default: '' }, url: { type: 'string', default: '' } } as const;
  const { values } = parseArgs({ args: [...args], options });
  const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as PackageFile;
  const print: Print = (line) => void process.stdout.write(`${line}\n`);
  let parts: readonly Part[];
  let input: ReleaseInput;
  try {
    parts = partsWithout(process.env['WITHOUT'] ?? '');
    input = { ...versionAndNotes(manifest, changelog(), values.version), pluginAddress: values.url };
  } catch (error) {
    process.stderr.write(`${messageOf(error)}\n`);
    return USAGE;
  }
  try {
    const files = await buildRelease(join(root, TARGET), parts, input, print);
    print(`written: ${TARGET} has version ${input.version} in ${files.length} files`);
    for (const name of files) print(`  ${name}`);
  } catch (error) {
    process.stderr.write(`${messageOf(error)}\n`);
    return 1;
  }
  for (const part of PARTS.filter((each) => !parts.includes(each)))
    print(`missing: ${part.title} (WITHOUT=${part.name})`);
  if (input.pluginAddress === '')
    print('missing: the address of the plug-in in its manifest (URL=address of kubectl-portcullis.tar.gz)');
  return 0;
}

if (import.meta.main) process.exitCode = await main(process.argv.slice(2));
