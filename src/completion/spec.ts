/** An option for completion. */
export interface OptionSpec {
  /** The short and long name: `-o`, `--output`. */
  readonly names: readonly string[];
  readonly summary: string;
  /** Whether the option requires a value. */
  readonly takesValue: boolean;
  /** Whether the value may be a file name. */
  readonly takesFile: boolean;
  /** Words that may replace the file name. */
  readonly words: readonly string[];
  /** The possible values; empty if any value is possible. */
  readonly choices: readonly string[];
}

/** A command for completion. */
export interface CommandSpec {
  /** A subcommand has the name of its parent too: `policy test`. */
  readonly name: string;
  readonly summary: string;
  readonly options: readonly OptionSpec[];
  /** The words that may follow the command. If empty, and the command `takesFiles`, files may follow. */
  readonly words: readonly string[];
  readonly takesFiles: boolean;
}

/** Returns whether the command is not a subcommand. */
export const isFirst = ({ name }: CommandSpec): boolean => !name.includes(' ');

/** Returns the shell pattern of two words that name a subcommand. The pattern is an empty string if there is no subcommand. */
export const nestedPattern = (commands: readonly CommandSpec[]): string =>
  commands
    .filter((command) => !isFirst(command))
    .map(({ name }) => `'${name}'`)
    .join('|') || "''";
