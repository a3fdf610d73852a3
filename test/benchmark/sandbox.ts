import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { rmSync } from 'node:fs';
import { join } from 'node:path';

const ROOT = join(import.meta.dirname, '../..');
const MAIN = join(ROOT, 'dist/src/local/main.js');

/** Seconds that a command of the stand takes, in a stand of its own. Rejects with what it printed when it fails. */
async function seconds(command: string, stand: string): Promise<number> {
  const start = performance.now();
  const child = spawn(process.execPath, [MAIN, command], {
    env: { ...process.env, STAND: stand },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let printed = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk: Buffer) => {
      printed += chunk.toString();
    });
  }
  const [code] = (await once(child, 'close')) as [number | null];
  if (code !== 0) throw new Error(`the stand's command ${command} ended with ${String(code)}:\n${printed}`);
  return (performance.now() - start) / 1000;
}

export interface StandCosts {
  /** Seconds until a stand whose tools are cached is ready. */
  readonly up: number;
  /** Seconds of the whole tour, coming up and going down included. */
  readonly demo: number;
}

export async function standCosts(): Promise<StandCosts> {
  const stand = `benchmark-${process.pid}`;
  try {
    // The first one may have to build tools.
    await seconds('up', stand);
    await seconds('down', stand);
    const up = await seconds('up', stand);
    await seconds('down', stand);
    return { up, demo: await seconds('demo', stand) };
  } finally {
    await seconds('down', stand);
    // Its logs were worth something only if it had failed.
    rmSync(join(ROOT, '.stand', stand), { recursive: true, force: true });
  }
}
