/** The description of an option, from which the scripts of all shells are built. */
export interface OptionSpec {
  /** The short and the long name, such as `-o` and `--output`. */
  readonly names: readonly string[];
  readonly summary: string;
  /** True if the option requires a value. */
  readonly takesValue: boolean;
  /** True if the value may be a file name. */
  readonly takesFile: boolean;
  /** Words that may replace the file name. */
  readonly words: readonly string[];
  /** The possible values. Empty if any value is possible. */
  readonly choices: readonly string[];
}

/** The description of a command, from which the scripts of all shells are built. */
export interface CommandSpec {
  /** The name. For a subcommand, it includes the name of the parent: `policy test`. */
  readonly name: string;
  readonly summary: string;
  readonly options: readonly OptionSpec[];
  /** The words that may follow the command. If the list is empty, files may follow if `takesFiles` is true. */
  readonly words: readonly string[];
  readonly takesFiles: boolean;
}

/** Returns whether the command follows the name of the program directly, unlike a subcommand. */
export const isTopLevel = ({ name }: CommandSpec): boolean => !name.includes(' ');

/** Returns a pattern for bash and zsh that matches the two words of any subcommand. Without subcommands, the pattern matches only an empty text. */
export const nestedPattern = (commands: readonly CommandSpec[]): string =>
  commands
    .filter((command) => !isTopLevel(command))
    .map(({ name }) => `'${name}'`)
    .join('|') || "''";
