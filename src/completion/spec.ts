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
  readonly name: string;
  readonly summary: string;
  readonly options: readonly OptionSpec[];
  /** What may follow the command; files, where these are none and it `takesFiles`. */
  readonly words: readonly string[];
  readonly takesFiles: boolean;
}
