import { execFile, execFileSync } from 'node:child_process';
import { cpSync, existsSync, globSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { failureIn, type Ended } from './failed-test.ts';
import { MUTANTS, type Mutant } from './mutants.ts';

/** Milliseconds after which a suite is considered stuck because of a mutant. */
const SUITES_MS = 10 * 60_000;

const root = join(import.meta.dirname, '../..');
/** Suites, the closest to the mutants first. A run ends at the first failure. */
const SUITES = [
  'test/unit/{clb,controller}/**/*.test.ts',
  'test/integration/controller/**/*.test.ts',
  'test/faults/*.test.ts',
  'test/unit/**/*.test.ts',
];
/** Matches tests that start processes. Such processes run the build, which contains no mutants. */
const STARTS_PROCESSES = /controller-cluster\.ts|control-plane\.ts|spawned/;

const print = (line: string): void => {
  process.stdout.write(`${line}\n`);
};

/** Returns the test files of all suites, each once. */
const testFiles = (folder: string): readonly string[] =>
  [...new Set(SUITES.flatMap((pattern) => globSync(pattern, { cwd: folder }).sort()))].filter(
    (file) => !STARTS_PROCESSES.test(readFileSync(join(folder, file), 'utf8')),
  );

const run = (folder: string, tool: string, args: readonly string[]): Promise<Ended> =>
  new Promise((resolve) => {
    execFile(
      process.execPath,
      [join(root, 'node_modules/.bin', tool), ...args],
      { cwd: folder, timeout: SUITES_MS, maxBuffer: 1 << 28 },
      (error, stdout, stderr) =>
        resolve({ code: error === null ? 0 : 1, output: stdout + stderr, isStuck: error?.killed === true }),
    );
  });

/** Returns the source with the defect. Throws unless the text occurs exactly once. */
function mutated({ file, source, replacement }: Mutant, text: string): string {
  if (text.split(source).length !== 2) throw new Error(`${file} must contain this text exactly once: ${source.trim()}`);
  return text.replace(source, () => replacement);
}

/** Returns the title of the first test that fails. Returns undefined if all pass. Throws if the tests cannot run. */
const failingTest = async (folder: string, files: readonly string[]): Promise<string | undefined> =>
  failureIn(await run(folder, 'mocha', ['--bail', ...files]));

/** Checks that the tests pass without a mutant. Otherwise, a failure would say nothing about a mutant. */
async function passWithoutMutant(folder: string, files: readonly string[]): Promise<boolean> {
  const title = await failingTest(folder, files);
  print(title === undefined ? 'passed    without a mutant' : `FAILED    without a mutant\n          ${title}`);
  return title === undefined;
}

/** Returns the title of the test that caught a mutant. Undefined if the mutant survived. Throws if the mutant or the tests cannot run. */
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
    return await failingTest(folder, files);
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

/** Runs `work` in a copy of the repository, without the files that git ignores. */
async function inCopy<Result>(work: (folder: string, files: readonly string[]) => Promise<Result>): Promise<Result> {
  const folder = mkdtempSync(join(tmpdir(), 'portcullis-mutants-'));
  try {
    const listed = execFileSync('git', ['ls-files', '-z'], { cwd: root, encoding: 'utf8' });
    for (const name of listed.split('\0').filter((each) => existsSync(join(root, each))))
      if (name !== '') cpSync(join(root, name), join(folder, name));
    symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'));
    return await work(folder, testFiles(folder));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Runs `make mutants` for the mutants whose file or defect contains all words. Fails if no test notices one of them. */
async function main(words: readonly string[]): Promise<number> {
  const chosen = MUTANTS.filter(({ file, defect }) => words.every((word) => `${file} ${defect}`.includes(word)));
  const mutants = chosen.values();
  let caught = 0;
  /** Tests mutants one after another, until none is left. */
  const lane = async (folder: string, files: readonly string[]): Promise<void> => {
    for (const mutant of mutants) if (await isCaught(mutant, folder, files)) caught += 1;
  };
  const [passes] = await Promise.all([
    inCopy(async (folder, files) => {
      const passed = await passWithoutMutant(folder, files);
      await lane(folder, files);
      return passed;
    }),
    ...Array.from({ length: availableParallelism() - 1 }, () => inCopy(lane)),
  ]);
  print(`${caught} of ${chosen.length} mutants caught`);
  return passes && caught === chosen.length ? 0 : 1;
}

process.exitCode = await main(process.argv.slice(2));
