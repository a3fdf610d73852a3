import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { z } from 'zod';
import { answered } from '../../support/eventually.ts';
import { isInventory, MAY_BE_WRITTEN } from '../../support/takeover/permitted-writes.ts';
import { prepareSandbox } from '../../support/takeover/sandbox-preparation.ts';
import { sinceThen } from '../../support/takeover/recorded-writes.ts';
import { NAMESPACE, SANDBOX_KINDS } from '../../support/takeover/sandbox-kinds.ts';
import { spawnController, type SpawnedController } from '../../support/spawned-controller.ts';
import { startSandbox, type TestSandbox } from '../../support/sandbox.ts';

const SCRIPT = join(import.meta.dirname, '../../take-over.ts');
/** Milliseconds after the first complete read. The controller would make a change in this time. */
const QUIET_MS = 3_000;

const Services = z.object({
  items: z.array(
    z.object({
      metadata: z.object({ name: z.string() }),
      status: z.object({ conditions: z.array(z.object({ type: z.string(), reason: z.string() })).default([]) }),
    }),
  ),
});

/** The script of the sandbox lets users try a migration, so its Services must be those of the Alibaba Cloud Controller Manager. */
describe('a sandbox with Services of the existing controller', function () {
  this.timeout(180_000);
  const resources = new AsyncDisposableStack();
  let sandbox: TestSandbox;
  let controller: SpawnedController;

  const script = (...words: readonly string[]) =>
    new Promise<{ readonly code: number; readonly printed: string }>((resolve) => {
      const env = { ...process.env, SANDBOX: sandbox.name };
      execFile(process.execPath, [SCRIPT, ...words], { env }, (error, stdout, stderr) =>
        resolve({ code: error === null ? 0 : Number(error.code), printed: stdout + stderr }),
      );
    });
  /** Returns the condition of each Service. */
  async function standings(): Promise<ReadonlyMap<string, string>> {
    const list = await sandbox.kubectl('get', 'services', '-n', NAMESPACE, '-o', 'json');
    const { items } = Services.parse(JSON.parse(list));
    return new Map(
      items.flatMap(({ metadata, status }) =>
        status.conditions.map(({ reason }): [string, string] => [metadata.name, reason]),
      ),
    );
  }

  before(async () => {
    sandbox = resources.use(await startSandbox({ without: ['controller'] }));
    const { code, printed } = await script('prepare');
    assert.equal(code, 0, printed);
    const { environment } = sandbox.record;
    const flags = [
      `--cloud-config=${environment['CLOUD_CONFIG'] ?? ''}`,
      `--kubeconfig=${environment['CONTROLLER_KUBECONFIG'] ?? ''}`,
      `--cluster-cidr=${environment['CLUSTER_CIDR'] ?? ''}`,
    ];
    controller = resources.use(await spawnController(flags, environment));
    await controller.ready();
  });
  after(async () => {
    await resources.disposeAsync();
  });

  it('has over forty kinds of Services, which all have the expected state after adoption', async () => {
    assert.ok(SANDBOX_KINDS.length >= 40);
    const expected = SANDBOX_KINDS.map(({ name, left }) => [name, left.standing ?? 'EnsuredLoadBalancer']);
    const found = await answered(async () => {
      const all = await standings();
      return all.size === SANDBOX_KINDS.length ? all : undefined;
    }, 'every Service is taken over');
    assert.deepEqual([...found], expected);
  });

  it('is adopted without a changing call, and with documented writes only', async () => {
    await delay(QUIET_MS);
    const { calls, writes } = await sinceThen(sandbox);
    assert.deepEqual(
      calls.map(({ action }) => action),
      [],
    );
    const unexpected = writes
      .filter(({ object }) => !isInventory(object))
      .filter(
        ({ object, changed }) =>
          !object.startsWith('services ') || !changed.every((path) => MAY_BE_WRITTEN.includes(path)),
      );
    assert.deepEqual(unexpected, []);
    const services = writes.filter(({ object }) => object.startsWith('services '));
    assert.equal(services.length, SANDBOX_KINDS.length, 'each Service is written once');
  });

  it('reports changes since the adoption on request', async () => {
    const { code, printed } = await script('changes');
    assert.equal(code, 0, printed);
    assert.match(printed, /^0 changing calls\n\d+ writes to the cluster\n/);
    assert.match(printed, /portcullis-controller {2}services: status\.conditions\./);
  });

  it('is not prepared twice', async () => {
    await assert.rejects(prepareSandbox(sandbox), {
      reason: 'InvalidConfiguration',
      message: /has the namespace left-behind already/,
    });
  });

  it('rejects unknown commands of the script', async () => {
    assert.match((await script('prepair')).printed, /^error: unknown command "prepair": did you mean "prepare"\?\n$/);
  });
});
