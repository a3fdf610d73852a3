import { execFile } from 'node:child_process';
import { cpSync, globSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { MUTANTS, type Mutant } from './mutants.ts';

/** Milliseconds after which a suite is considered stuck because of a mutant. */
const SUITES_MS = 10 * 60_000;

const root = join(import.meta.dirname, '../..');
/** The files for a run with a mutant: the sources, and the tests that start no processes. */
const COPIED = [
  'src',
  'webhook',
  'test',
  'docs',
  'manifests',
  'kustomize',
  'package.json',
  'tsconfig.json',
  '.mocharc.json',
];
/** Suites, the closest to the mutants first. A run ends at the first failure. */
const SUITES = [
  'test/unit/{clb,controller}/**/*.test.ts',
  'test/integration/controller/**/*.test.ts',
  'test/faults/*.test.ts',
  'test/unit/**/*.test.ts',
];
/** Tests that start processes run the build, not the sources. */
const STARTS_PROCESSES = /controller-cluster\.ts|control-plane\.ts|spawned/;

const print = (line: string): void => {
  process.stdout.write(`${line}\n`);
};

/** Returns the test files of all suites, each once. */
const testFiles = (folder: string): readonly string[] =>
  [...new Set(SUITES.flatMap((pattern) => globSync(pattern, { cwd: folder }).sort()))].filter(
    (file) => !STARTS_PROCESSES.test(readFileSync(join(folder, file), 'utf8')),
  );

interface Ended {
  readonly code: number;
  readonly output: string;
}

const run = (folder: string, tool: string, args: readonly string[]): Promise<Ended> =>
  new Promise((resolve) => {
    execFile(
      process.execPath,
      [join(root, 'node_modules/.bin', tool), ...args],
      { cwd: folder, timeout: SUITES_MS, maxBuffer: 1 << 28 },
      (error, stdout) => resolve({ code: error === null ? 0 : 1, output: stdout }),
    );
  });

/** Returns the source with the defect. Throws unless the text occurs exactly once. */
function mutated({ file, source, replacement }: Mutant, text: string): string {
  if (text.split(source).length !== 2) throw new Error(`${file} must contain this text exactly once: ${source.trim()}`);
  return text.replace(source, () => replacement);
}

/** Returns the title of the first failed test. Undefined if none failed. */
function firstFailure({ output }: Ended): string | undefined {
  const lines = output.split('\n');
  const at = lines.findIndex((line) => /^ {2}1\) /.test(line));
  const title = lines.slice(at, at + 4).map((line) => line.trim());
  return at < 0 ? undefined : title.join(' ').replace(/^1\) /, '').split(':')[0];
}

async function outcomeOf(mutant: Mutant, folder: string, files: readonly string[]): Promise<string | undefined> {
  const path = join(folder, mutant.file);
  const original = readFileSync(path, 'utf8');
  writeFileSync(path, mutated(mutant, original));
  try {
    const types = await run(folder, 'tsc', [
      '--noEmit',
      '--noUnusedLocals',
      'false',
      '--noUnusedParameters',
      'false',
      '--incremental',
      '--tsBuildInfoFile',
      '.mutants.tsbuildinfo',
    ]);
    if (types.code !== 0) throw new Error(`it does not compile: ${types.output}`);
    const tests = await run(folder, 'mocha', ['--bail', ...files]);
    return tests.code === 0 ? undefined : (firstFailure(tests) ?? 'the tests do not end');
  } finally {
    writeFileSync(path, original);
  }
}

/** Tests a mutant and prints the result. Returns whether a test caught it. */
async function isCaught(mutant: Mutant, folder: string, files: readonly string[]): Promise<boolean> {
  const name = `${mutant.file}: ${mutant.defect}`;
  try {
    const title = await outcomeOf(mutant, folder, files);
    print(title === undefined ? `SURVIVED  ${name}` : `caught    ${name}\n          by ${title}`);
    return title !== undefined;
  } catch (error) {
    print(`INVALID   ${name}\n          ${(error as Error).message}`);
    return false;
  }
}

/** Tests mutants one after another in a copy of the sources. Returns the number of caught mutants. */
async function lane(mutants: Iterator<Mutant>): Promise<number> {
  const folder = mkdtempSync(join(tmpdir(), 'portcullis-mutants-'));
  let caught = 0;
  try {
    for (const name of COPIED) cpSync(join(root, name), join(folder, name), { recursive: true });
    symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'));
    const files = testFiles(folder);
    for (let next = mutants.next(); next.done !== true; next = mutants.next())
      if (await isCaught(next.value, folder, files)) caught += 1;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
  return caught;
}

/** Runs `make mutants` for the mutants whose file or defect contains all words. Fails if no test notices one of them. */
async function main(words: readonly string[]): Promise<number> {
  const chosen = MUTANTS.filter(({ file, defect }) => words.every((word) => `${file} ${defect}`.includes(word)));
  const mutants = chosen.values();
  const lanes = await Promise.all(Array.from({ length: availableParallelism() }, () => lane(mutants)));
  const caught = lanes.reduce((sum, each) => sum + each, 0);
  print(`${caught} of ${chosen.length} mutants caught`);
  return caught === chosen.length ? 0 : 1;
}

process.exitCode = await main(process.argv.slice(2));
