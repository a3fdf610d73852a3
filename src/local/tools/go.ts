import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { PortcullisError } from '../../errors.ts';
import { isOlder, versionIn } from './catalogue.ts';
import { GO_ENVIRONMENT } from './recipe.ts';

const LAST_LINES = 15;
const GRACE_MS = 3000;

/**
 * Runs a command to its end and answers what it printed on standard output.
 * Throws `Unavailable` with the end of its output when it fails; aborted, it is ended with everything it started.
 */
export async function run(command: string, args: readonly string[], signal?: AbortSignal): Promise<string> {
  signal?.throwIfAborted();
  const child = spawn(command, args, {
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, ...GO_ENVIRONMENT },
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
  return new PortcullisError(
    'Unavailable',
    `"${[command, ...args].join(' ')}" ${fate}; the end of its output:\n${ending.join('\n')}`,
  );
}

const isMissing = (error: unknown): boolean => (error as NodeJS.ErrnoException).code === 'ENOENT';

/** Version and platform of the Go that is installed, for example `go1.26.0 linux amd64`. Throws `InvalidConfiguration` when there is none. */
export async function goVersion(signal?: AbortSignal): Promise<string> {
  try {
    const printed = await run('go', ['env', 'GOVERSION', 'GOOS', 'GOARCH'], signal);
    return printed.trim().split('\n').join(' ');
  } catch (cause) {
    if (!isMissing(cause)) throw cause;
    throw new PortcullisError(
      'InvalidConfiguration',
      'the go command was not found: install Go (1.26 or newer), or set PORTCULLIS_TOOLS to a folder that holds the tools already built',
      { cause },
    );
  }
}

/** Throws `InvalidConfiguration` when the installed Go is older than a module asks for. */
export function checkGo(installed: string, asked: string): void {
  const have = versionIn(installed.replace(/^go(\d+\.\d+) /, 'go$1.0 '));
  const need = versionIn(asked);
  if (have !== undefined && need !== undefined && isOlder(have, need)) {
    throw new PortcullisError(
      'InvalidConfiguration',
      `Go ${have.join('.')} is too old to build the control plane, which needs ${asked}: install a newer Go, or set PORTCULLIS_TOOLS to a folder that holds the tools already built`,
    );
  }
}
