/** A process of `make mutants` that ended: the compiler or the tests. */
export interface Ended {
  readonly code: number;
  readonly output: string;
  /** True if the process exceeded its time limit. */
  readonly isStuck: boolean;
}

/** Returns the title of the first failed test in the output of mocha. Undefined if none failed. */
function titleIn(output: string): string | undefined {
  const lines = output.split('\n');
  const at = lines.findIndex((line) => /^ {2}1\) /.test(line));
  const title = lines.slice(at, at + 4).map((line) => line.trim());
  return at < 0 ? undefined : title.join(' ').replace(/^1\) /, '').split(':')[0];
}

/** Returns what caught a mutant: the first failed test, or the time limit. Returns undefined if all tests pass. */
export function failureIn({ code, output, isStuck }: Ended): string | undefined {
  if (code === 0) return undefined;
  const title = isStuck ? 'the tests do not end' : titleIn(output);
  // mocha ended without a failed test, because it could not load a file, for example.
  if (title === undefined) throw new Error(`the tests cannot run: ${output.slice(-2_000)}`);
  return title;
}
