import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { request } from 'undici';
import { freePorts } from '../../src/local/ports.ts';

const MAIN = join(import.meta.dirname, '..', '..', 'src', 'main.ts');
const READY_MS = 150_000;
const POLL_MS = 50;

/** The webhook as its own process, on the loopback. */
export interface WebhookProcess extends AsyncDisposable {
  readonly pid: number;
  readonly port: number;
  /** All that it has printed, log lines and sentences alike. */
  output(): string;
  /** The text of `/readyz?verbose`, `/metrics` … */
  probe(path: string): Promise<{ readonly status: number; readonly text: string }>;
  ready(): Promise<void>;
  /** Resolves once it accepts connections, ready or not. */
  listening(): Promise<void>;
  signal(name: NodeJS.Signals): void;
  /** Resolves with its exit code once it has ended; null when a signal ended it. */
  readonly ended: Promise<number | null>;
}

export interface SpawnOptions {
  /** The file that Node runs, where it is not this tree's own. */
  readonly main?: string;
  /** Further flags, which win over those before them. */
  readonly flags?: readonly string[];
  /** Flags of Node itself. */
  readonly nodeFlags?: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
}

/** Starts one; `await ready()` before use. It is gone at the latest when the block that holds it ends. */
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
