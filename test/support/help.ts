import { command as controllerCommand } from '../../src/controller/command.ts';
import { command as explainCommand } from '../../src/explain/command.ts';
import { command as rulesCommand } from '../../src/explain/list-rules/command.ts';
import { command as lintCommand } from '../../src/lint/command.ts';
import { command as planCommand } from '../../src/plan-command/command.ts';
import { command as policyCommand } from '../../src/policy-test/command.ts';
import { command as webhookCommand } from '../../webhook/command.ts';

/** Flags of every command of `portcullis` that has flags, including the `--` prefix. */
export const FLAGS_OF: ReadonlyMap<string, readonly string[]> = new Map(
  [
    ...[webhookCommand(), controllerCommand(), explainCommand(), rulesCommand(), lintCommand(), planCommand()],
    policyCommand(),
  ].map((command) => [
    command.name(),
    [command, ...command.commands].flatMap(({ options }) => options.flatMap(({ long }) => long ?? [])),
  ]),
);
