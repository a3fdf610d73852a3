import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import type { Narrator } from './narrator.ts';

export interface Output {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

export interface Following {
  /** Resolves when the process is gone. */
  stop(): Promise<void>;
}

export interface Kubectl {
  /** Prints the command as a person would type it, runs it, and prints what it printed. */
  show(...args: readonly string[]): Promise<Output>;
  /** Runs it without a word. */
  quiet(...args: readonly string[]): Promise<Output>;
  /** Runs one that prints without end, such as `get --watch`, until it is stopped; `line` gets each line that it prints. */
  follow(args: readonly string[], line: (text: string) => void): Following;
  /** `get … -o json`, parsed; absent when there is no such object. */
  json(...args: readonly string[]): Promise<unknown>;
}

const quoted = (argument: string): string =>
  /^[\w@%+=:,./-]+$/.test(argument) ? argument : `'${argument.replaceAll("'", `'\\''`)}'`;

async function run(
  file: string,
  args: readonly string[],
  env: NodeJS.ProcessEnv,
  signal: AbortSignal,
): Promise<Output> {
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
): Following {
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

/** `kubectl` of the sandbox, as its administrator. */
export function createKubectl(env: NodeJS.ProcessEnv, narrator: Narrator, signal: AbortSignal): Kubectl {
  const quiet = (...args: readonly string[]): Promise<Output> => run('kubectl', args, env, signal);
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

/** Runs command lines of ours, and prints them as a person would type them. */
export function createPortcullis(
  env: NodeJS.ProcessEnv,
  narrator: Narrator,
  signal: AbortSignal,
): (...args: readonly string[]) => Promise<Output> {
  return async (...args) => {
    narrator.command(['portcullis', ...args].map(quoted).join(' '));
    const output = await run('portcullis', args, env, signal);
    narrator.output(output.stderr);
    narrator.output(output.stdout);
    return output;
  };
}
