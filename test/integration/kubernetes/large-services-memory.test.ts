import assert from 'node:assert/strict';
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import type { Filled } from '../../support/large-services/process.ts';
import type { LargeKind } from '../../support/large-services/kinds.ts';
import { COUNT, largeServices, type ListForm } from '../../support/large-services/server.ts';
import { root } from '../../support/manifests.ts';
import { peakMiB } from '../../support/peak-memory.ts';
import { shippedEnvironment, shippedMemoryMiB, type Part } from '../../support/shipped-deployment.ts';

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

/** The fields that make a Service large, and the way in which a cache lists the Services. */
const ROWS: readonly (readonly [LargeKind, ListForm])[] = [
  ['an annotation', 'streaming lists'],
  ['an annotation', 'pages'],
  ['finalizers', 'pages'],
  ['labels', 'streaming lists'],
  ['ports', 'streaming lists'],
  ['a status', 'pages'],
  ['large fields of every kind', 'streaming lists'],
];
const PARTS: readonly Part[] = ['controller', 'webhook'];

/** Tenants can create very large Services. If the caches exceeded the memory limits, Kubernetes would kill the process. */
describe('5,000 large Services', function () {
  this.timeout(300_000);

  for (const [kind, form] of ROWS) {
    it(`with ${kind} fit into the shipped memory limits, when read by ${form}`, async () => {
      await using server = await largeServices(kind, form);
      const all = await Promise.all(PARTS.map(async (part) => ({ part, ...(await filled(part, server.url)) })));
      for (const { part, services, mebibytes } of all) {
        const limit = shippedMemoryMiB(part);
        assert.equal(services, COUNT);
        assert.ok(mebibytes < limit, `${part}: ${mebibytes} MiB of ${limit} MiB`);
      }
    });
  }
});
