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

/** The pattern of a placeholder for a file, possibly with words as alternatives: `<file|cluster>`. */
const FILE = /<(?:file|folder|text)(?:\|([a-z|]+))?>/;

const optionSpec = ({ short, long, flags, description, required, argChoices }: Option): OptionSpec => ({
  names: [short, long].flatMap((name) => name ?? []),
  summary: description,
  // An optional value is written with a =, or not at all.
  takesValue: required,
  takesFile: FILE.test(flags),
  words: FILE.exec(flags)?.[1]?.split('|') ?? [],
  choices: argChoices ?? [],
});

/** Returns the completion of a command. `words` are offered if its argument has no choices. */
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

/** Returns the completion of a command and of its subcommands, which have both names. */
export const specsOf = (command: Command, words: readonly string[] = []): readonly CommandSpec[] => [
  specOf(command, command.commands.length === 0 ? words : command.commands.map((each) => each.name())),
  ...command.commands.map((each) => {
    const spec = specOf(each);
    return { ...spec, name: `${command.name()} ${spec.name}` };
  }),
];
