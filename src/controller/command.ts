import { Command, Option } from 'commander';
import { hasReason } from '../base/errors.ts';
import { EXIT } from '../base/exit-code.ts';
import { readControllerConfig, type ControllerConfig, type ConfigInput } from './config-from-flags.ts';
import { FLAGS, type Flag } from './flags.ts';

const PLACEHOLDER = {
  text: '<text>',
  switch: '[true|false]',
  'whole number': '<n>',
  number: '<n>',
  duration: '<time>',
} as const;

/** Returns a flag as an option of the library commander. As in Go programs, a boolean flag needs no value. */
function optionOf({ name, value, doc, support }: Flag): Option {
  const option = new Option(`--${name} ${PLACEHOLDER[value]}`, doc);
  if (name === 'v') {
    option.short = '-v';
    // Programs in Go accept `-v=5` and `-v 5`.
    option.argParser((argument: string) => argument.replace(/^=/, ''));
  }
  if (value === 'switch') option.preset('true');
  if (support.kind === 'used' && support.default !== undefined) option.default(support.default);
  return option.hideHelp(support.kind !== 'used');
}

/** Returns the flags that the user set, without defaults. */
export const flagsOf = (self: Command): ConfigInput =>
  new Map(
    self.options.flatMap((option) => {
      const name = option.attributeName();
      const value: unknown = self.getOptionValue(name);
      return self.getOptionValueSource(name) === 'cli' ? [[option.name(), String(value)] as const] : [];
    }),
  );

/** Reads the flags. If a flag is wrong or missing, ends the command with an error that `cli.ts` prints. */
function configOrExit(self: Command): ControllerConfig {
  try {
    return readControllerConfig(flagsOf(self));
  } catch (error) {
    if (hasReason(error, 'InvalidConfiguration'))
      return self.error(`error: ${error.message}`, { exitCode: EXIT.failed });
    throw error;
  }
}

/** Returns the command `portcullis controller`. The modules of the controllers load only when the command runs. */
export function command(): Command {
  const self = new Command('controller').description(
    'sync Services to Classic Load Balancers, manage Nodes and routes, and keep the inventory of load balancers',
  );
  for (const flag of FLAGS) self.addOption(optionOf(flag));
  return self
    .addHelpText(
      'after',
      '\nOther flags of the Alibaba Cloud Controller Manager and of upstream cloud controllers get a warning or an error.',
    )
    .action(async () => {
      const config = configOrExit(self);
      if (config.isDryRun) {
        const { dryRun } = await import('../plan-command/controller-dry-run.ts');
        const code = await dryRun(config, process.env);
        if (code !== EXIT.fine) self.error('', { exitCode: code });
        return;
      }
      const { runController } = await import('../process/run-controller.ts');
      await runController(config, process.env);
    });
}
