import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { request } from 'undici';
import { freePorts } from '../../src/local/free-ports.ts';
import { COMPILED } from './compile-cache.ts';

const MAIN = join(import.meta.dirname, '..', '..', 'src', 'main.ts');
const READY_MS = 60_000;
const POLL_MS = 50;

/** The controller in its own process, for integration tests with a real API server. */
export interface SpawnedController extends AsyncDisposable {
  readonly probesPort: number;
  /** Returns all output, log lines and other text. */
  readonly output: () => string;
  probe(path: string): Promise<{ readonly status: number; readonly text: string }>;
  ready(): Promise<void>;
  signal(name: NodeJS.Signals): void;
  /** Resolves with the exit code. Null if a signal ended the process. */
  readonly ended: Promise<number | null>;
}

/** Starts a controller whose environment has only `environment` of the product's variables. The controller ends with the block at the latest. */
export async function spawnController(
  flags: readonly string[],
  environment: Readonly<Record<string, string>>,
): Promise<SpawnedController> {
  const [probesPort = 0] = await freePorts(1);
  const own = [`--health-probe-bind-addr=127.0.0.1:${probesPort}`];
  const child = spawn(process.execPath, [MAIN, 'controller', ...own, ...flags], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...COMPILED, ...environment },
  });
  let printed = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk: Buffer) => (printed += chunk.toString()));
  const ended = once(child, 'close').then(([code]) => code as number | null);
  const probe = async (path: string) => {
    const { statusCode, body } = await request(`http://127.0.0.1:${probesPort}${path}`);
    return { status: statusCode, text: await body.text() };
  };
  return {
    probesPort,
    output: () => printed,
    probe,
    ended,
    ready: async () => {
      const end = Date.now() + READY_MS;
      while ((await probe('/readyz').catch(() => undefined))?.status !== 200) {
        if (child.exitCode !== null || Date.now() > end) throw new Error(`the controller is not ready:\n${printed}`);
        await delay(POLL_MS);
      }
    },
    signal: (name) => void child.kill(name),
    [Symbol.asyncDispose]: async () => {
      child.kill('SIGKILL');
      await ended;
    },
  };
}
