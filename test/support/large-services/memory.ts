import assert from 'node:assert/strict';
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import type { LargeKind } from './kinds.ts';
import type { Filled } from './process.ts';
import { COUNT, largeServices, type ListForm } from './server.ts';
import { root } from '../manifests.ts';
import { peakMiB } from '../peak-memory.ts';
import { shippedEnvironment, shippedMemoryMiB, type Part } from '../shipped-deployment.ts';

const PROCESS = join(root, 'test/support/large-services/process.ts');

/** Fills the caches of the controller or webhook in a process with the shipped settings. Returns the number of Services and the peak memory. */
async function filled(part: Part, url: string): Promise<{ readonly services: number; readonly mebibytes: number }> {
  const child = fork(PROCESS, [part, url], { execArgv: [], env: { ...process.env, ...shippedEnvironment(part) } });
  try {
    const ended = once(child, 'exit').then(([code]) => {
      throw new Error(`the process ended with ${String(code)}`);
    });
    const [{ services }] = (await Promise.race([once(child, 'message'), ended])) as [Filled];
    return { services, mebibytes: peakMiB(child.pid ?? 0) };
  } finally {
    child.kill('SIGKILL');
  }
}

const PARTS: readonly Part[] = ['controller', 'webhook'];

/** Asserts that the caches of both processes with 5,000 large Services fit into the shipped memory limits. */
export async function assertFits(kind: LargeKind, form: ListForm): Promise<void> {
  await using server = await largeServices(kind, form);
  const all = await Promise.all(PARTS.map(async (part) => ({ part, ...(await filled(part, server.url)) })));
  for (const { part, services, mebibytes } of all) {
    const limit = shippedMemoryMiB(part);
    assert.equal(services, COUNT);
    assert.ok(mebibytes < limit, `${part}: ${mebibytes} MiB of ${limit} MiB`);
  }
}
