import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
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

/** The demo's access to the API server by `kubectl`. The demo prints the commands, so that a reader can repeat them. */
export interface Kubectl {
  /** Prints the command line, runs it, and prints its output. */
  show(...args: readonly string[]): Promise<CommandOutput>;
  /** Runs the command and prints nothing. */
  quiet(...args: readonly string[]): Promise<CommandOutput>;
  /** Starts an endless command, such as `get --watch`. `line` receives each line of output. */
  follow(args: readonly string[], line: (text: string) => void): FollowingProcess;
  /** Returns the parsed output of `get … -o json`, or undefined if the object does not exist. */
  json(...args: readonly string[]): Promise<unknown>;
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

/** Creates the `kubectl` of the demo, with the rights of the sandbox's administrator. */
export function createKubectl(env: NodeJS.ProcessEnv, narrator: Narrator, signal: AbortSignal): Kubectl {
  const quiet = (...args: readonly string[]): Promise<CommandOutput> => run('kubectl', args, env, signal);
  return {
    quiet,
    follow: (args, line) => follow(args, line, { env, signal }),
    show: async (...args) => {
      narrator.command(['kubectl', ...args].map(quoted).join(' '));
      const output = await quiet(...args);
      narrator.output(output.stderr);
      narrator.output(output.stdout);
      return output;
    },
    json: async (...args) => {
      const output = await quiet('get', ...args, '-o', 'json');
      return output.code === 0 ? (JSON.parse(output.stdout) as unknown) : undefined;
    },
  };
}

/** Returns a function that runs `portcullis` and prints its command line. */
export function createPortcullis(
  env: NodeJS.ProcessEnv,
  narrator: Narrator,
  signal: AbortSignal,
): (...args: readonly string[]) => Promise<CommandOutput> {
  return async (...args) => {
    narrator.command(['portcullis', ...args].map(quoted).join(' '));
    const output = await run('portcullis', args, env, signal);
    narrator.output(output.stderr);
    narrator.output(output.stdout);
    return output;
  };
}
