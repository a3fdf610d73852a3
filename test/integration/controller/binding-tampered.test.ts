import assert from 'node:assert/strict';
import { omit } from '../../../src/base/pick.ts';
import { LOAD_BALANCER_BINDINGS } from '../../../src/inventory/binding.ts';
import {
  bindingsOf,
  KINDS,
  READY,
  recordsOf,
  rejectDeletion,
  restart,
  SEED,
  serve,
  start,
} from '../../support/bindings.ts';
import { cloudPicture } from '../../support/cloud-picture.ts';
import { AN_AUDIT_MS, keyOf, objectKey, SERVICES } from '../../support/simulated-cluster.ts';
import {
  annotated,
  apply,
  changes,
  deleteBinding,
  loadBalancers,
  callCount,
  patch,
  running,
  statusAndReason,
  writesSince,
  type Running,
} from '../../support/running-controller.ts';
import { aService } from '../../support/service.ts';

const KEY = keyOf(aService());
const ANOTHER_UID = '11111111-c2ae-4642-b033-5607860aef6a';
const MINUTES = 60_000;

/** Edits the binding of Service `web` as a user. */
const edit = ({ cluster }: Running, spec: object): void => {
  const { metadata } = cluster.binding() ?? assert.fail();
  cluster.kubernetes.patch(LOAD_BALANCER_BINDINGS, objectKey(metadata.name), { spec });
};

/** Users may edit, delete and restore bindings. A wrong binding must not delete or move a load balancer that serves traffic. */
describe('a binding that a user deletes', () => {
  for (const [what, annotations] of Object.entries(KINDS))
    for (const isAway of [false, true])
      it(`of a Service with ${what} is created again without a changing call${isAway ? ' after a restart' : ''}`, async () => {
        const run = await serve(annotations);
        const records = recordsOf(run);
        const since = callCount(run);
        if (isAway) await run.process.stop();
        deleteBinding(run);
        const next = isAway ? start(run) : run;
        await run.cluster.quiet();
        assert.deepEqual([changes(next, since), recordsOf(next), statusAndReason(next)], [[], records, READY]);
        await next.process.stop();
      });

  it('returns with all other deleted bindings, and nothing changes in the cloud', async () => {
    const run = await running({}, SEED);
    for (const [at, annotations] of Object.values(KINDS).entries())
      await apply(run, { name: `web-${at}`, uid: `0000000${at}-0000-4000-8000-000000000000`, annotations });
    const [records, picture, since] = [recordsOf(run), cloudPicture(run.cluster.simulator), callCount(run)];
    for (const at of Object.values(KINDS).keys()) deleteBinding(run, `web-${at}`);
    await run.cluster.quiet(AN_AUDIT_MS);
    assert.deepEqual([changes(run, since), cloudPicture(run.cluster.simulator)], [[], picture]);
    const byName = (each: ReturnType<typeof recordsOf>) => each.toSorted((a, b) => a.name.localeCompare(b.name));
    assert.deepEqual(byName(recordsOf(run)), byName(records));
    await run.process.stop();
  });

  it('in the middle of a cleanup does not stop the cleanup of a Service that has the finalizer', async () => {
    const run = await serve();
    rejectDeletion(run);
    run.cluster.kubernetes.delete(SERVICES, KEY);
    await run.cluster.quiet(500);
    deleteBinding(run);
    run.cluster.simulator.clearFaults();
    await run.cluster.quiet(10 * MINUTES);
    assert.deepEqual([bindingsOf(run), run.cluster.service(), loadBalancers(run).length], [[], undefined, 2]);
    await run.process.stop();
  });
});

describe('an old binding that a user restores', () => {
  const OTHER = annotated({ id: 'lb-other', 'force-override-listeners': 'true' });
  const NOW: Readonly<Record<string, Readonly<Record<string, string | null>>>> = {
    'a user-managed load balancer': { id: 'lb-shared', 'force-override-listeners': 'true' },
    'a load balancer of its own': { id: null },
  };
  for (const [what, edit] of Object.entries(NOW))
    for (const isAway of [false, true])
      it(`does not move a Service with ${what}${isAway ? ', while no controller runs' : ''}`, async () => {
        const run = await running({ controllers: ['service', 'inventory'] }, SEED);
        await apply(run, { annotations: OTHER });
        const [old = assert.fail()] = bindingsOf(run);
        await patch(run, { spec: { type: 'ClusterIP' }, status: { loadBalancer: null } });
        await run.cluster.quiet(5 * MINUTES);
        assert.deepEqual(bindingsOf(run), []);
        await patch(run, { spec: { type: 'LoadBalancer' }, metadata: { annotations: annotated(edit) } });
        const [records, picture, since] = [recordsOf(run), cloudPicture(run.cluster.simulator), callCount(run)];
        if (isAway) await run.process.stop();
        deleteBinding(run);
        run.cluster.kubernetes.put(LOAD_BALANCER_BINDINGS, { ...old, metadata: { name: old.metadata.name } });
        const next = isAway ? start(run) : run;
        await run.cluster.quiet(AN_AUDIT_MS);
        assert.deepEqual([changes(next, since), recordsOf(next), statusAndReason(next)], [[], records, READY]);
        assert.deepEqual(cloudPicture(run.cluster.simulator), picture);
        await next.process.stop();
      });
});

describe('a binding that a user edits', () => {
  const EDITS: Readonly<Record<string, object>> = {
    'another digest': { syncedDigest: 'forged' },
    'no digest': { syncedDigest: null },
    'no load balancer': { loadBalancer: null },
    'another address': { loadBalancer: { address: '10.9.9.9' } },
    'a sync in progress': { operation: { type: 'Sync', state: 'InProgress' } },
    'a cleanup in progress': { operation: { type: 'Cleanup', state: 'InProgress' } },
    'a finished cleanup': { operation: { type: 'Cleanup', state: 'Ended' } },
    'a creation in progress': { operation: { type: 'Create', clientToken: 'forged', state: 'InProgress' } },
    'an option that is not in effect': { resettableOptions: ['spec'] },
    'the option to keep the load balancer': { preserveOnDelete: true },
  };
  for (const [what, spec] of Object.entries(EDITS))
    for (const isAway of [false, true])
      it(`to ${what} is corrected, and nothing changes in the cloud${isAway ? ', while no controller runs' : ''}`, async () => {
        const run = await serve();
        const [records, picture] = [recordsOf(run), cloudPicture(run.cluster.simulator)];
        if (isAway) await run.process.stop();
        edit(run, spec);
        const next = isAway ? start(run) : run;
        await run.cluster.quiet(AN_AUDIT_MS);
        assert.deepEqual([cloudPicture(run.cluster.simulator), statusAndReason(next)], [picture, READY]);
        assert.deepEqual(recordsOf(next), records);
        run.cluster.kubernetes.delete(SERVICES, KEY);
        await run.cluster.quiet(10 * MINUTES);
        assert.deepEqual([loadBalancers(next).map(({ id }) => id), bindingsOf(next)], [['lb-shared', 'lb-other'], []]);
        await next.process.stop();
      });

  const ELSEWHERE = [
    ['owned', false],
    ['owned', true],
    ['reused', false],
  ] as const;
  for (const [use, isAway] of ELSEWHERE)
    it(`to a foreign load balancer, as ${use}, leaves that load balancer unchanged${isAway ? ', while no controller runs' : ''}`, async () => {
      const run = await serve();
      const other = () => loadBalancers(run).find(({ id }) => id === 'lb-other');
      const before = other();
      if (isAway) await run.process.stop();
      edit(run, { loadBalancer: null });
      edit(run, { loadBalancer: { id: 'lb-other', use } });
      const next = isAway ? start(run) : run;
      await run.cluster.quiet(AN_AUDIT_MS);
      assert.deepEqual(other(), before);
      run.cluster.kubernetes.delete(SERVICES, KEY);
      await run.cluster.quiet(10 * MINUTES);
      const left = loadBalancers(next).filter(({ id }) => id !== 'lb-shared');
      assert.deepEqual([left, run.cluster.service(), bindingsOf(next)], [[before], undefined, []]);
      await next.process.stop();
    });
});

describe('a binding that a user edits from reused to owned', () => {
  const REUSING = annotated({ id: 'lb-shared', 'force-override-listeners': 'true' });
  const CHANGED = ['False', 'LoadBalancerChangeNotSupported'];
  const REMOVED: Readonly<Record<string, Readonly<Record<string, null>>>> = {
    '': {},
    ' while the annotation id is removed': annotated({ id: null }),
  };
  for (const [also, removed] of Object.entries(REMOVED))
    for (const isAway of [false, true])
      it(`is corrected${also}${isAway ? ', while no controller runs' : ''}, and cleanup keeps the load balancer`, async () => {
        const run = await serve(REUSING);
        const [records, picture] = [recordsOf(run), cloudPicture(run.cluster.simulator)];
        if (isAway) await run.process.stop();
        run.cluster.kubernetes.patch(SERVICES, KEY, { metadata: { annotations: removed } });
        edit(run, { loadBalancer: { use: 'owned' } });
        const next = isAway ? start(run) : run;
        await run.cluster.quiet(AN_AUDIT_MS);
        assert.deepEqual(cloudPicture(run.cluster.simulator), picture);
        assert.deepEqual(statusAndReason(next), also === '' ? READY : CHANGED);
        const withoutDigest = (each: ReturnType<typeof recordsOf>) =>
          each.map(({ spec }) => omit(spec, 'syncedDigest'));
        assert.deepEqual(withoutDigest(recordsOf(next)), withoutDigest(records));
        run.cluster.kubernetes.delete(SERVICES, KEY);
        await run.cluster.quiet(10 * MINUTES);
        const left = loadBalancers(next).map(({ id, serverGroups }) => [id, serverGroups.length]);
        assert.deepEqual(left, [
          ['lb-shared', 0],
          ['lb-other', 0],
        ]);
        assert.deepEqual([run.cluster.service(), bindingsOf(next)], [undefined, []]);
        await next.process.stop();
      });
});

describe('a binding that this cluster did not write', () => {
  for (const [what, name] of [
    ['whose Service does not exist', 'gone'],
    ['that has the name of an existing Service', 'web'],
  ] as const)
    it(`and ${what} is never cleaned up`, async () => {
      const run = await serve();
      const since = callCount(run);
      const loadBalancer = { id: 'lb-other', use: 'owned' };
      run.cluster.kubernetes.put(LOAD_BALANCER_BINDINGS, {
        metadata: { name: ANOTHER_UID },
        spec: { service: { namespace: 'shop', name }, clusterUID: 'another-cluster', loadBalancer, syncedDigest: 'd' },
      });
      await run.cluster.quiet(AN_AUDIT_MS);
      const next = await restart(run);
      await run.cluster.quiet(AN_AUDIT_MS);
      assert.deepEqual([changes(next, since), bindingsOf(next).length, statusAndReason(next)], [[], 2, READY]);
      await next.process.stop();
    });
});

describe('labels of builds before the first release', () => {
  const FORGED = { 'portcullis.io/digest': 'd', 'portcullis.io/dirty': 'leaving', 'portcullis.io/uses': 'lb-other' };
  const obsoleteOf = ({ cluster }: Running): readonly string[] =>
    Object.keys(cluster.service()?.metadata.labels ?? {}).filter((label) => label.startsWith('portcullis.io/'));

  it('are not read, and the next write of the Service removes them', async () => {
    const run = await serve();
    const [since, writes] = [callCount(run), run.cluster.kubernetes.writes.length];
    await patch(run, { metadata: { labels: FORGED } });
    const next = await restart(run);
    await run.cluster.quiet(AN_AUDIT_MS);
    assert.deepEqual([changes(next, since), writesSince(next, writes)], [[], []]);
    await patch(next, { metadata: { annotations: annotated({ hostname: 'shop.example.com' }) } });
    assert.deepEqual([changes(next, since), obsoleteOf(next)], [[], []]);
    await next.process.stop();
  });

  it('do not prevent the cleanup of a Service that becomes ClusterIP', async () => {
    const run = await serve();
    await patch(run, { spec: { type: 'ClusterIP' }, metadata: { labels: FORGED } });
    await run.cluster.quiet(10 * MINUTES);
    assert.deepEqual([loadBalancers(run).length, bindingsOf(run), obsoleteOf(run)], [2, [], []]);
    await run.process.stop();
  });
});
