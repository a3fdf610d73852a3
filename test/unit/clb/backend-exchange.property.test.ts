import assert from 'node:assert/strict';
import fc from 'fast-check';
import type { Action } from '../../../src/clb/model/action.ts';
import { diff } from '../../../src/clb/diff/diff.ts';
import { observedAfter } from '../../../src/clb/model/observed-after-action.ts';
import type { ServerId, VServerGroupId } from '../../../src/clb/model/ids.ts';
import { BACKENDS_PER_CALL, type Backend } from '../../../src/clb/model/server-group.ts';
import {
  backendKey,
  findGroup,
  type Observed,
  type Present,
} from '../../../src/clb/model/desired-and-observed-state.ts';
import { applyActions } from '../../support/recorded-clb-calls.ts';
import {
  aListener,
  anObserved,
  anObservedListener,
  aPresent,
  groupId,
  groupName,
  LB_ID,
} from '../../support/clb-objects.ts';

const NAME = groupName(30_080);
const HERS = 'rsp-hers' as VServerGroupId;

const pod = (index: number, weight = 100): Backend => ({
  type: 'eni',
  serverId: `eni-${index}` as ServerId,
  serverIp: `10.0.0.${index}`,
  port: 8080,
  weight,
  description: NAME,
});
/** Subsets of a hundred and fifty pods. */
const pods = fc
  .uniqueArray(fc.integer({ min: 1, max: 150 }), { maxLength: 150, size: 'max' })
  .map((chosen) => chosen.map((each) => pod(each)));

const wanting = (backends: readonly Backend[], over: object = {}): Present =>
  aPresent({ groups: [{ name: NAME, backends, ...over }] });
const having = (backends: readonly Backend[], over: Partial<Observed> = {}): Observed =>
  anObserved({ groups: [{ id: groupId(30_080), name: NAME, backends }], ...over });

/** Returns every intermediate state, beginning with the initial one. */
function states(present: Present, from: Observed): readonly Observed[] {
  const all = [from];
  const { actions }: { readonly actions: readonly Action[] } = diff(present, from);
  for (const action of actions) all.push(observedAfter(all.at(-1) ?? from, action, undefined));
  return all;
}
const backendsIn = (observed: Observed, reference: string): readonly Backend[] =>
  findGroup(observed, reference)?.backends ?? [];
const keys = (backends: readonly Backend[]): readonly string[] => backends.map(backendKey).sort();

/** A server group must keep enough backends during an exchange, even on a full load balancer, where removals must precede additions. */
describe('an exchange of backends', () => {
  it('ends in the desired state, and adds before it removes', () => {
    fc.assert(
      fc.property(pods, pods, (had, want) => {
        const way = states(wanting(want), having(had));
        const sizes = way.map((state) => backendsIn(state, NAME).length);
        assert.deepEqual(keys(backendsIn(way.at(-1) ?? having([]), NAME)), keys(want));
        for (const size of sizes) assert.ok(size >= Math.min(had.length, want.length));
      }),
      { numRuns: 300 },
    );
  });

  it('lacks at most the backends of a single call if the load balancer has little room', async () => {
    await fc.assert(
      fc.asyncProperty(pods, pods, fc.nat({ max: 30 }), async (had, want, spare) => {
        const limit = Math.max(had.length, want.length) + spare;
        const from = having(had);
        const { actions } = diff(wanting(want), from);
        const {
          now,
          states: way,
          error,
        } = await applyActions(actions, {}, from, undefined, { left: limit - had.length });
        assert.equal(error, undefined);
        assert.deepEqual(keys(backendsIn(now, NAME)), keys(want));
        for (const state of way) {
          const size = backendsIn(state, NAME).length;
          assert.ok(size >= Math.min(had.length, want.length) - BACKENDS_PER_CALL);
          assert.ok(size > 0 || had.length < 2 || want.length === 0);
        }
      }),
      { numRuns: 300 },
    );
  });

  it('leaves every foreign member of a user-managed group unchanged', () => {
    const theirs = fc
      .uniqueArray(fc.integer({ min: 1, max: 60 }), { maxLength: 20 })
      .map((chosen) => chosen.map((each) => ({ ...pod(each, 7), description: 'by hand' })));
    fc.assert(
      fc.property(pods, pods, theirs, (had, want, foreign) => {
        const taken = new Set(foreign.map(backendKey));
        const ours = had.filter((backend) => !taken.has(backendKey(backend)));
        const group = { id: HERS, name: 'hers', backends: [...foreign, ...ours] };
        const use = { kind: 'reused', id: LB_ID, overrideListeners: true } as const;
        const present = { ...wanting(want, { id: HERS }), use, listeners: [aListener(80, { group: HERS })] };
        const listener = anObservedListener(80, { groupId: HERS });
        const way = states(present, anObserved({ groups: [group], listeners: [listener] }));
        for (const state of way) {
          const left = backendsIn(state, HERS).filter(({ description }) => description === 'by hand');
          assert.deepEqual(left, foreign);
        }
        const end = new Set(keys(backendsIn(way.at(-1) ?? having([]), HERS)));
        assert.deepEqual(end, new Set([...keys(foreign), ...keys(want)]));
        assert.deepEqual(
          diff(present, way.at(-1) ?? having([])).actions.filter((action) => 'group' in action),
          [],
        );
      }),
      { numRuns: 300 },
    );
  });

  it('keeps pods with an unknown interface, and all pods if no interface is found', () => {
    fc.assert(
      fc.property(pods, pods, fc.func(fc.boolean()), (had, want, isFound) => {
        const found = want.filter((backend) => isFound(backendKey(backend)));
        const missing = want.flatMap((backend) =>
          backend.type === 'eni' && !found.includes(backend) ? [backend.serverIp] : [],
        );
        const present = wanting(found, missing.length === 0 ? {} : { missing });
        const end = keys(backendsIn(states(present, having(had)).at(-1) ?? having([]), NAME));
        const kept = had.filter((backend) => backend.type === 'eni' && missing.includes(backend.serverIp));
        for (const key of [...keys(found), ...keys(kept)]) assert.ok(end.includes(key));
        if (found.length === 0 && missing.length > 0) assert.deepEqual(end, keys(had));
        else assert.equal(end.length, found.length + kept.length);
      }),
      { numRuns: 300 },
    );
  });
});
