import { isTopLevel, type CommandSpec, type OptionSpec } from './spec.ts';

/** A word that completion offers. */
export interface Candidate {
  readonly word: string;
  readonly summary?: string;
}

/** The candidates for the last word of a command line. */
export interface Completion {
  readonly candidates: readonly Candidate[];
  /** True if the shell offers file names too. */
  readonly takesFile: boolean;
}

const NOTHING: Completion = { candidates: [], takesFile: false };

const wordsOf = (words: readonly string[], takesFile: boolean, prefix = ''): Completion => ({
  candidates: words.map((word) => ({ word: `${prefix}${word}` })),
  takesFile,
});

const valuesOf = ({ choices, words, takesFile }: OptionSpec, prefix?: string): Completion =>
  wordsOf([...choices, ...words], takesFile, prefix);

const optionsOf = ({ options }: CommandSpec): Completion => ({
  candidates: options.flatMap(({ names, summary }) => names.map((word) => ({ word, summary }))),
  takesFile: false,
});

const optionWithValue = ({ options }: CommandSpec, name: string | undefined): OptionSpec | undefined =>
  options.find(({ names, takesValue }) => takesValue && name !== undefined && names.includes(name));

/** Returns the candidates for the last word after a command. */
function ofCommand(command: CommandSpec, previous: string | undefined, last: string): Completion {
  const option = optionWithValue(command, previous);
  if (option !== undefined) return valuesOf(option);
  const [name = '', value] = last.split('=', 2);
  const assigned = value === undefined ? undefined : optionWithValue(command, name);
  if (assigned !== undefined) return valuesOf(assigned, `${name}=`);
  return last.startsWith('-') ? optionsOf(command) : wordsOf(command.words, command.takesFiles);
}

/** Returns the candidates for the last word of a command line. `words` follow `kubectl portcullis`. Runs when kubectl completes a plug-in. */
export function completionOf(commands: readonly CommandSpec[], words: readonly string[]): Completion {
  const [first = '', second = ''] = words;
  const last = words.at(-1) ?? '';
  const nested = words.length > 2 ? commands.find(({ name }) => name === `${first} ${second}`) : undefined;
  const command = nested ?? commands.find(({ name }) => name === first);
  const all =
    words.length < 2
      ? {
          candidates: commands.filter(isTopLevel).map(({ name, summary }) => ({ word: name, summary })),
          takesFile: false,
        }
      : command === undefined
        ? NOTHING
        : ofCommand(command, words.at(-2), last);
  return { ...all, candidates: all.candidates.filter(({ word }) => word.startsWith(last)) };
}

/** The directives that tell kubectl whether the shell offers files. The library cobra of kubectl defines the numbers. */
const DIRECTIVE = { files: 0, noFiles: 4 } as const;

/** Returns candidates in the format of the library cobra, which kubectl reads from the completion of a plug-in. */
export function candidateText({ candidates, takesFile }: Completion): string {
  const lines = candidates.map(({ word, summary }) => (summary === undefined ? word : `${word}\t${summary}`));
  return `${[...lines, `:${takesFile ? DIRECTIVE.files : DIRECTIVE.noFiles}`].join('\n')}\n`;
}
