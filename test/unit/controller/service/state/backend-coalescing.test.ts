import assert from 'node:assert/strict';
import { EMPTY_CACHE, type ObservedCache } from '../../../../../src/clb/observe/observe.ts';
import {
  endGrowth,
  gatherMs,
  isSuperseded,
  newCoalescing,
  COALESCE_MS,
} from '../../../../../src/controller/service/state/backend-coalescing.ts';
import { aBackend, aPresent, anObserved, anObservedGroup, groupName } from '../../../../support/clb-objects.ts';

const wanted = { ...aPresent({ groups: [] }), groups: [] };
const sure: ObservedCache = { observed: anObserved(), invalidated: new Set() };

/** Returns the delays of reconciles at these moments, after a first reconcile that observes the Service. */
function waits(moments: readonly number[], knowledge = sure): readonly number[] {
  const coalescing = newCoalescing();
  gatherMs(wanted, { coalescing, knowledge }, 0);
  return moments.map((nowMs) => gatherMs(wanted, { coalescing, knowledge }, nowMs));
}

/** The cloud allows few changes a minute, so additions wait for each other, and removals do not wait. */
describe('the coalescing of backend changes', () => {
  it('applies the first three changes at once, and gathers the later changes', () => {
    assert.deepEqual(waits([0, 100, 200, 300, 400]), [0, 0, 0, COALESCE_MS - 300, COALESCE_MS - 400]);
  });

  it('applies a change at every interval of a burst', () => {
    assert.deepEqual(waits([0, 0, 0, COALESCE_MS, 2 * COALESCE_MS]), [0, 0, 0, 0, 0]);
  });

  it('applies three changes at once again after a burst', () => {
    assert.deepEqual(waits([0, 0, 0, 3 * COALESCE_MS, 3 * COALESCE_MS, 3 * COALESCE_MS]), [0, 0, 0, 0, 0, 0]);
  });

  it('gathers changes while the content of a group must be read again', () => {
    const doubtful: ObservedCache = { ...sure, invalidated: new Set(['group:rsp-1']) };
    assert.deepEqual(waits([0, 0, 0, 0], doubtful), [0, 0, 0, COALESCE_MS]);
  });

  it('gathers while another part of the load balancer must be read, without delaying the read', () => {
    const doubtful: ObservedCache = { ...sure, invalidated: new Set(['load-balancer', 'listeners']) };
    const coalescing = newCoalescing();
    const waitsWith = (...servers: readonly string[]) => {
      const backends = servers.map((server) => aBackend(server, 30_080));
      return gatherMs(
        { ...wanted, groups: [{ name: groupName(30_080), backends }] },
        { coalescing, knowledge: doubtful },
        0,
      );
    };
    waitsWith('i-1');
    assert.deepEqual([waitsWith('i-2'), waitsWith('i-3'), waitsWith('i-4')], [0, 0, 0]);
    assert.equal(waitsWith('i-5'), COALESCE_MS);
    assert.equal(waitsWith('i-5'), COALESCE_MS);
    assert.equal(waitsWith('i-4'), 0);
  });

  describe('for a Service with a backend in its port', () => {
    const weighted = (weights: Readonly<Record<string, number>>) => ({
      name: groupName(30_080),
      backends: Object.entries(weights).map(([server, weight]) => aBackend(server, 30_080, { weight })),
    });
    const group = (...servers: readonly string[]) =>
      weighted(Object.fromEntries(servers.map((server) => [server, 100])));
    const observed = anObserved({ groups: [anObservedGroup(30_080, ['i-1', 'i-2'])] });
    const knowledge: ObservedCache = { observed, invalidated: new Set() };
    const asking = () => {
      const coalescing = newCoalescing();
      const ask = (nowMs: number, ...servers: readonly string[]) =>
        gatherMs({ ...wanted, groups: [group(...servers)] }, { coalescing, knowledge }, nowMs);
      ask(0, 'i-1', 'i-2');
      return ask;
    };

    it('gathers added backends for 200 ms after the first', () => {
      const ask = asking();
      assert.deepEqual([ask(1_000, 'i-1', 'i-2', 'i-3'), ask(1_150, 'i-1', 'i-2', 'i-3', 'i-4')], [200, 50]);
      assert.equal(ask(1_200, 'i-1', 'i-2', 'i-3', 'i-4'), 0);
    });

    it('gathers added backends in a burst, and reserves the last slot for a removal', () => {
      const ask = asking();
      assert.deepEqual([ask(0, 'i-1', 'i-2', 'i-3'), ask(200, 'i-1', 'i-2', 'i-3')], [200, 0]);
      assert.deepEqual([ask(200, 'i-1', 'i-2', 'i-4'), ask(400, 'i-1', 'i-2', 'i-4')], [200, 0]);
      assert.equal(ask(400, 'i-1', 'i-2', 'i-5'), COALESCE_MS - 200);
      assert.equal(ask(500, 'i-1', 'i-5'), 0);
      assert.equal(ask(500, 'i-1', 'i-2', 'i-6'), COALESCE_MS);
    });

    for (const { weights, ignoreWeights, does, waitMs } of [
      { weights: { 'i-1': 101, 'i-2': 100 }, ignoreWeights: false, does: 'gathers a higher weight', waitMs: 200 },
      { weights: { 'i-1': 99, 'i-2': 100 }, ignoreWeights: false, does: 'does not delay a lower weight', waitMs: 0 },
      {
        weights: { 'i-1': 101 },
        ignoreWeights: false,
        does: 'does not delay a removal together with a higher weight',
        waitMs: 0,
      },
      {
        weights: { 'i-1': 101, 'i-2': 100 },
        ignoreWeights: true,
        does: 'ignores weights if an annotation requests it',
        waitMs: 0,
      },
    ])
      it(does, () => {
        const coalescing = newCoalescing();
        const ask = (nowMs: number, backends: Readonly<Record<string, number>>) =>
          gatherMs({ ...wanted, ignoreWeights, groups: [weighted(backends)] }, { coalescing, knowledge }, nowMs);
        ask(0, { 'i-1': 100, 'i-2': 100 });
        assert.equal(ask(1_000, weights), waitMs);
      });

    it('does not delay a removal, alone or with an addition', () => {
      assert.equal(asking()(1_000, 'i-1'), 0);
      const ask = asking();
      assert.deepEqual([ask(1_000, 'i-1', 'i-2', 'i-3'), ask(1_050, 'i-1', 'i-3')], [200, 0]);
    });

    it('does not delay a removal after other removals, or the first replacement after them', () => {
      const ask = asking();
      const removals = ['i-1', 'i-2', 'i-1', 'i-2', 'i-1'].map((server) => ask(1_000, server));
      assert.deepEqual(removals, [0, 0, 0, 0, 0]);
      assert.deepEqual([ask(1_000, 'i-1', 'i-3'), ask(1_000, 'i-2', 'i-3')], [0, COALESCE_MS]);
    });

    it('counts the backend of a user in a group neither as removed nor as added', () => {
      const foreign = { ...aBackend('i-9', 30_080), description: 'by hand' };
      const members = [...group('i-1').backends, foreign];
      const shared: ObservedCache = {
        observed: anObserved({ groups: [{ ...anObservedGroup(30_080), backends: members }] }),
        invalidated: new Set(),
      };
      const coalescing = newCoalescing();
      const ask = (...servers: readonly string[]) =>
        gatherMs({ ...wanted, groups: [group(...servers)] }, { coalescing, knowledge: shared }, 0);
      ask('i-1');
      assert.equal(ask('i-1', 'i-2'), 200);
    });

    it('gathers additions again after earlier additions are cancelled', () => {
      const coalescing = newCoalescing();
      const ask = (nowMs: number, ...servers: readonly string[]) =>
        gatherMs({ ...wanted, groups: [group(...servers)] }, { coalescing, knowledge }, nowMs);
      ask(0, 'i-1', 'i-2');
      assert.equal(ask(1_000, 'i-1', 'i-2', 'i-3'), 200);
      endGrowth(coalescing);
      assert.equal(ask(9_000, 'i-1', 'i-2', 'i-4'), 200);
    });
  });

  it('does not delay the first backend of a port', () => {
    const coalescing = newCoalescing();
    const name = groupName(30_080);
    const knowledge: ObservedCache = {
      observed: anObserved({ groups: [anObservedGroup(30_080, [])] }),
      invalidated: new Set(),
    };
    gatherMs({ ...wanted, groups: [{ name, backends: [] }] }, { coalescing, knowledge }, 0);
    const first = { ...wanted, groups: [{ name, backends: [aBackend('i-1', 30_080)] }] };
    assert.equal(gatherMs(first, { coalescing, knowledge }, 1_000), 0);
  });

  it('does not delay a new group', () => {
    const coalescing = newCoalescing();
    for (const port of [1, 2, 3, 4]) {
      const more = { ...wanted, groups: [{ name: groupName(port), backends: [] }] };
      assert.equal(gatherMs(more, { coalescing, knowledge: sure }, 0), 0);
    }
  });

  it('does not delay changes while the state of the cloud is unknown', () => {
    assert.deepEqual(waits([0, 0, 0, 0], EMPTY_CACHE), [0, 0, 0, 0]);
  });

  it('does not delay changes of other resources', () => {
    const coalescing = newCoalescing();
    for (const port of [1, 2, 3, 4]) {
      const changed = { ...wanted, creation: { name: `n${port}` } };
      assert.equal(gatherMs(changed, { coalescing, knowledge: sure }, 0), 0);
    }
  });

  it('postpones the record of a result only in a burst, and only if something changed', () => {
    const subject = { coalescing: newCoalescing(), knowledge: sure };
    gatherMs(wanted, subject, 0);
    gatherMs(wanted, subject, 0);
    assert.equal(isSuperseded(subject, 1), false);
    gatherMs(wanted, subject, 0);
    assert.equal(isSuperseded(subject, 1), true);
    assert.equal(isSuperseded(subject, 0), false);
  });
});
