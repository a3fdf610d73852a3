import assert from 'node:assert/strict';
import { PortcullisError } from '../../../src/base/errors.ts';
import { LOAD_BALANCER_BINDINGS } from '../../../src/inventory/binding.ts';
import { bindingsOf, KINDS, READY, rejectDeletion, restart, SEED, serve, start } from '../../support/bindings.ts';
import { cloudPicture } from '../../support/cloud-picture.ts';
import { aCluster, AN_AUDIT_MS, keyOf, NODES, objectKey, SERVICES } from '../../support/simulated-cluster.ts';
import {
  apply,
  changes,
  deleteBinding,
  events,
  ingress,
  loadBalancers,
  messageOf,
  callCount,
  running,
  statusAndReason,
  writesSince,
  type Running,
} from '../../support/running-controller.ts';
import { aService } from '../../support/service.ts';

const KEY = keyOf(aService());
const ANOTHER_UID = '11111111-c2ae-4642-b033-5607860aef6a';
const MINUTES = 60_000;

/** Deletes the Service despite its finalizer. */
function vanish({ cluster }: Running): void {
  cluster.kubernetes.patch(SERVICES, KEY, { metadata: { finalizers: [] } });
  cluster.kubernetes.delete(SERVICES, KEY);
}

/** The binding is the only trace of a Service that vanished. Without it, the resources of the Service would stay and cost money. */
describe('a Service that vanishes without its finalizer', () => {
  for (const [what, annotations] of Object.entries(KINDS)) {
    /** Returns the state of the cloud after a deletion with the finalizer. */
    const leftByDeletion = async (): Promise<unknown> => {
      const run = await serve(annotations);
      run.cluster.kubernetes.delete(SERVICES, KEY);
      await run.cluster.quiet();
      await run.process.stop();
      return cloudPicture(run.cluster.simulator);
    };
    for (const isAway of [false, true])
      it(`and has ${what} is cleaned up from its binding${isAway ? ' by the next controller if no controller runs' : ''}`, async () => {
        const run = await serve(annotations);
        if (isAway) await run.process.stop();
        vanish(run);
        const next = isAway ? start(run) : run;
        await run.cluster.quiet(10 * MINUTES);
        assert.deepEqual([bindingsOf(next), cloudPicture(run.cluster.simulator)], [[], await leftByDeletion()]);
        assert.equal(events(next, 'CleanLoadBalancer').length, 1);
        await next.process.stop();
      });

    it(`and has ${what} is cleaned up before another Service of its name is synced`, async () => {
      const run = await serve(annotations);
      const forbidden = { effect: 'reject', code: 'Forbidden.RAM', status: 403, count: 'forever' };
      const actions = ['DeleteLoadBalancer', 'UntagResources', 'DeleteLoadBalancerListener'];
      run.cluster.simulator.faults(actions.map((action) => ({ action, ...forbidden })));
      vanish(run);
      run.cluster.kubernetes.put(SERVICES, aService({ uid: ANOTHER_UID, annotations }));
      const since = callCount(run);
      await run.cluster.quiet(5 * MINUTES);
      assert.deepEqual(
        changes(run, since).filter((action) => action.startsWith('Create')),
        [],
      );
      assert.equal(ingress(run), undefined);
      run.cluster.simulator.clearFaults();
      await run.cluster.quiet(30 * MINUTES);
      assert.deepEqual(
        [statusAndReason(run), bindingsOf(run).map(({ metadata }) => metadata.name)],
        [READY, [ANOTHER_UID]],
      );
      await run.process.stop();
    });
  }

  it('is cleaned up after a restart in the middle of the cleanup', async () => {
    const run = await serve();
    rejectDeletion(run);
    vanish(run);
    await run.cluster.quiet(500);
    assert.equal(bindingsOf(run)[0]?.spec.operation?.type, 'Cleanup');
    run.process.kill();
    run.cluster.simulator.clearFaults();
    const next = start(run);
    await run.cluster.quiet(10 * MINUTES);
    assert.deepEqual([bindingsOf(next), loadBalancers(next).length], [[], 2]);
    await next.process.stop();
  });

  it('leaves nothing to clean up if it never had resources', async () => {
    const run = await running({}, SEED);
    await apply(run, { type: 'ClusterIP' });
    const since = callCount(run);
    vanish(run);
    await run.cluster.quiet();
    assert.deepEqual([bindingsOf(run), callCount(run)], [[], since]);
    await run.process.stop();
  });
});

describe('the writes of a controller', () => {
  const BINDING = 'loadbalancerbindings';
  const rows: Readonly<
    Record<string, readonly [before: (run: Running) => Promise<void>, act: (run: Running) => void, writes: string[]]>
  > = {
    'that creates a load balancer are four': [
      async () => undefined,
      ({ cluster }) => void cluster.kubernetes.put(SERVICES, aService()),
      [`create ${BINDING}`, 'patch services', `patch ${BINDING}`, 'patch services status'],
    ],
    'that changes backends are two, of the binding only': [
      apply,
      ({ cluster }) => cluster.kubernetes.delete(NODES, objectKey('n3')),
      [`patch ${BINDING}`, `patch ${BINDING}`],
    ],
    'that has nothing to do are none': [apply, () => undefined, []],
    'that cleans up are four': [
      apply,
      ({ cluster }) => cluster.kubernetes.delete(SERVICES, KEY),
      [`patch ${BINDING}`, 'patch services status', 'patch services', `delete ${BINDING}`],
    ],
  };
  for (const [what, [before, act, expected]] of Object.entries(rows))
    it(what, async () => {
      const run = await running({}, SEED);
      await before(run);
      const next = await restart(run);
      await run.cluster.quiet();
      const since = run.cluster.kubernetes.writes.length;
      act(next);
      await run.cluster.quiet(AN_AUDIT_MS);
      assert.deepEqual(writesSince(next, since), expected);
      await next.process.stop();
    });
});

describe('a controller without the CustomResourceDefinition of bindings', () => {
  const missing = (cluster: Running['cluster']): Running & { readonly install: () => void } => {
    let isMissing = true;
    const process = cluster.start({
      onWrite: async ({ plural }, when) => {
        if (isMissing && when === 'before' && plural === LOAD_BALANCER_BINDINGS.plural)
          throw new PortcullisError('NotFound', 'the server could not find the requested resource');
      },
    });
    return { cluster, process, install: () => (isMissing = false) };
  };

  it('creates nothing, reports the cause, and continues after the definition is installed', async () => {
    const run = missing(aCluster());
    await apply(run);
    assert.deepEqual([changes(run), statusAndReason(run)[0]], [[], 'False']);
    assert.match(messageOf(run), /CustomResourceDefinition loadbalancerbindings\.portcullis\.io is not installed/);
    run.install();
    await run.cluster.quiet(10 * MINUTES);
    assert.deepEqual(statusAndReason(run), READY);
    await run.process.stop();
  });

  it('deletes nothing, and keeps the Service until the definition is installed', async () => {
    const previous = await serve();
    await previous.process.stop();
    deleteBinding(previous);
    const { process, install } = missing(previous.cluster);
    previous.cluster.kubernetes.delete(SERVICES, KEY);
    const since = callCount(previous);
    await previous.cluster.quiet(10 * MINUTES);
    assert.deepEqual([changes(previous, since), previous.cluster.service()?.metadata.name], [[], 'web']);
    install();
    await previous.cluster.quiet(30 * MINUTES);
    assert.deepEqual([loadBalancers(previous).length, previous.cluster.service()], [2, undefined]);
    await process.stop();
  });
});
