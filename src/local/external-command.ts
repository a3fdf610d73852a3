import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { PortcullisError } from '../base/errors.ts';

/** The environment of a command, and the signal that ends the command. */
export interface CommandOptions {
  /** Variables in addition to the environment of this process. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  readonly signal?: AbortSignal | undefined;
}

const LAST_LINES = 15;
const GRACE_MS = 3000;

/** Runs a command and returns its standard output. Throws `Unavailable` with the end of the output if the command fails. */
export async function run(
  command: string,
  args: readonly string[],
  { env = {}, signal }: CommandOptions = {},
): Promise<string> {
  signal?.throwIfAborted();
  const child = spawn(command, args, {
    // The command runs in a process group of its own, so that Ctrl-C at the terminal reaches only this process.
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, ...env },
  });
  const output: Buffer[] = [];
  const messages: Buffer[] = [];
  child.stdout.on('data', (chunk: Buffer) => output.push(chunk));
  child.stderr.on('data', (chunk: Buffer) => messages.push(chunk));
  const end = (): void => endGroup(child.pid);
  signal?.addEventListener('abort', end, { once: true });
  try {
    const [code] = (await once(child, 'close')) as [number | null];
    signal?.throwIfAborted();
    if (code === 0) return Buffer.concat(output).toString();
    throw failure(command, args, code, Buffer.concat([...output, ...messages]).toString());
  } finally {
    signal?.removeEventListener('abort', end);
  }
}

/** Sends SIGINT to the process group, so that the go command deletes its temporary folder, and SIGKILL after 3 s. */
function endGroup(pid: number | undefined): void {
  if (pid === undefined) return;
  const send = (name: NodeJS.Signals): void => {
    try {
      process.kill(-pid, name);
    } catch {
      // All processes of the group have ended.
    }
  };
  send('SIGINT');
  setTimeout(() => send('SIGKILL'), GRACE_MS).unref();
}

function failure(command: string, args: readonly string[], code: number | null, output: string): PortcullisError {
  const ending = output
    .trimEnd()
    .split('\n')
    .slice(-LAST_LINES)
    .map((line) => `  ${line}`);
  const fate = code === null ? 'was terminated by a signal' : `failed with exit code ${code}`;
  const words = [command, ...args].join(' ');
  return new PortcullisError('Unavailable', `"${words}" ${fate}; the end of its output:\n${ending.join('\n')}`);
}

/** Returns whether an error of `run` means that the program does not exist. */
export const isMissingProgram = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && error.code === 'ENOENT';
