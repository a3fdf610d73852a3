import assert from 'node:assert/strict';
import { buildDesired } from '../../../src/clb/desired/build.ts';
import { diff } from '../../../src/clb/diff/diff.ts';
import type { DesiredListener } from '../../../src/clb/model/listener.ts';
import { NOTHING_THERE, type Observed, type Present } from '../../../src/clb/model/desired-and-observed-state.ts';
import { SETTINGS } from '../../support/simulated-controller.ts';
import { aService } from '../../support/service.ts';

/** The number of ports of a plan whose costs are compared with the costs of a plan for twice as many ports. */
const FEWER = 500;

/** Returns the desired state of a Service with the TCP ports from 1 to `count`. */
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

/** Returns how often a plan for `count` ports reads the names of server groups, as a measure of its costs. */
function readsOfNames(count: number): number {
  const desired = desiredBy(count);
  let reads = 0;
  const groups = desired.groups.map((group) =>
    Object.defineProperty({ ...group }, 'name', { enumerable: true, get: () => ((reads += 1), group.name) }),
  );
  const { actions } = diff({ ...desired, groups }, NOTHING_THERE);
  assert.equal(actions.filter(({ kind }) => kind === 'create-listener').length, count);
  return reads;
}

/** A tenant can write thousands of ports, for which the costs of a quadratic plan would stop the controller for all tenants. */
describe('the plan for a Service with very many ports', () => {
  it('needs no more steps per port than a plan for half as many ports', () => {
    const [fewer, more] = [readsOfNames(FEWER), readsOfNames(2 * FEWER)];
    assert.ok(more <= 2.1 * fewer, `${fewer} reads become ${more}`);
  });

  /** Returns `count` existing listeners with consecutive ports. The description shows whether a user or the Service owns them. */
  const existing = (count: number, from: number, description: string): Observed['listeners'] =>
    Array.from({ length: count }, (_, at) => ({ protocol: 'tcp', port: from + at, description, status: 'running' }));
  const OWN = 'k8s/1/web/shop/c1';
  const rows = {
    'creates 50 of 3000 listeners': { count: 3_000, listeners: [], made: 50 },
    'creates 30 listeners next to 20 listeners of a user': {
      count: 60,
      listeners: existing(20, 1_000, 'hers'),
      made: 30,
    },
    'creates 50 listeners after it deletes 50': {
      count: 60,
      listeners: existing(50, 1_000, OWN),
      made: 50,
    },
    'creates all listeners if more than 50 exist, because the account has another quota': {
      count: 60,
      listeners: existing(51, 1_000, 'hers'),
      made: 60,
    },
    'creates all listeners if the rule listener-quota only warns': {
      count: 60,
      listeners: [],
      made: 60,
      hasUsualQuota: false,
    },
  };
  for (const [title, { count, listeners, made, ...input }] of Object.entries(rows))
    it(title, () => {
      const desired = { ...desiredBy(count), hasUsualQuota: true, ...input };
      const { actions, blocked } = diff(desired, { ...NOTHING_THERE, listeners });
      const kinds = Map.groupBy(actions, ({ kind }) => kind);
      const counted = (['create-server-group', 'create-listener', 'start-listener'] as const).map(
        (kind) => kinds.get(kind)?.length ?? 0,
      );
      assert.deepEqual([counted, blocked.length], [[made, made, made], count - made]);
    });

  /** Returns the creations and deletions of listeners in order, for example `3 delete-listener`, `5 create-listener`. */
  const order = (desired: Present, listeners: Observed['listeners']): readonly string[] => {
    const { actions } = diff(desired, { ...NOTHING_THERE, listeners });
    const kinds = actions.map(({ kind }) => kind).filter((kind) => /^(?:create|delete)-listener$/.test(kind));
    return kinds.flatMap((kind, at) => {
      const next = kinds.findIndex((other, later) => later > at && other !== kind);
      return kinds[at - 1] === kind ? [] : [`${String((next < 0 ? kinds.length : next) - at)} ${kind}`];
    });
  };
  const orders: Readonly<
    Record<string, readonly [existing: number, hasUsualQuota: boolean, order: readonly string[]]>
  > = {
    'creates listeners before it deletes obsolete listeners if all fit into the quota': [
      45,
      true,
      ['5 create-listener', '45 delete-listener'],
    ],
    'first deletes as many listeners as would exceed the quota': [
      48,
      true,
      ['3 delete-listener', '5 create-listener', '45 delete-listener'],
    ],
    'creates listeners before it deletes obsolete listeners if more than 50 exist': [
      51,
      true,
      ['5 create-listener', '51 delete-listener'],
    ],
    'creates listeners before it deletes obsolete listeners if listener-quota only warns': [
      50,
      false,
      ['5 create-listener', '50 delete-listener'],
    ],
  };
  for (const [title, [count, hasUsualQuota, expected]] of Object.entries(orders))
    it(title, () => assert.deepEqual(order({ ...desiredBy(5), hasUsualQuota }, existing(count, 1_000, OWN)), expected));

  it('deletes a listener with a redirect before the listener to which it redirects', () => {
    const [first, ...others] = desiredBy(50).listeners;
    const listeners = [{ ...first, protocol: 'http' } as DesiredListener, ...others];
    const forwarder = { protocol: 'http', port: 1, listenerForward: 'on', forwardPort: 443, description: OWN } as const;
    const target = { protocol: 'https', port: 443, description: OWN } as const;
    const has = [
      { ...target, status: 'running' },
      { ...forwarder, status: 'running' },
      ...existing(48, 2, OWN),
    ] as const;
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
