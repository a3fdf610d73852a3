import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { rmSync } from 'node:fs';
import { join } from 'node:path';

const ROOT = join(import.meta.dirname, '../..');
const MAIN = join(ROOT, 'dist/src/local/main.js');

/** Returns the seconds that a sandbox command takes, in its own sandbox. Rejects with its output if it fails. */
async function seconds(command: string, sandbox: string): Promise<number> {
  const start = performance.now();
  const child = spawn(process.execPath, [MAIN, command], {
    env: { ...process.env, SANDBOX: sandbox },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let printed = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk: Buffer) => {
      printed += chunk.toString();
    });
  }
  const [code] = (await once(child, 'close')) as [number | null];
  if (code !== 0) throw new Error(`the sandbox's command ${command} ended with ${String(code)}:\n${printed}`);
  return (performance.now() - start) / 1000;
}

export interface SandboxCosts {
  /** Seconds until a sandbox with cached tools is ready. */
  readonly up: number;
  /** Seconds of the complete demo, including start and stop. */
  readonly demo: number;
}

/** Measures `make up` and `make demo` with cached tools. The benchmark `sandbox` of run.ts calls it. */
export async function sandboxCosts(): Promise<SandboxCosts> {
  const sandbox = `benchmark-${process.pid}`;
  try {
    // The first start may have to build tools.
    await seconds('up', sandbox);
    await seconds('down', sandbox);
    const up = await seconds('up', sandbox);
    await seconds('down', sandbox);
    return { up, demo: await seconds('demo', sandbox) };
  } finally {
    await seconds('down', sandbox);
    // The logs are only needed after a failure.
    rmSync(join(ROOT, '.sandbox', sandbox), { recursive: true, force: true });
  }
}
