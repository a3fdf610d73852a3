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

/** What stands for a value that may be a file, and for words in its place: `<file|cluster>`. */
const FILE = /<(?:file|folder|text)(?:\|([a-z|]+))?>/;

const optionSpec = ({ short, long, flags, description, required, argChoices }: Option): OptionSpec => ({
  names: [short, long].flatMap((name) => name ?? []),
  summary: description,
  // A value that may be left out is written behind a =, or not at all.
  takesValue: required,
  takesFile: FILE.test(flags),
  words: FILE.exec(flags)?.[1]?.split('|') ?? [],
  choices: argChoices ?? [],
});

/** What completion has to know of a command; `words` may follow it, where its arguments do not say. */
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

/** A command, and behind it those that it has itself, called by both names. */
export const specsOf = (command: Command, words: readonly string[] = []): readonly CommandSpec[] => [
  specOf(command, command.commands.length === 0 ? words : command.commands.map((each) => each.name())),
  ...command.commands.map((each) => {
    const spec = specOf(each);
    return { ...spec, name: `${command.name()} ${spec.name}` };
  }),
];
