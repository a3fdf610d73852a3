import assert from 'node:assert/strict';
import { desire } from '../../../src/clb/desired.ts';
import { diff } from '../../../src/clb/diff.ts';
import { NOTHING_THERE } from '../../../src/clb/state.ts';
import { SETTINGS } from '../../support/controller-process.ts';
import { aService } from '../../support/service.ts';

const FEWER = 500;

/** How often the names of groups are looked at while a Service with so many ports is planned. */
function looksAt(count: number): number {
  const service = aService();
  const ports = Array.from({ length: count }, (_, at) => ({ port: at + 1, protocol: 'TCP', nodePort: 30_000 + at }));
  const desired = desire({
    service: { ...service, spec: { ...service.spec, ports } },
    options: {},
    slices: [],
    nodes: { nodes: [], unresolved: [], virtual: new Set() },
    settings: SETTINGS,
  });
  let looks = 0;
  const groups = desired.groups.map((group) =>
    Object.defineProperty({ ...group }, 'name', { enumerable: true, get: () => ((looks += 1), group.name) }),
  );
  const { actions } = diff({ ...desired, groups } as Parameters<typeof diff>[0], NOTHING_THERE);
  assert.equal(actions.filter(({ kind }) => kind === 'create-listener').length, count);
  return looks;
}

describe('the plan for a Service with very many ports', () => {
  it('is no more work a port than that of one with half as many', () => {
    const [fewer, more] = [looksAt(FEWER), looksAt(2 * FEWER)];
    assert.ok(more <= 2.1 * fewer, `${fewer} looks become ${more}`);
  });
});
