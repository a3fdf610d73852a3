import assert from 'node:assert/strict';
import { desire } from '../../../src/clb/desired.ts';
import { diff } from '../../../src/clb/diff.ts';
import { NOTHING_THERE, type Observed, type Present } from '../../../src/clb/state.ts';
import { SETTINGS } from '../../support/controller-process.ts';
import { aService } from '../../support/service.ts';

const FEWER = 500;

/** What a Service with so many TCP ports, from 1 on, asks for. */
function desiredBy(count: number) {
  const service = aService();
  const ports = Array.from({ length: count }, (_, at) => ({ port: at + 1, protocol: 'TCP', nodePort: 30_000 + at }));
  return desire({
    service: { ...service, spec: { ...service.spec, ports } },
    options: {},
    slices: [],
    nodes: { nodes: [], unresolved: [], virtual: new Set() },
    settings: SETTINGS,
  }) as Present;
}

/** How often the names of groups are looked at while a Service with so many ports is planned. */
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

describe('the plan for a Service with very many ports', () => {
  it('is no more work a port than that of one with half as many', () => {
    const [fewer, more] = [looksAt(FEWER), looksAt(2 * FEWER)];
    assert.ok(more <= 2.1 * fewer, `${fewer} looks become ${more}`);
  });

  /** What the load balancer has, made by people or by the Service, from the port `from` on. */
  const there = (count: number, from: number, description: string): Observed['listeners'] =>
    Array.from({ length: count }, (_, at) => ({ protocol: 'tcp', port: from + at, description, status: 'running' }));
  const OWN = 'k8s/1/web/shop/c1';
  const rows = {
    'as many as there is room for, of very many': { count: 3_000, listeners: [], made: 50 },
    'none that is in the place of people’s': { count: 60, listeners: there(20, 1_000, 'hers'), made: 30 },
    'those in the place of which others go': {
      count: 60,
      listeners: there(50, 1_000, OWN),
      made: 50,
    },
    'all where there are more than usual: the account has another quota': {
      count: 60,
      listeners: there(51, 1_000, 'hers'),
      made: 60,
    },
    'all where the rule only warns': { count: 60, listeners: [], made: 60, hasUsualQuota: false },
  };
  for (const [what, { count, listeners, made, ...said }] of Object.entries(rows))
    it(`has new listeners, each with its group, within the quota: ${what}`, () => {
      const desired = { ...desiredBy(count), hasUsualQuota: true, ...said };
      const { actions, withheld } = diff(desired, { ...NOTHING_THERE, listeners });
      const kinds = Map.groupBy(actions, ({ kind }) => kind);
      const counted = (['create-server-group', 'create-listener', 'start-listener'] as const).map(
        (kind) => kinds.get(kind)?.length ?? 0,
      );
      assert.deepEqual([counted, withheld.length], [[made, made, made], count - made]);
    });

  it('says of those beyond the quota which they are, in one sentence', () => {
    const { withheld } = diff({ ...desiredBy(3_000), hasUsualQuota: true }, NOTHING_THERE);
    const [reason, ...others] = new Set(withheld.map((each) => each.reason));
    assert.deepEqual(others, []);
    assert.match(
      reason ?? '',
      /at most 50 listeners, and there is no room for ports 51, 52, 53, 54, 55 and 2945 more;/,
    );
  });
});
