import { basename } from 'node:path';
import { styleText } from 'node:util';
import { Command, CommanderError } from 'commander';
import type { CommandSpec } from './completion/spec.ts';
import { messageOf, PortcullisError } from './base/errors.ts';
import { EXIT } from './base/exit-code.ts';
import { nearest } from './base/spelling-suggestion.ts';
import { VERSION } from './version.ts';

/** A command whose module loads on demand, so that, for example, the webhook does not load the cloud packages of the controller. */
interface LazyCommand {
  readonly name: string;
  readonly summary: string;
  readonly load: () => Promise<{ readonly command: () => Command }>;
  /** Returns the arguments that shell completion suggests. */
  readonly words?: () => Promise<readonly string[]>;
}

const COMMANDS: readonly LazyCommand[] = [
  {
    name: 'webhook',
    summary: 'serve admission: deny invalid Services and Nodes, rewrite deprecated keys',
    load: () => import('../webhook/command.ts'),
  },
  {
    name: 'controller',
    summary:
      'sync Services to Classic Load Balancers, manage Nodes and routes, and keep the inventory of load balancers',
    load: () => import('./controller/command.ts'),
  },
  {
    name: 'status',
    summary: 'show whether an installation works, or the state and the events of one Service',
    load: () => import('./status/command.ts'),
  },
  {
    name: 'plan',
    summary: 'print the changes that the controller would apply for Services, and change nothing',
    load: () => import('./plan-command/command.ts'),
  },
  {
    name: 'graph',
    summary: 'print a picture of an object with its cloud resources, and change nothing',
    load: () => import('./graph/command.ts'),
  },
  {
    name: 'lint',
    summary: 'check manifests with the rules of the webhook; needs no cluster',
    load: () => import('./lint/command.ts'),
  },
  {
    name: 'policy',
    summary: 'test policies before they are in effect, and show their impact on a cluster',
    load: () => import('./policy-test/command.ts'),
  },
  {
    name: 'explain',
    summary: 'explain a rule, annotation, label, taint, tag or finalizer',
    load: () => import('./explain/command.ts'),
    words: async () => (await import('./explain/lookup.ts')).allNames(),
  },
  {
    name: 'rules',
    summary: 'list the rules',
    load: () => import('./explain/list-rules/command.ts'),
  },
  {
    name: 'completion',
    summary: 'print a completion script for a shell',
    load: async () => {
      const { completionCommand } = await import('./completion/command.ts');
      return { command: () => completionCommand(completionSpecs) };
    },
  },
];

/** The output streams of a command, and their properties. Tests pass streams that collect the output. */
export interface Terminal {
  readonly out: (text: string) => void;
  readonly err: (text: string) => void;
  /** The width in characters. Undefined if the output goes to a file or a pipe. */
  readonly columns?: number | undefined;
  readonly colors: boolean;
  /** The name of the program in help texts: `portcullis` if undefined. */
  readonly program?: string;
}

const versionLine = `portcullis ${VERSION} (node ${process.versions.node}, ${process.platform} ${process.arch})`;

const versionCommand = (): Command =>
  new Command('version').description('print the version').action((_flags: unknown, self: Command) => {
    self.configureOutput().writeOut?.(`${versionLine}\n`);
  });

/** Loads and returns every command, to generate the documentation of the commands. */
export async function allCommands(): Promise<readonly Command[]> {
  const commands = await Promise.all(COMMANDS.map(async ({ load }) => (await load()).command()));
  return [...commands, versionCommand()];
}

/** Returns the names and options of every command, for shell completion. Loads the modules of all commands. */
async function completionSpecs(): Promise<readonly CommandSpec[]> {
  const { specOf, specsOf } = await import('./completion/spec-from-command.ts');
  const specs = await Promise.all(
    COMMANDS.map(async ({ load, words }) => specsOf((await load()).command(), await words?.())),
  );
  return [...specs.flat(), specOf(versionCommand())];
}

/** Prints the completions of the last word of a command line. */
async function complete(words: readonly string[], terminal: Terminal): Promise<void> {
  const { candidateText, completionOf } = await import('./completion/candidates.ts');
  terminal.out(candidateText(completionOf(await completionSpecs(), words)));
}

/** Sets the output streams and the error handling of a command and its subcommands. */
function equip(command: Command, terminal: Terminal): Command {
  for (const each of command.commands) equip(each.helpOption('-h, --help', 'print this help'), terminal);
  return command
    .exitOverride()
    .allowExcessArguments(false)
    .configureOutput({
      writeOut: terminal.out,
      writeErr: terminal.err,
      // `run` prints each error once, on one line.
      outputError: () => undefined,
      getOutHelpWidth: () => terminal.columns ?? 100,
      getErrHelpWidth: () => terminal.columns ?? 100,
      getOutHasColors: () => terminal.colors,
      getErrHasColors: () => terminal.colors,
    })
    .configureHelp({
      styleTitle: (text) => styleText('bold', text, { validateStream: false }),
      showGlobalOptions: false,
    });
}

/** Returns the program with all commands, but loads only the module of the called command. */
async function program(called: string | undefined, terminal: Terminal): Promise<Command> {
  const name = terminal.program ?? 'portcullis';
  const root = equip(new Command(name), terminal)
    .description('Admission webhook and cloud controller for Kubernetes on Alibaba Cloud.')
    .version(versionLine, '-V, --version', 'print the version')
    .helpOption('-h, --help', 'print this help')
    .addHelpText('after', `\n${name} COMMAND --help lists the options of a command.`);
  for (const { name: each, summary, load } of COMMANDS) {
    const command = each === called ? (await load()).command() : new Command(each).description(summary);
    root.addCommand(equip(command.helpOption('-h, --help', 'print this help'), terminal));
  }
  return root.addCommand(equip(versionCommand(), terminal));
}

const CHOICES = /(?:argument|value) '(.*)' is invalid(?: for argument '\w+')?\. Allowed choices are (.*)\.$/s;

/** Returns the message of an error of the library commander on one line, if possible with a hint: the nearest valid word, or `--help`. */
function usageLine({ code, message }: CommanderError): string {
  const [, value, choices] = CHOICES.exec(message) ?? [];
  const near = value === undefined || choices === undefined ? undefined : nearest(value, choices.split(', '));
  const line = message.replace(/\s*\n\s*/g, ' ').replace('(Did you mean', '(did you mean');
  if (near !== undefined) return `${line} (did you mean ${near}?)`;
  return code === 'commander.unknownOption' && !line.endsWith('?)') ? `${line} (--help lists the options)` : line;
}

/** Prints the error of a command, once, and returns the exit code. */
function failed(error: unknown, terminal: Terminal): number {
  if (error instanceof CommanderError) {
    if (error.exitCode === EXIT.fine) return EXIT.fine;
    // Without a command, commander has already printed the help. A command with findings has already printed the findings.
    if (error.code !== 'commander.help' && error.message !== '') terminal.err(`${usageLine(error)}\n`);
    return error.code === 'commander.error' ? error.exitCode : EXIT.failed;
  }
  const isExpected = error instanceof PortcullisError && error.reason !== 'Bug';
  const detail = isExpected || !(error instanceof Error) ? messageOf(error) : (error.stack ?? error.message);
  terminal.err(`error: ${detail}\n`);
  return EXIT.failed;
}

/** The hidden command that `kubectl` calls for shell completion. The library cobra, which `kubectl` uses, defines the name. */
const COMPLETE = '__complete';

/** The leading arguments for each name under which `kubectl` starts this program as a plug-in. */
const PLUGINS: Readonly<Record<string, readonly string[]>> = {
  'kubectl-portcullis': [],
  'kubectl_complete-portcullis': [COMPLETE],
};

/** Returns the arguments after replacing `help webhook` by `webhook --help`. */
const requested = (args: readonly string[]): readonly string[] =>
  args[0] === 'help' ? [...args.slice(1, 2), '--help'] : args;

/** Rejects an unknown command. Without this check, commander would print the general help for `nonsense --help`. */
function rejectUnknown(called: string | undefined, root: Command): void {
  const names = root.commands.map((command) => command.name());
  if (called === undefined || called.startsWith('-') || names.includes(called)) return;
  const near = nearest(called, names);
  const hint = near === undefined ? '--help lists the commands' : `did you mean ${near}?`;
  root.error(`error: unknown command '${called}' (${hint})`, { exitCode: EXIT.failed });
}

/** Runs a command and returns the exit code, a value of `EXIT`. `args` start after the program's name. */
export async function run(args: readonly string[], terminal: Terminal): Promise<number> {
  const words = requested(args);
  try {
    if (words[0] === COMPLETE) {
      await complete(words.slice(1), terminal);
      return EXIT.fine;
    }
    const root = await program(words[0], terminal);
    rejectUnknown(words[0], root);
    await root.parseAsync(words, { from: 'user' });
    return EXIT.fine;
  } catch (error) {
    return failed(error, terminal);
  }
}

/** Ends the process if the output cannot be written. A closed pipe is no error, as in `portcullis explain | head`. */
function onWriteError(error: NodeJS.ErrnoException): void {
  if (error.code === 'EPIPE') return;
  // On a full disk, standard error may fail too.
  process.stderr.removeAllListeners('error').on('error', () => undefined);
  process.stderr.write(`error: failed to write the output: ${error.message}\n`);
  process.exit(EXIT.failed);
}

/** Runs the program with the arguments and streams of this process. `main.ts` calls this function once, at the start. */
export async function main(): Promise<void> {
  process.stdout.on('error', onWriteError);
  process.stderr.on('error', onWriteError);
  const [, path = '', ...args] = process.argv;
  const pluginArgs = PLUGINS[basename(path)];
  const code = await run([...(pluginArgs ?? []), ...args], {
    ...(pluginArgs === undefined ? {} : { program: 'kubectl portcullis' }),
    out: (text) => void process.stdout.write(text),
    err: (text) => void process.stderr.write(text),
    columns: process.stdout.columns,
    colors: process.stdout.isTTY && process.stdout.hasColors(),
  });
  // A command may have set `process.exitCode`, which must not be reset to 0.
  if (code !== EXIT.fine) process.exitCode = code;
}
