import type { Command, Option } from 'commander';
import type { CommandSpec, OptionSpec } from './spec.ts';

const HELP: OptionSpec = {
  names: ['-h', '--help'],
  summary: 'print this help',
  takesValue: false,
  takesFile: false,
  words: [],
  choices: [],
};

/** Matches the placeholder of a value that may be a file, such as `<file|cluster>`, or `<text>` as in `--kubeconfig` of the controller. */
const FILE = /<(?:file|folder|text)(?:\|([a-z|]+))?>/;

const optionSpec = ({ short, long, flags, description, required, argChoices }: Option): OptionSpec => ({
  names: [short, long].flatMap((name) => name ?? []),
  summary: description,
  // A required value is the next word. An optional value follows `=` in the same word.
  takesValue: required,
  takesFile: FILE.test(flags),
  words: FILE.exec(flags)?.[1]?.split('|') ?? [],
  choices: argChoices ?? [],
});

/** Returns the description of a command for the completion of shells. `words` are the candidates for an argument without choices. */
export function specOf(command: Command, words: readonly string[] = []): CommandSpec {
  const [argument] = command.registeredArguments;
  return {
    name: command.name(),
    summary: command.description(),
    options: [...command.options.filter(({ hidden }) => !hidden).map(optionSpec), HELP],
    words: argument?.argChoices ?? words,
    takesFiles: argument?.name() === 'FILES',
  };
}

/** Returns the descriptions of a command and of its subcommands. The name of a subcommand begins with the name of the command. */
export const specsOf = (command: Command, words: readonly string[] = []): readonly CommandSpec[] => [
  specOf(command, command.commands.length === 0 ? words : command.commands.map((each) => each.name())),
  ...command.commands.map((each) => {
    const spec = specOf(each);
    return { ...spec, name: `${command.name()} ${spec.name}` };
  }),
];
