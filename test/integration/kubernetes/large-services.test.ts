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

/** Fills the caches of a part with its shipped settings. Returns the number of cached Services and the peak memory. */
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

/** The kinds of large Services, and the form of their list. */
const ROWS: readonly (readonly [LargeKind, ListForm])[] = [
  ['an annotation', 'streaming lists'],
  ['an annotation', 'pages'],
  ['finalizers', 'pages'],
  ['labels', 'streaming lists'],
  ['ports', 'streaming lists'],
  ['a status', 'pages'],
  ['all at once', 'streaming lists'],
];
const PARTS: readonly Part[] = ['controller', 'webhook'];

/** Tenants can create very large Services. The caches must fit into the memory limits, or the process is killed. */
describe('5,000 large Services', function () {
  this.timeout(300_000);

  for (const [kind, form] of ROWS) {
    it(`by ${kind} fit into the shipped memory limits, read by ${form}`, async () => {
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
