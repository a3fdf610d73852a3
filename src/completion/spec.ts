/** An option as completion knows it. */
export interface OptionSpec {
  /** `-o`, `--output`. */
  readonly names: readonly string[];
  readonly summary: string;
  /** Whether a value follows. */
  readonly takesValue: boolean;
  /** Whether that may be the name of a file. */
  readonly takesFile: boolean;
  /** Words that may stand in place of a file. */
  readonly words: readonly string[];
  /** The only values that there are; any when empty. */
  readonly choices: readonly string[];
}

/** A command as completion knows it. */
export interface CommandSpec {
  /** One of another command stands behind its name: `policy test`. */
  readonly name: string;
  readonly summary: string;
  readonly options: readonly OptionSpec[];
  /** What may follow the command; files, where these are none and it `takesFiles`. */
  readonly words: readonly string[];
  readonly takesFiles: boolean;
}

/** Whether it stands behind no other command. */
export const isFirst = ({ name }: CommandSpec): boolean => !name.includes(' ');

/** What a shell compares two words with that may be such a command; nothing is like it where there is none. */
export const nestedPattern = (commands: readonly CommandSpec[]): string =>
  commands
    .filter((command) => !isFirst(command))
    .map(({ name }) => `'${name}'`)
    .join('|') || "''";
