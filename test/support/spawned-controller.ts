import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { request } from 'undici';
import { freePorts } from '../../src/local/ports.ts';
import { COMPILED } from './compiled.ts';

const MAIN = join(import.meta.dirname, '..', '..', 'src', 'main.ts');
const READY_MS = 60_000;
const POLL_MS = 50;

/** The controller as its own process. */
export interface SpawnedController extends AsyncDisposable {
  readonly probesPort: number;
  /** All that it has printed, log lines and sentences alike. */
  readonly output: () => string;
  probe(path: string): Promise<{ readonly status: number; readonly text: string }>;
  ready(): Promise<void>;
  signal(name: NodeJS.Signals): void;
  /** Its exit code once it has ended; null when a signal ended it. */
  readonly ended: Promise<number | null>;
}

/** Starts one with nothing that concerns us in its environment but `environment`. It is gone at the latest when the block that holds it ends. */
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
