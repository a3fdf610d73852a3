import { allCommands } from '../../src/cli.ts';

/** Every command of `portcullis`, with its help. Tests compare documentation and completion with it. */
export const COMMANDS = await allCommands();

/** Every command of `portcullis` that has flags, with the names of its flags, `--` included. */
export const FLAGS_OF: ReadonlyMap<string, readonly string[]> = new Map(
  COMMANDS.map((command): [string, readonly string[]] => [
    command.name(),
    [command, ...command.commands].flatMap(({ options }) => options.flatMap(({ long }) => long ?? [])),
  ]).filter(([, flags]) => flags.length > 0),
);
