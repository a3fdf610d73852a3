import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { compiled } from '../sandbox-files.ts';
import type { Narrator } from './narrator.ts';

/** The exit code and the output of a command. */
export interface CommandOutput {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** An endless command that runs in the background. */
export interface FollowingProcess {
  /** Stops the process, and resolves after its end. */
  stop(): Promise<void>;
}

/** The `kubectl` of the demo's steps. The demo prints most commands, so that a reader can repeat these commands. */
export interface Kubectl {
  /** Prints the command line, runs the command, and prints its output. */
  show(...args: readonly string[]): Promise<CommandOutput>;
  /** Runs the command and prints nothing. */
  quiet(...args: readonly string[]): Promise<CommandOutput>;
  /** Prints the command line, and runs nothing. */
  announce(...args: readonly string[]): void;
  /** Starts an endless command, such as `get --watch`. `line` receives each line of output. */
  follow(args: readonly string[], line: (text: string) => void): FollowingProcess;
}

const quoted = (argument: string): string =>
  /^[\w@%+=:,./-]+$/.test(argument) ? argument : `'${argument.replaceAll("'", `'\\''`)}'`;

async function run(
  file: string,
  args: readonly string[],
  env: NodeJS.ProcessEnv,
  signal: AbortSignal,
): Promise<CommandOutput> {
  const child = spawn(file, args, { env, stdio: ['ignore', 'pipe', 'pipe'], signal });
  const ended = new Promise<number>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code) => resolve(code ?? 1));
  });
  const [code, stdout, stderr] = await Promise.all([ended, text(child.stdout), text(child.stderr)]);
  return { code, stdout, stderr };
}

function follow(
  args: readonly string[],
  line: (text: string) => void,
  { env, signal }: { readonly env: NodeJS.ProcessEnv; readonly signal: AbortSignal },
): FollowingProcess {
  const child = spawn('kubectl', args, { env, stdio: ['ignore', 'pipe', 'ignore'], signal });
  const ended = once(child, 'close').catch(() => undefined);
  createInterface({ input: child.stdout }).on('line', line);
  return {
    stop: async () => {
      child.kill();
      await ended;
    },
  };
}

/** A program that the demo shows. */
interface ShownProgram {
  /** The name in the printed command line. */
  readonly name: string;
  /** The executable, followed by the arguments that the demo does not print. */
  readonly command: readonly [file: string, ...args: readonly string[]];
  /** The order in which the demo prints the streams. */
  readonly order: readonly ('stdout' | 'stderr')[];
}

const KUBECTL: ShownProgram = { name: 'kubectl', command: ['kubectl'], order: ['stderr', 'stdout'] };

/** Returns a function that prints a command line, runs the command, and prints its output. */
function printingRunner(
  { name, command: [file, ...first], order }: ShownProgram,
  env: NodeJS.ProcessEnv,
  narrator: Narrator,
  signal: AbortSignal,
): (...args: readonly string[]) => Promise<CommandOutput> {
  return async (...args) => {
    narrator.command([name, ...args].map(quoted).join(' '));
    const output = await narrator.during(name, () => run(file, [...first, ...args], env, signal));
    for (const stream of order) narrator.output(output[stream]);
    return output;
  };
}

/** Creates the `kubectl` of the demo. `env` names the kubeconfig of the sandbox's administrator. */
export function createKubectl(env: NodeJS.ProcessEnv, narrator: Narrator, signal: AbortSignal): Kubectl {
  return {
    quiet: (...args) => run('kubectl', args, env, signal),
    follow: (args, line) => follow(args, line, { env, signal }),
    show: printingRunner(KUBECTL, env, narrator, signal),
    announce: (...args) => narrator.command(['kubectl', ...args].map(quoted).join(' ')),
  };
}

/** Returns a function that prints a command line of `portcullis`, runs the compiled program, and prints its output. */
export function createPortcullis(
  env: NodeJS.ProcessEnv,
  narrator: Narrator,
  signal: AbortSignal,
): (...args: readonly string[]) => Promise<CommandOutput> {
  const program: ShownProgram = {
    name: 'portcullis',
    command: [process.execPath, compiled('main.js')],
    order: ['stdout', 'stderr'],
  };
  return printingRunner(program, env, narrator, signal);
}
