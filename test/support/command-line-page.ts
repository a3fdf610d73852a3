import type { Argument, Command, Option } from 'commander';
import { FLAGS } from '../../src/controller/flags.ts';
import { COMMANDS } from './program-commands.ts';

const INTRODUCTION = `<!-- Generated from the help of the commands by \`make generate\`. Change the help, not this page. -->

# Command line

This page is for users of the program \`portcullis\`. It contains what \`portcullis COMMAND --help\` prints: arguments, flags, defaults and
exit codes of each command. \`portcullis completion SHELL\` prints a completion script.`;

const COMMON = `## All commands

| exit code | meaning |
| --- | --- |
| 0 | The command is complete, without findings. |
| 1 | The command is complete, with findings. |
| 2 | The command could not run, or not completely. Standard error contains the reason. |

Every command has the flag \`--help\` (\`-h\`). A flag with a value takes \`--flag value\` and \`--flag=value\`.`;

const cell = (text: string): string => text.replaceAll('|', '\\|');
const code = (text: string): string => `\`${text}\``;
const table = (heading: readonly string[], rows: readonly (readonly string[])[]): string =>
  [heading, heading.map(() => '---'), ...rows].map((row) => `| ${row.map(cell).join(' | ')} |`).join('\n');
const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

function defaultOf({ defaultValue }: Option): string {
  const value: unknown = defaultValue;
  return (typeof value === 'string' && value !== '') || typeof value === 'boolean' ? code(String(value)) : '';
}

/** Returns the description of an argument or a flag, with its permitted values. */
const descriptionOf = ({ description, argChoices }: Pick<Argument | Option, 'description' | 'argChoices'>): string =>
  argChoices === undefined ? description : `${description}: ${argChoices.map(code).join(', ')}`;

const argumentsOf = (command: Command): string =>
  table(
    ['argument', 'description'],
    command.registeredArguments.map((argument) => [code(argument.name()), descriptionOf(argument)]),
  );

const flagsOf = (options: readonly Option[]): string =>
  table(
    ['flag', 'default', 'description'],
    options.map((option) => [code(option.flags), defaultOf(option), descriptionOf(option)]),
  );

/** Returns the sections that the help prints after the flags. */
function endOf(command: Command): string {
  let printed = '';
  command.configureOutput({ writeOut: (text) => void (printed += text) }).outputHelp();
  return printed.slice(command.helpInformation().length).trim();
}

const EXIT_CODES = 'Exit codes: ';

function exitCodes(line: string): string {
  const codes = line
    .slice(EXIT_CODES.length)
    .replace(/\.$/, '')
    .split(/, (?=\d )/);
  return table(
    ['exit code', 'meaning'],
    codes.map((text) => [text.slice(0, 1), capital(text.slice(2))]),
  );
}

/** Returns the last part of a section: exit codes, lines to type, or a sentence. */
function lastPart(command: Command): string {
  const end = endOf(command);
  if (end.startsWith(EXIT_CODES)) return exitCodes(end);
  return end.includes('\n') ? `\`\`\`\n${end}\n\`\`\`` : end;
}

/** Returns the section of a command and the sections of its subcommands. */
function sectionsOf(command: Command, parent: string): readonly string[] {
  const name = `${parent} ${command.name()}`;
  const options = command.options.filter(({ hidden }) => !hidden);
  const parts = [
    `## ${name}`,
    `${capital(command.description())}.`,
    `\`\`\`\n${name} ${command.usage()}\n\`\`\``,
    command.registeredArguments.length > 0 ? argumentsOf(command) : '',
    options.length > 0 ? flagsOf(options) : '',
    lastPart(command),
  ];
  return [
    parts.filter((part) => part !== '').join('\n\n'),
    ...command.commands.flatMap((each) => sectionsOf(each, name)),
  ];
}

/** Returns the flags of other cloud controllers that have no effect, or are rejected, by the reason. */
function otherFlags(kind: 'ignored' | 'rejected'): string {
  const named = new Map<string, string[]>();
  for (const { name, support } of FLAGS)
    if (support.kind === kind) named.set(support.because, [...(named.get(support.because) ?? []), code(`--${name}`)]);
  return table(
    ['flags', 'reason'],
    [...named].map(([because, names]) => [names.join(', '), because]),
  );
}

const others = (): string =>
  [
    '## Flags of other cloud controllers',
    '`portcullis controller` accepts these flags of the Alibaba Cloud Controller Manager and of upstream cloud controllers with a warning. They have no effect:',
    otherFlags('ignored'),
    '`portcullis controller` rejects these flags with an error:',
    otherFlags('rejected'),
  ].join('\n\n');

const link = (heading: string): string =>
  `- [${heading}](#${heading
    .toLowerCase()
    .replaceAll(/[^a-z0-9 -]/g, '')
    .replaceAll(' ', '-')})`;

/** Returns docs/reference/command-line.md, which `make generate` writes. */
export function commandLinePage(): string {
  const sections = [COMMON, ...COMMANDS.flatMap((command) => sectionsOf(command, 'portcullis')), others()];
  const headings = sections.flatMap((section) => /^## (.+)$/m.exec(section)?.[1] ?? []);
  return `${[INTRODUCTION, headings.map(link).join('\n'), ...sections].join('\n\n')}\n`;
}
