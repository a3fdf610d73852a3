import assert from 'node:assert/strict';
import { CLASSIC_LOAD_BALANCERS } from '../../../src/inventory/custom-resources.ts';
import { keyOf, objectKey, SERVICES } from '../../support/simulated-cluster.ts';
import type { ProcessOptions } from '../../support/simulated-controller.ts';
import { PortcullisError } from '../../../src/base/errors.ts';
import {
  annotation,
  apply,
  changes,
  ingress,
  loadBalancers,
  messageOf,
  callCount,
  patch,
  running,
  statusAndReason,
  type Running,
} from '../../support/running-controller.ts';
import { aService } from '../../support/service.ts';

const REUSING = { [annotation('id')]: 'lb-shared', [annotation('force-override-listeners')]: 'true' };
const SEED = {
  loadBalancers: [{ id: 'lb-shared', address: '47.1.1.1', listeners: [{ port: 22, protocol: 'tcp' as const }] }],
};
const SECOND = { name: 'api', uid: '00000000-0000-4000-8000-000000000002', annotations: REUSING };
/** Milliseconds. Less than the interval between two inventory passes. */
const MOMENT_MS = 15_000;

const start = (options: Partial<ProcessOptions> = {}): Promise<Running> =>
  running({ controllers: ['service', 'inventory'], ...options }, SEED);
const listeners = ({ cluster }: Running) =>
  cluster.kubernetes.get(CLASSIC_LOAD_BALANCERS, objectKey('lb-shared'))?.status?.listeners;
const ports = (run: Running) => listeners(run)?.map(({ port }) => port);
const shownPorts = ({ cluster }: Running) =>
  cluster.kubernetes.get(CLASSIC_LOAD_BALANCERS, objectKey('lb-shared'))?.status?.ports;
const owners = (run: Running) => listeners(run)?.map(({ service }) => service);
const inventoryWrites = ({ cluster }: Running) =>
  cluster.kubernetes.writes.filter(({ plural }) => plural === 'classicloadbalancers');
const remove = async ({ cluster }: Running): Promise<void> => {
  cluster.kubernetes.delete(SERVICES, keyOf(aService()));
  await cluster.quiet(MOMENT_MS);
};
const inventoryCalls = ({ cluster }: Running): number =>
  cluster.simulator.journal().filter(({ userAgent }) => userAgent === 'portcullis-inventory').length;

/** Rules read the inventory. If it lagged behind, a Service could not be deleted and created again within seconds. */
describe('the inventory object of a user-managed load balancer', () => {
  it('shows no listener of a deleted Service, which can be created again at once', async () => {
    const run = await start();
    await apply(run, { annotations: REUSING });
    assert.deepEqual(ports(run), [22, 80]);
    assert.deepEqual(owners(run), [undefined, 'shop/web']);
    const [calls, writes] = [inventoryCalls(run), inventoryWrites(run).length];
    await remove(run);
    assert.equal(run.cluster.service(), undefined);
    assert.equal(shownPorts(run), 'tcp/22');
    assert.deepEqual([ports(run), inventoryCalls(run), inventoryWrites(run).length], [[22], calls, writes + 1]);
    run.cluster.kubernetes.put(SERVICES, aService({ annotations: REUSING }));
    await run.cluster.quiet(MOMENT_MS);
    assert.deepEqual(ingress(run), [{ ip: '47.1.1.1' }]);
    await run.process.stop();
  });

  it('is corrected before the finalizer is removed', async () => {
    const run = await start();
    await apply(run, { annotations: REUSING });
    const since = run.cluster.kubernetes.writes.length;
    await remove(run);
    const writes = run.cluster.kubernetes.writes.slice(since).map(({ plural }) => plural);
    const [binding, ...others] = writes;
    assert.equal(binding, 'loadbalancerbindings');
    assert.deepEqual(others, ['classicloadbalancers', 'services', 'services', 'loadbalancerbindings']);
    await run.process.stop();
  });

  it('shows no listener of a removed port, which another Service can use at once', async () => {
    const run = await start();
    await apply(run, { annotations: REUSING, ports: [80, 443] });
    run.cluster.kubernetes.patch(SERVICES, keyOf(aService()), { spec: aService({ ports: [443] }).spec as object });
    await run.cluster.quiet(MOMENT_MS);
    assert.deepEqual(ports(run), [22, 443]);
    run.cluster.kubernetes.put(SERVICES, aService({ ...SECOND, ports: [80] }));
    await run.cluster.quiet(MOMENT_MS);
    assert.deepEqual(ingress(run, 'api'), [{ ip: '47.1.1.1' }]);
    await run.process.stop();
  });

  it('is corrected by the next process if the first is killed after deleting a listener', async () => {
    const run = await start();
    await apply(run, { annotations: REUSING });
    await run.process.stop();
    const killed = run.cluster.start({
      onCall: async (action, when) => {
        if (action === 'DeleteLoadBalancerListener' && when === 'after') killed.kill();
      },
    });
    await remove(run);
    assert.deepEqual([ports(run), loadBalancers(run)[0]?.listeners.length], [[22, 80], 1]);
    const next = run.cluster.start();
    // Waits until no started work can take effect any more.
    await run.cluster.quiet(2 * 60_000);
    assert.deepEqual([run.cluster.service(), ports(run)], [undefined, [22]]);
    await next.stop();
  });

  it('shows no listener of a deleted Service that no longer managed its listeners', async () => {
    const run = await start();
    await apply(run, { annotations: REUSING });
    await patch(run, { metadata: { annotations: { [annotation('force-override-listeners')]: null } } });
    await remove(run);
    assert.deepEqual([ports(run), run.cluster.service()], [[22], undefined]);
    await run.process.stop();
  });

  it('does not block the deletion of a Service if it cannot be written', async () => {
    let isOpen = true;
    const run = await start({
      onWrite: async ({ plural }) => {
        if (!isOpen && plural === 'classicloadbalancers') throw new PortcullisError('Forbidden', 'not allowed');
      },
    });
    await apply(run, { annotations: REUSING });
    isOpen = false;
    await remove(run);
    assert.deepEqual([run.cluster.service(), ports(run)], [undefined, [22, 80]]);
    await run.process.stop();
  });
});

/** Returns a Service whose load balancer is created between two inventory passes. */
async function betweenPasses(options: Partial<ProcessOptions> = {}): Promise<{ run: Running; id: string }> {
  const run = await start(options);
  await run.cluster.quiet(MOMENT_MS);
  run.cluster.kubernetes.put(SERVICES, aService());
  await run.cluster.quiet(MOMENT_MS);
  const [created] = loadBalancers(run).filter(({ id }) => id !== 'lb-shared');
  return { run, id: created?.id ?? '' };
}

describe('a load balancer that the controller creates', () => {
  const stored = ({ cluster }: Running, id: string) => cluster.kubernetes.get(CLASSIC_LOAD_BALANCERS, objectKey(id));

  it('is in the inventory at once, with the same content as after a pass over the region', async () => {
    const { run, id } = await betweenPasses();
    const { status } = stored(run, id) ?? {};
    assert.deepEqual(
      [status?.owner, status?.service, status?.address],
      ['this-cluster', 'shop/web', ingress(run)?.[0]?.ip],
    );
    await run.cluster.quiet(3 * 60_000);
    assert.deepEqual({ ...stored(run, id)?.status, resourceGroupId: '' }, status);
    await run.process.stop();
  });

  it('stays in the inventory if the list of the region does not show it yet', async () => {
    const { run, id } = await betweenPasses();
    const uid = stored(run, id)?.metadata.uid;
    run.cluster.simulator.changeSettings({ listLagMs: 90_000 });
    await run.cluster.quiet(60_000);
    assert.equal(stored(run, id)?.metadata.uid, uid);
    await run.process.stop();
  });

  it('is served if the inventory cannot be written', async () => {
    const { run } = await betweenPasses({
      onWrite: async ({ plural, verb }) => {
        if (plural === 'classicloadbalancers' && verb === 'create')
          throw new PortcullisError('Forbidden', 'not allowed');
      },
    });
    assert.equal(statusAndReason(run)[0], 'True');
    await run.process.stop();
  });

  const MISSING: Readonly<Record<string, Partial<ProcessOptions>>> = {
    'with a stored inventory object': {},
    'without a stored inventory object': {
      onWrite: async ({ plural, verb }) => {
        if (plural === 'classicloadbalancers' && verb === 'create')
          throw new PortcullisError('Forbidden', 'not allowed');
      },
    },
  };
  for (const [what, options] of Object.entries(MISSING))
    it(`${what} is reported as gone if it is deleted before the next pass over the region`, async () => {
      const { run, id } = await betweenPasses(options);
      run.cluster.simulator.seed({ remove: [id] });
      await run.cluster.quiet(3 * 60_000);
      assert.deepEqual(statusAndReason(run), ['False', 'LoadBalancerNotFound']);
      const since = callCount(run);
      await run.cluster.quiet(4 * 60_000);
      const lookups = run.cluster.calls(since).filter((action) => action === 'DescribeLoadBalancerAttribute');
      assert.ok(lookups.length <= 1, `${lookups.length} look-ups`);
      await run.process.stop();
    });

  it('is replaced if it no longer exists when the status is cleared', async () => {
    const { run, id } = await betweenPasses();
    const address = ingress(run)?.[0]?.ip;
    run.cluster.simulator.seed({ remove: [id] });
    run.cluster.kubernetes.patch(SERVICES, keyOf(aService()), { status: { loadBalancer: null } });
    const published: unknown[] = [];
    for (let step = 0; step < 36; step += 1) {
      await run.cluster.quiet(5000);
      published.push(...(ingress(run) ?? []).map(({ ip }) => ip));
    }
    assert.equal(published.includes(address), false);
    assert.deepEqual([published.length > 0, statusAndReason(run)[0]], [true, 'True']);
    await run.process.stop();
  });

  it('is published again if it still exists when the status is cleared', async () => {
    const { run } = await betweenPasses();
    const before = ingress(run);
    const since = callCount(run);
    run.cluster.kubernetes.patch(SERVICES, keyOf(aService()), { status: { loadBalancer: null } });
    await run.cluster.quiet(MOMENT_MS);
    assert.deepEqual([ingress(run), changes(run, since)], [before, []]);
    await run.process.stop();
  });
});

describe('a load balancer that disappears from the inventory', () => {
  const ROWS = { 'that is owned by a Service': {}, 'that a Service names': REUSING };
  for (const [which, annotations] of Object.entries(ROWS))
    it(`${which} is reported as gone with the next pass over the region`, async () => {
      const run = await start();
      await apply(run, { annotations });
      await run.cluster.quiet(3 * 60_000);
      const id = run.cluster.service()?.metadata.labels?.['service.k8s.alibaba/loadbalancer-id'] ?? '';
      run.cluster.simulator.seed({ remove: [id] });
      await run.cluster.quiet(3 * 60_000);
      assert.equal(statusAndReason(run)[0], 'False');
      assert.match(messageOf(run), /the load balancer was deleted/);
      await run.process.stop();
    });
});
