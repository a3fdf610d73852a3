import assert from 'node:assert/strict';
import { RouteApplier } from '../../../../src/route/apply.ts';
import { PortcullisError } from '../../../../src/base/errors.ts';
import type { RouteAction } from '../../../../src/route/action.ts';
import type { RouteApi } from '../../../../src/route/route-api.ts';
import { VirtualClock } from '../../../support/virtual-clock.ts';

const never = new AbortController().signal;
const SECOND = 1_000;

type Creation = Extract<RouteAction, { readonly kind: 'create-routes' }>['routes'][number];

const creation = (node: string): Creation => ({
  ...{ tableId: 'vtb-1', destination: node, instanceId: `i-${node}` },
  ...{ node, description: '' },
});

/** Creates a cloud that rejects every call with a destination in `spoilers`. `pass` plans and applies the missing routes of `nodes` once. */
function cloudWithout(spoilers: readonly string[], nodes: readonly string[]) {
  const clock = new VirtualClock(0);
  const made = new Set<string>();
  const calls: (readonly string[])[] = [];
  const createEntries: RouteApi['createEntries'] = async (routes) => {
    const destinations = routes.map(({ destination }) => destination);
    calls.push(destinations);
    if (destinations.some((destination) => spoilers.includes(destination)))
      throw new PortcullisError('Rejected', 'it lies in a vSwitch', { code: 'InvalidCidrBlock' });
    for (const destination of destinations) made.add(destination);
    return [];
  };
  const api: RouteApi = {
    createEntries,
    listTables: async () => [],
    listEntries: async () => [],
    deleteEntries: async () => [],
    modifyEntry: async () => undefined,
  };
  const tables = { changed: () => undefined } as unknown as ConstructorParameters<typeof RouteApplier>[1];
  const applier = new RouteApplier(api, tables, clock, () => undefined);
  const pass = () => {
    const due = nodes.filter((node) => !made.has(node)).map(creation);
    const actions = Array.from({ length: Math.ceil(due.length / 50) }, (_, index): RouteAction => ({
      kind: 'create-routes',
      routes: due.slice(index * 50, index * 50 + 50),
    }));
    return clock.complete(applier.apply(actions, never));
  };
  return { clock, made, calls, pass, applier };
}

const named = (prefix: string, count: number): readonly string[] =>
  Array.from({ length: count }, (_, index) => `${prefix}${index}`);

/** The cloud rejects a whole batch for one wrong route, so the wrong route must be found. */
describe('routes that cause the rejection of whole calls', () => {
  // The passes after which all good routes exist. For 3,000 bad routes, only the first pass is tested.
  for (const [bad, passes] of [
    [21, 2],
    [100, 6],
    [3_000, 1],
  ] as const)
    it(`do not delay newer routes, although ${bad} such routes exist`, async () => {
      const spoilers = named('bad', bad);
      const good = named('good', 60);
      const { made, pass } = cloudWithout(spoilers, [...spoilers, ...good]);
      await pass();
      // Routes that share no call with rejected routes are created in the first reconcile.
      assert.ok(good.slice(-10).every((node) => made.has(node)));
      for (let nth = 2; nth <= passes; nth += 1) await pass();
      assert.ok(bad === 3_000 || made.size === good.length, `${made.size} of ${good.length} after ${passes} passes`);
    });

  it('are identified in the end, however many exist', async () => {
    const spoilers = named('bad', 400);
    const { made, pass } = cloudWithout(spoilers, [...spoilers.flatMap((bad, index) => [bad, `good${index}`])]);
    let passes = 0;
    while (made.size < 400 && (passes += 1) < 60) await pass();
    assert.ok(passes < 60, `${made.size} of 400 are made`);
  });

  it('are retried alone after five minutes, and reported in the meantime', async () => {
    const { clock, calls, pass, applier } = cloudWithout(['bad'], ['bad', 'good']);
    const first = await pass();
    assert.deepEqual(
      first.failures.map(({ destination }) => destination),
      ['bad'],
    );
    const before = calls.length;
    assert.equal((await pass()).failures.length, 1);
    assert.equal(calls.length, before);
    assert.ok(applier.retriesInMs > 0);
    await clock.advance(301 * SECOND);
    await pass();
    assert.deepEqual(calls.at(-1), ['bad']);
    assert.equal(calls.length, before + 1);
  });

  it('are retried at once if their Node changes', async () => {
    const { calls, pass, applier } = cloudWithout(['bad'], ['bad']);
    await pass();
    applier.retry(new Set(['bad']));
    await pass();
    assert.equal(calls.length, 2);
  });

  it('are dropped when no Node needs them', async () => {
    const { pass, applier } = cloudWithout(['bad'], ['bad']);
    await pass();
    await applier.apply([], never);
    assert.equal(applier.retriesInMs, Infinity);
  });
});

describe('a route to the wrong instance', () => {
  const modification: RouteAction = {
    ...{ kind: 'switch-route', tableId: 'vtb-1', entryId: 'rte-1', destination: '172.20.1.0/24' },
    ...{ from: 'i-old', to: 'i-new', node: 'n1', description: 'ours' },
  };
  const denied = (action: string) =>
    new PortcullisError('Forbidden', `permission vpc:${action} is missing`, { code: 'Forbidden.RAM' });

  function cloudThatForbids(forbidden: ReadonlySet<string>, rejection: (action: string) => PortcullisError = denied) {
    const clock = new VirtualClock(0);
    const calls: string[] = [];
    const call = (action: string, result: string): readonly [] => {
      calls.push(result);
      if (forbidden.has(action)) throw rejection(action);
      return [];
    };
    const api: RouteApi = {
      listTables: async () => [],
      listEntries: async () => [],
      createEntries: async (routes) =>
        call(
          'CreateRouteEntries',
          `create ${routes.map(({ destination, instanceId }) => `${destination} ${instanceId}`).join()}`,
        ),
      deleteEntries: async (routes) =>
        call(
          'DeleteRouteEntries',
          `delete ${routes.map(({ destination, instanceId }) => `${destination} ${instanceId}`).join()}`,
        ),
      modifyEntry: async (id) => void call('ModifyRouteEntry', `modify ${id}`),
    };
    const tables = { changed: () => undefined } as unknown as ConstructorParameters<typeof RouteApplier>[1];
    return { clock, calls, applier: new RouteApplier(api, tables, clock, () => undefined) };
  }

  it('is replaced by a new route if the permission to change it is missing, which is reported', async () => {
    const { clock, calls, applier } = cloudThatForbids(new Set(['ModifyRouteEntry']));
    const { failures, denied: reported } = await clock.complete(applier.apply([modification, modification], never));
    assert.deepEqual(calls, [
      'modify rte-1',
      ...['delete 172.20.1.0/24 i-old', 'create 172.20.1.0/24 i-new'],
      ...['delete 172.20.1.0/24 i-old', 'create 172.20.1.0/24 i-new'],
    ]);
    assert.deepEqual(failures, []);
    assert.deepEqual([...reported.keys()], ['switch-route']);
  });

  it('is replaced by a new route if the cloud rejects the change, which is not retried at once', async () => {
    const rejected = () => new PortcullisError('Rejected', 'not supported', { code: 'OperationUnsupported' });
    const { clock, calls, applier } = cloudThatForbids(new Set(['ModifyRouteEntry']), rejected);
    const { failures } = await clock.complete(applier.apply([modification], never));
    assert.deepEqual(calls, ['modify rte-1', 'delete 172.20.1.0/24 i-old', 'create 172.20.1.0/24 i-new']);
    assert.deepEqual(failures, []);
    assert.deepEqual(applier.dueOf([modification]), []);
  });

  it('stays if the wanted instance cannot be a next hop', async () => {
    const rejected = () => new PortcullisError('Rejected', 'not in the VPC', { code: 'InvalidNextHop.NotFound' });
    const { clock, calls, applier } = cloudThatForbids(new Set(['ModifyRouteEntry']), rejected);
    const { failures } = await clock.complete(applier.apply([modification], never));
    assert.deepEqual(calls, ['modify rte-1']);
    assert.equal(failures.length, 1);
  });

  it('stays if the permissions to modify and to create routes are missing', async () => {
    const { clock, calls, applier } = cloudThatForbids(new Set(['ModifyRouteEntry', 'CreateRouteEntries']));
    const create: RouteAction = { kind: 'create-routes', routes: [creation('other')] };
    const { failures } = await clock.complete(applier.apply([create, modification], never));
    assert.deepEqual(calls, ['create other i-other', 'modify rte-1']);
    assert.deepEqual(
      failures.map(({ isDenied }) => isDenied),
      [true, true],
    );
  });
});
