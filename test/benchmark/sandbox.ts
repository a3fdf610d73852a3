import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { rmSync } from 'node:fs';
import { join } from 'node:path';

const ROOT = join(import.meta.dirname, '../..');
const MAIN = join(ROOT, 'dist/src/local/main.js');

/** Seconds that a command of the sandbox takes, in a sandbox of its own. Rejects with what it printed when it fails. */
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
  /** Seconds until a sandbox whose tools are cached is ready. */
  readonly up: number;
  /** Seconds of the whole tour, coming up and going down included. */
  readonly demo: number;
}

export async function sandboxCosts(): Promise<SandboxCosts> {
  const sandbox = `benchmark-${process.pid}`;
  try {
    // The first one may have to build tools.
    await seconds('up', sandbox);
    await seconds('down', sandbox);
    const up = await seconds('up', sandbox);
    await seconds('down', sandbox);
    return { up, demo: await seconds('demo', sandbox) };
  } finally {
    await seconds('down', sandbox);
    // Its logs were worth something only if it had failed.
    rmSync(join(ROOT, '.sandbox', sandbox), { recursive: true, force: true });
  }
}
