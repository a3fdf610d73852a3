import assert from 'node:assert/strict';
import { keyOf, NODES, objectKey, SERVICES } from '../../support/cluster.ts';
import { annotated, apply, events, messageOf, now, patch, running, standing } from '../../support/running.ts';
import { aService } from '../../support/service.ts';

const READY = ['True', 'EnsuredLoadBalancer'];
const INVALID = ['False', 'InvalidObject'];
/** Six violations: three that block a change, and three in entries or keys that have no effect. */
const SIX = annotated({
  scheduler: 'nonsense',
  bandwidth: 'wide',
  'healthy-threshold': '99',
  'protocol-port': 'tcp:80,http:80,tcp:9999',
  'health-chek-flag': 'on',
});

const actions = (run: Awaited<ReturnType<typeof running>>, since: number): readonly string[] =>
  run.cluster.journal(since).map(({ action }) => action);

describe('violations of a Service that is served', () => {
  it('are reported by event and condition without a call, until the Service is corrected', async () => {
    const run = await running();
    await apply(run);
    const since = now(run);
    await patch(run, { metadata: { annotations: annotated({ scheduler: 'nonsense' }) } });
    assert.deepEqual(standing(run), INVALID);
    assert.match(messageOf(run), /scheduler.*nonsense/);
    assert.equal(events(run, 'SyncLoadBalancerFailed').length, 1);
    await patch(run, { metadata: { annotations: annotated({ scheduler: null }) } });
    assert.deepEqual(standing(run), READY);
    assert.deepEqual(actions(run, since), []);
    await run.process.stop();
  });

  it('are found if they were stored while no controller ran, and are reported once', async () => {
    const run = await running();
    await apply(run);
    await run.process.stop();
    const since = now(run);
    run.cluster.kubernetes.patch(SERVICES, keyOf(aService()), {
      metadata: { annotations: annotated({ scheduler: 'nonsense' }) },
    });
    for (const count of [1, 1]) {
      const process = run.cluster.start();
      await run.cluster.quiet();
      assert.deepEqual(standing(run), INVALID);
      assert.equal(events(run, 'SyncLoadBalancerFailed').length, count);
      await process.stop();
    }
    assert.deepEqual(actions(run, since), []);
  });

  it('are all named, including those that block nothing', async () => {
    const run = await running();
    await apply(run, { annotations: SIX });
    const parts = ['nonsense', 'wide', '99', 'http:80', 'tcp:9999', 'health-chek-flag'];
    const told = events(run, 'SyncLoadBalancerFailed');
    assert.ok(told.every(({ length }) => length <= 1_024));
    for (const said of [messageOf(run), told.join()])
      assert.deepEqual(
        parts.filter((part) => !said.includes(part)),
        [],
        said,
      );
    await run.process.stop();
  });

  it('do not stop the sync of backends', async () => {
    const run = await running();
    await apply(run);
    await patch(run, { metadata: { annotations: annotated({ scheduler: 'nonsense' }) } });
    const since = now(run);
    run.cluster.kubernetes.delete(NODES, objectKey('n3'));
    await run.cluster.quiet();
    assert.deepEqual(actions(run, since), ['RemoveVServerGroupBackendServers']);
    await run.process.stop();
  });
});
