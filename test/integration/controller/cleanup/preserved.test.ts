import assert from 'node:assert/strict';
import { PortcullisError } from '../../../../src/base/errors.ts';
import { untagByHand } from '../../../support/user-changes.ts';
import { AN_AUDIT_MS } from '../../../support/simulated-cluster.ts';
import type { Hooks } from '../../../support/process-hooks.ts';
import {
  annotated,
  annotation,
  apply,
  events,
  loadBalancers,
  patch,
  running,
  type Running,
} from '../../../support/running-controller.ts';
import { AS_CLUSTER_IP, finalizersOf, remove } from '../../../support/service-changes.ts';

const KEEP = { 'preserve-lb-on-delete': 'true' };

const ENDS: Readonly<Record<string, (run: Running) => Promise<void>>> = {
  'is deleted': remove,
  'becomes ClusterIP': (run) => patch(run, AS_CLUSTER_IP),
};

/** Returns a cluster with a synced Service that preserves its load balancer. */
async function preserving(annotations: Readonly<Record<string, string>>, options?: Hooks): Promise<Running> {
  const run = await running(options);
  await apply(run, { annotations: annotated<string>({ ...KEEP, ...annotations }) });
  assert.ok(loadBalancers(run)[0]?.serverGroups[0]?.backends.length);
  return run;
}

function assertPreserved(run: Running): void {
  const kept = loadBalancers(run).map(({ tags, deleteProtection, listeners, serverGroups }) => ({
    ...{ tags, deleteProtection, listeners: listeners.length },
    backends: serverGroups.map(({ backends }) => backends),
  }));
  assert.deepEqual(kept, [{ tags: {}, deleteProtection: 'off', listeners: 1, backends: [[]] }]);
  assert.equal(events(run, 'PreservedOnDelete').length, 1);
  assert.deepEqual(finalizersOf(run), []);
}

/** How the annotations name the load balancer. With a changed name, only the tags prove the owner. */
const NAMES: Readonly<Record<string, (run: Running) => Readonly<Record<string, string>>>> = {
  'has the default name': () => ({}),
  'has another name': () => ({ name: 'kept' }),
  'is named by the annotation id': (run) => ({ id: loadBalancers(run)[0]?.id ?? '' }),
};
/** A preserved load balancer must keep its listeners and lose its backends, whose addresses other pods and machines get later. */
for (const [what, namesIn] of Object.entries(NAMES))
  describe(`a preserved load balancer that ${what}`, () => {
    for (const [title, end] of Object.entries(ENDS))
      it(`keeps its server groups without backends if the Service ${title}`, async () => {
        const run = await preserving({});
        await patch(run, { metadata: { annotations: annotated(namesIn(run)) } });
        await end(run);
        assertPreserved(run);
        await run.process.stop();
      });
  });

describe('a preserved load balancer', () => {
  for (const when of ['before', 'after'] as const)
    for (const [title, end] of Object.entries(ENDS))
      it(`is reported after a crash ${when} its tags are removed if the Service ${title}`, async () => {
        const run = await preserving({ name: 'kept' });
        await run.process.stop();
        const killed = run.cluster.start({
          onCall: async (action, at) => {
            if (action === 'UntagResources' && at === when) killed.kill();
          },
        });
        await end(run);
        assert.deepEqual(events(run, 'PreservedOnDelete'), []);
        const process = run.cluster.start();
        await run.cluster.quiet(5 * 60_000);
        assertPreserved(run);
        await process.stop();
      });

  it('is reported once if removing the finalizer needs a second reconcile', async () => {
    let isForbidden = true;
    const onWrite: Hooks['onWrite'] = async ({ patch: change }, when) => {
      const isFinal = JSON.stringify(change ?? {}).includes('$deleteFromPrimitiveList/finalizers');
      if (isForbidden && isFinal && when === 'before') throw new PortcullisError('Forbidden', 'forbidden');
    };
    const run = await preserving({ name: 'kept' }, { onWrite });
    await remove(run);
    assert.notEqual(run.cluster.service(), undefined);
    isForbidden = false;
    await run.cluster.quiet(10 * 60_000);
    assert.equal(run.cluster.service(), undefined);
    assert.deepEqual([events(run, 'PreservedOnDelete').length, run.cluster.binding()], [1, undefined]);
    await run.process.stop();
  });
});

describe('a preserved load balancer that lost its owner tag', () => {
  for (const [title, end] of Object.entries(ENDS))
    for (const restarts of [false, true])
      for (const isNamed of [false, true])
        it(`${isNamed ? 'and that the annotation id names ' : ''}keeps its listeners if the Service ${title}${restarts ? ', after a restart' : ''}`, async () => {
          const run = await preserving({ name: 'kept' });
          await untagByHand(run, loadBalancers(run)[0]?.id ?? '', 'kubernetes.do.not.delete');
          await run.cluster.quiet(AN_AUDIT_MS);
          if (isNamed)
            await patch(run, { metadata: { annotations: annotated({ id: loadBalancers(run)[0]?.id ?? '' }) } });
          if (restarts) await run.process.stop();
          const process = restarts ? run.cluster.start() : run.process;
          await end(run);
          await run.cluster.quiet(10 * 60_000);
          const kept = loadBalancers(run).map(({ tags, listeners, serverGroups }) => ({
            ...{ tags, listeners: listeners.length },
            backends: serverGroups.map(({ backends }) => backends),
          }));
          assert.deepEqual(kept, [{ tags: { 'ack.aliyun.com': 'c1' }, listeners: 1, backends: [[]] }]);
          assert.equal(events(run, 'PreservedOnDelete').length, 1);
          assert.deepEqual([finalizersOf(run), run.cluster.binding()], [[], undefined]);
          await process.stop();
        });
});

describe('the event of a Service that preserves its load balancer', () => {
  const KEY = annotation('preserve-lb-on-delete');
  const owned = { 'f:metadata': { 'f:annotations': { [`f:${KEY}`]: {} } } };
  const OWNERS: Readonly<Record<string, readonly [managedFields: object, isUndeclared: boolean]>> = {
    'reports that no manifest declares the annotation': [{ manager: 'helm', fieldsV1: { 'f:spec': {} } }, true],
    'reports no missing declaration if a client owns the annotation': [
      { manager: 'kubectl-annotate', fieldsV1: owned },
      false,
    ],
  };
  for (const [title, [owner, isUndeclared]] of Object.entries(OWNERS))
    it(title, async () => {
      const run = await preserving({});
      await patch(run, { metadata: { managedFields: [{ operation: 'Update', ...owner }] } });
      await remove(run);
      const [message = ''] = events(run, 'PreservedOnDelete');
      assert.equal(message.includes(`No manifest declares ${KEY}`), isUndeclared);
      await run.process.stop();
    });
});
