import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { PortcullisError } from '../base/errors.ts';

export interface CommandOptions {
  /** Beside this process's own environment. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  readonly signal?: AbortSignal | undefined;
}

const LAST_LINES = 15;
const GRACE_MS = 3000;

/**
 * Runs a command to its end and answers what it printed on standard output.
 * Throws `Unavailable` with the end of its output when it fails; aborted, it is ended with everything it started.
 */
export async function run(
  command: string,
  args: readonly string[],
  { env = {}, signal }: CommandOptions = {},
): Promise<string> {
  signal?.throwIfAborted();
  const child = spawn(command, args, {
    // A group of its own: Ctrl-C at the terminal reaches only us, and we end all of it.
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

/** SIGINT lets the go command clean its temporary folder away; whoever does not listen is killed. */
function endGroup(pid: number | undefined): void {
  if (pid === undefined) return;
  const send = (name: NodeJS.Signals): void => {
    try {
      process.kill(-pid, name);
    } catch {
      // The whole group has ended meanwhile, which is what was wanted.
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
  const fate = code === null ? 'was ended by a signal' : `failed with exit code ${code}`;
  const words = [command, ...args].join(' ');
  return new PortcullisError('Unavailable', `"${words}" ${fate}; the end of its output:\n${ending.join('\n')}`);
}

/** Whether a command could not even be started, because there is no such program. */
export const isMissingProgram = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && error.code === 'ENOENT';
