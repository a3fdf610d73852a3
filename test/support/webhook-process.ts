import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { request } from 'undici';
import { freePorts } from '../../src/local/free-ports.ts';

const MAIN = join(import.meta.dirname, '..', '..', 'src', 'main.ts');
const READY_MS = 150_000;
const POLL_MS = 50;

/** The webhook in its own process, on the loopback interface, for integration tests. */
export interface WebhookProcess extends AsyncDisposable {
  readonly pid: number;
  readonly port: number;
  /** Returns all output, log lines and other text. */
  output(): string;
  /** Returns the answer of `/readyz?verbose`, `/metrics` and so on. */
  probe(path: string): Promise<{ readonly status: number; readonly text: string }>;
  ready(): Promise<void>;
  /** Resolves when the webhook accepts connections, ready or not. */
  listening(): Promise<void>;
  signal(name: NodeJS.Signals): void;
  /** Resolves with the exit code. Null if a signal ended the process. */
  readonly ended: Promise<number | null>;
}

export interface SpawnOptions {
  /** Program file. Defaults to that of this tree. */
  readonly main?: string;
  /** Further flags, which override earlier ones. */
  readonly flags?: readonly string[];
  /** The flags of Node.js itself. */
  readonly nodeFlags?: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
}

/** Starts a webhook. Await `ready()` before use. It ends with the block at the latest. */
export async function startWebhook(flags: readonly string[], options: SpawnOptions = {}): Promise<WebhookProcess> {
  const [port = 0, probes = 0] = await freePorts(2);
  const own = [`--port=${port}`, '--bind-address=127.0.0.1', `--health-probe-bind-addr=127.0.0.1:${probes}`];
  const { main = MAIN, nodeFlags = [], environment = {} } = options;
  const child = spawn(process.execPath, [...nodeFlags, main, 'webhook', ...own, ...flags, ...(options.flags ?? [])], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, ...environment },
  });
  let printed = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk: Buffer) => (printed += chunk.toString()));
  const ended = once(child, 'close').then(([code]) => code as number | null);
  const probe = async (path: string) => {
    const { statusCode, body } = await request(`http://127.0.0.1:${probes}${path}`);
    return { status: statusCode, text: await body.text() };
  };
  const until = async (path: string): Promise<void> => {
    const end = Date.now() + READY_MS;
    while ((await probe(path).catch(() => undefined))?.status !== 200) {
      if (child.exitCode !== null || Date.now() > end)
        throw new Error(`the webhook does not answer ${path}:\n${printed}`);
      await delay(POLL_MS);
    }
  };
  return {
    pid: child.pid ?? 0,
    port,
    output: () => printed,
    probe,
    ended,
    ready: () => until('/readyz'),
    listening: () => until('/healthz'),
    signal: (name) => void child.kill(name),
    [Symbol.asyncDispose]: async () => {
      child.kill('SIGKILL');
      await ended;
    },
  };
}
