import { run } from '../../src/cli.ts';

/** A terminal that records the output of a command of `portcullis`, which runs in this process. */
export interface TestTerminal {
  /** Runs the command line and returns its exit code. */
  run(...args: readonly string[]): Promise<number>;
  out(): string;
  err(): string;
}

export function aTerminal({ columns = 100, colors = false } = {}): TestTerminal {
  const printed = { out: '', err: '' };
  const terminal = {
    out: (text: string) => void (printed.out += text),
    err: (text: string) => void (printed.err += text),
    columns,
    colors,
  };
  return {
    run: (...args) => run(args, terminal),
    out: () => printed.out,
    err: () => printed.err,
  };
}
