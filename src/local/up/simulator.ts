import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { startProcess, untilReady } from '../process.ts';
import { CLOUD } from '../seed.ts';
import type { SeedInput } from '../simulator/seed-schema.ts';
import { compiled } from '../sandbox-files.ts';
import { writeWhole } from '../sandbox-record.ts';

const READY_MS = 20_000;

/** Starts the simulator process of a sandbox with the resources of `seed`. Resolves with the URL when the simulator listens. */
export async function startSimulator(folder: string, seed: SeedInput, signal: AbortSignal): Promise<string> {
  const readyFile = join(folder, 'simulator.url');
  const seedFile = join(folder, 'seed.json');
  writeWhole(seedFile, JSON.stringify(seed, null, 2));
  const started = await startProcess(folder, {
    name: 'simulator',
    command: process.execPath,
    args: [
      compiled('local', 'simulator', 'main.js'),
      '--port=0',
      `--region=${CLOUD.regionId}`,
      `--ready-file=${readyFile}`,
      `--seed-file=${seedFile}`,
    ],
  });
  return untilReady(started, () => readFileSync(readyFile, 'utf8').trim(), { timeoutMs: READY_MS, signal });
}
