import assert from 'node:assert/strict';
import { PortcullisError } from '../../../src/errors.ts';
import { keyOf, SERVICES } from '../../support/cluster.ts';
import { annotation, apply, events, loadBalancers, running, type Running } from '../../support/running.ts';
import { aService } from '../../support/service.ts';

const KEY = keyOf(aService());
/** The Service sets a name, so that the load balancer is found by its tags only. */
const PRESERVED = { [annotation('preserve-lb-on-delete')]: 'true', [annotation('name')]: 'kept' };

describe('a preserved load balancer', () => {
  it('keeps its listeners and loses tags and protection', async () => {
    const run = await running();
    await apply(run, { annotations: { [annotation('preserve-lb-on-delete')]: 'true' } });
    run.cluster.kubernetes.delete(SERVICES, KEY);
    await run.cluster.quiet();
    const [preserved] = loadBalancers(run);
    assert.deepEqual([preserved?.tags, preserved?.deleteProtection, preserved?.listeners.length], [{}, 'off', 1]);
    assert.equal(run.cluster.service(), undefined);
    assert.equal(events(run, 'PreservedOnDelete').length, 1);
    await run.process.stop();
  });

  const endings: Readonly<Record<string, (run: Running) => void>> = {
    'is deleted': (run) => run.cluster.kubernetes.delete(SERVICES, KEY),
    'changes to type ClusterIP': (run) =>
      void run.cluster.kubernetes.patch(SERVICES, KEY, { spec: { type: 'ClusterIP' } }),
  };
  for (const [sentence, end] of Object.entries(endings)) {
    it(`keeps its server groups without backends if the Service ${sentence}`, async () => {
      const run = await running();
      await apply(run, { annotations: { [annotation('preserve-lb-on-delete')]: 'true' } });
      assert.ok(loadBalancers(run)[0]?.serverGroups[0]?.backends.length);
      end(run);
      await run.cluster.quiet();
      const [preserved] = loadBalancers(run);
      assert.equal(preserved?.listeners.length, 1);
      assert.deepEqual(
        preserved.serverGroups.map(({ backends }) => backends),
        [[]],
      );
      await run.process.stop();
    });
  }

  it('is reported if removing the finalizer needs a second reconcile', async () => {
    let isRefused = true;
    const run = await running({
      aroundWrite: async ({ patch: change }, when) => {
        const isFinal = JSON.stringify(change).includes('$deleteFromPrimitiveList/finalizers');
        if (isRefused && isFinal && when === 'before') throw new PortcullisError('Forbidden', 'forbidden');
      },
    });
    await apply(run, { annotations: PRESERVED });
    run.cluster.kubernetes.delete(SERVICES, KEY);
    await run.cluster.quiet();
    assert.notEqual(run.cluster.service(), undefined);
    isRefused = false;
    await run.cluster.quiet(10 * 60_000);
    assert.equal(run.cluster.service(), undefined);
    assert.ok(events(run, 'PreservedOnDelete').length > 0);
    await run.process.stop();
  });

  it('is reported by another process if the first ends after the tags are removed', async () => {
    const run = await running();
    await apply(run, { annotations: PRESERVED });
    await run.process.stop();
    const killed = run.cluster.start({
      aroundCall: async (action, when) => {
        if (action === 'UntagResources' && when === 'after') killed.kill();
      },
    });
    run.cluster.kubernetes.delete(SERVICES, KEY);
    await run.cluster.quiet();
    assert.deepEqual(events(run, 'PreservedOnDelete'), []);
    const process = run.cluster.start();
    await run.cluster.quiet(5 * 60_000);
    assert.equal(run.cluster.service(), undefined);
    assert.equal(events(run, 'PreservedOnDelete').length, 1);
    await process.stop();
  });

  for (const [sentence, end] of Object.entries(endings))
    it(`is reported by another process if the first ends before the tags are removed and the Service ${sentence}`, async () => {
      const run = await running();
      await apply(run, { annotations: PRESERVED });
      await run.process.stop();
      const killed = run.cluster.start({
        aroundCall: async (action, when) => {
          if (action === 'UntagResources' && when === 'before') killed.kill();
        },
      });
      end(run);
      await run.cluster.quiet();
      assert.deepEqual(events(run, 'PreservedOnDelete'), []);
      const process = run.cluster.start();
      await run.cluster.quiet(5 * 60_000);
      assert.equal(events(run, 'PreservedOnDelete').length, 1);
      await process.stop();
    });
});
