import assert from 'node:assert/strict';
import { buildDesired } from '../../../src/clb/desired/build.ts';
import { diff } from '../../../src/clb/diff/diff.ts';
import type { DesiredListener } from '../../../src/clb/model/listener.ts';
import { NOTHING_THERE, type Observed, type Present } from '../../../src/clb/model/state.ts';
import { SETTINGS } from '../../support/controller-process.ts';
import { aService } from '../../support/service.ts';

const FEWER = 500;

/** Returns the desired state of a Service with `count` TCP ports, from 1 on. */
function desiredBy(count: number) {
  const service = aService();
  const ports = Array.from({ length: count }, (_, at) => ({ port: at + 1, protocol: 'TCP', nodePort: 30_000 + at }));
  return buildDesired({
    service: { ...service, spec: { ...service.spec, ports } },
    options: {},
    slices: [],
    nodes: { nodes: [], unresolved: [], virtual: new Set() },
    settings: SETTINGS,
  }) as Present;
}

/** Returns the number of reads of group names during a plan for `count` ports. */
function looksAt(count: number): number {
  const desired = desiredBy(count);
  let looks = 0;
  const groups = desired.groups.map((group) =>
    Object.defineProperty({ ...group }, 'name', { enumerable: true, get: () => ((looks += 1), group.name) }),
  );
  const { actions } = diff({ ...desired, groups }, NOTHING_THERE);
  assert.equal(actions.filter(({ kind }) => kind === 'create-listener').length, count);
  return looks;
}

/** A tenant can write thousands of ports. With a quadratic plan, the controller would stop for all tenants. */
describe('the plan for a Service with very many ports', () => {
  it('costs no more per port than a plan for half as many', () => {
    const [fewer, more] = [looksAt(FEWER), looksAt(2 * FEWER)];
    assert.ok(more <= 2.1 * fewer, `${fewer} looks become ${more}`);
  });

  /** Returns listeners of a user or of the Service, from port `from` on. */
  const there = (count: number, from: number, description: string): Observed['listeners'] =>
    Array.from({ length: count }, (_, at) => ({ protocol: 'tcp', port: from + at, description, status: 'running' }));
  const OWN = 'k8s/1/web/shop/c1';
  const rows = {
    'up to the quota, of very many': { count: 3_000, listeners: [], made: 50 },
    "none for a port of a user's listener": { count: 60, listeners: there(20, 1_000, 'hers'), made: 30 },
    'those with the ports of deleted listeners': {
      count: 60,
      listeners: there(50, 1_000, OWN),
      made: 50,
    },
    'all with more than the usual number, because the account has another quota': {
      count: 60,
      listeners: there(51, 1_000, 'hers'),
      made: 60,
    },
    'all if the rule only warns': { count: 60, listeners: [], made: 60, hasUsualQuota: false },
  };
  for (const [what, { count, listeners, made, ...input }] of Object.entries(rows))
    it(`creates listeners, each with its group, within the quota: ${what}`, () => {
      const desired = { ...desiredBy(count), hasUsualQuota: true, ...input };
      const { actions, blocked } = diff(desired, { ...NOTHING_THERE, listeners });
      const kinds = Map.groupBy(actions, ({ kind }) => kind);
      const counted = (['create-server-group', 'create-listener', 'start-listener'] as const).map(
        (kind) => kinds.get(kind)?.length ?? 0,
      );
      assert.deepEqual([counted, blocked.length], [[made, made, made], count - made]);
    });

  /** Returns the kinds of listener actions in order, each with the number of its consecutive actions. */
  const order = (desired: Present, listeners: Observed['listeners']): readonly string[] => {
    const { actions } = diff(desired, { ...NOTHING_THERE, listeners });
    const kinds = actions.map(({ kind }) => kind).filter((kind) => /^(?:create|delete)-listener$/.test(kind));
    return kinds.flatMap((kind, at) => {
      const next = kinds.findIndex((other, later) => later > at && other !== kind);
      return kinds[at - 1] === kind ? [] : [`${String((next < 0 ? kinds.length : next) - at)} ${kind}`];
    });
  };
  const orders: Readonly<Record<string, readonly [there: number, hasUsualQuota: boolean, order: readonly string[]]>> = {
    'none within the quota': [45, true, ['5 create-listener', '45 delete-listener']],
    'as many as exceed the quota': [48, true, ['3 delete-listener', '5 create-listener', '45 delete-listener']],
    'none with more than the usual number': [51, true, ['5 create-listener', '51 delete-listener']],
    'none if the rule only warns': [50, false, ['5 create-listener', '50 delete-listener']],
  };
  for (const [what, [count, hasUsualQuota, expected]] of Object.entries(orders))
    it(`deletes listeners before it creates new listeners: ${what}`, () =>
      assert.deepEqual(order({ ...desiredBy(5), hasUsualQuota }, there(count, 1_000, OWN)), expected));

  it('deletes the target of a redirect only after the listener with the redirect', () => {
    const [first, ...others] = desiredBy(50).listeners;
    const listeners = [{ ...first, protocol: 'http' } as DesiredListener, ...others];
    const forwarder = { protocol: 'http', port: 1, listenerForward: 'on', forwardPort: 443, description: OWN } as const;
    const target = { protocol: 'https', port: 443, description: OWN } as const;
    const has = [{ ...target, status: 'running' }, { ...forwarder, status: 'running' }, ...there(48, 2, OWN)] as const;
    const { actions } = diff(
      { ...desiredBy(50), listeners, hasUsualQuota: true },
      { ...NOTHING_THERE, listeners: has },
    );
    const changed = actions.flatMap((action) =>
      action.kind === 'create-listener' || action.kind === 'delete-listener'
        ? [`${action.kind} ${String(action.listener.port)}`]
        : [],
    );
    assert.deepEqual(changed, ['delete-listener 1', 'delete-listener 443', 'create-listener 50', 'create-listener 1']);
  });

  it('lists all ports beyond the quota in a single message', () => {
    const { blocked } = diff({ ...desiredBy(3_000), hasUsualQuota: true }, NOTHING_THERE);
    const [reason, ...others] = new Set(blocked.map((each) => each.reason));
    assert.deepEqual(others, []);
    assert.match(reason ?? '', /at most 50 listeners, so ports 51, 52, 53, 54, 55 and 2945 more get no listener;/);
  });
});
