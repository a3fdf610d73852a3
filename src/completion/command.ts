import { Argument, Command } from 'commander';
import { bashScript } from './bash.ts';
import { fishScript } from './fish.ts';
import type { CommandSpec } from './spec.ts';
import { zshScript } from './zsh.ts';

const SCRIPTS = { bash: bashScript, zsh: zshScript, fish: fishScript } as const;

/** Creates `portcullis completion`, which prints a script for a shell. `specs` loads all commands, and runs only when a script is printed. */
export const completionCommand = (specs: () => Promise<readonly CommandSpec[]>): Command =>
  new Command('completion')
    .description('print a completion script for a shell')
    .addArgument(new Argument('<shell>', 'the shell').choices(Object.keys(SCRIPTS)))
    .addHelpText(
      'after',
      '\nbash:  source <(portcullis completion bash)\nzsh:   source <(portcullis completion zsh)\nfish:  portcullis completion fish | source',
    )
    .action(async (shell: keyof typeof SCRIPTS, _flags: unknown, self: Command) => {
      self.configureOutput().writeOut?.(SCRIPTS[shell](await specs()));
    });
