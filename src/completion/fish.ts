import { isTopLevel, type CommandSpec, type OptionSpec } from './spec.ts';

const quoted = (text: string): string => `'${text.replaceAll(/['\\]/g, (character) => `\\${character}`)}'`;

function valueOf({ takesValue, takesFile, words, choices }: OptionSpec): string {
  if (!takesValue) return '';
  if (choices.length > 0) return ` -x -a ${quoted(choices.join(' '))}`;
  return `${takesFile ? ' -r -F' : ' -x'}${words.length > 0 ? ` -a ${quoted(words.join(' '))}` : ''}`;
}

/** Returns the fish condition that is true if the command line names the command. A subcommand needs both of its words. */
const seenTest = (name: string): string =>
  name
    .split(' ')
    .map((word) => `__fish_seen_subcommand_from ${word}`)
    .join('; and ');

function optionLine(command: string, option: OptionSpec): string {
  const { names, summary } = option;
  const named = names.map((name) => (name.startsWith('--') ? `-l ${name.slice(2)}` : `-s ${name.slice(1)}`)).join(' ');
  return `complete -c portcullis -n '${seenTest(command)}' ${named}${valueOf(option)} -d ${quoted(summary)}`;
}

function commandLines(command: CommandSpec): readonly string[] {
  const { name, summary, options, words, takesFiles } = command;
  const seen = `complete -c portcullis -n '${seenTest(name)}'`;
  return [
    ...(isTopLevel(command)
      ? [`complete -c portcullis -n __fish_use_subcommand -a ${name} -d ${quoted(summary)}`]
      : []),
    ...(words.length > 0 ? [`${seen} -a ${quoted(words.join(' '))}`] : takesFiles ? [`${seen} -F`] : []),
    ...options.map((option) => optionLine(name, option)),
  ];
}

export const fishScript = (commands: readonly CommandSpec[]): string =>
  `# Completion of portcullis for fish. Load it by: portcullis completion fish | source
complete -c portcullis -f
${commands.flatMap(commandLines).join('\n')}
`;
