import assert from 'node:assert/strict';
import { NotYetSeen } from '../../../../../src/controller/service/judging/not-yet-seen.ts';
import type { ObjectKey } from '../../../../../src/objects.ts';

const A = 'shop/a' as ObjectKey;
const B = 'shop/b' as ObjectKey;
const C = 'bank/c' as ObjectKey;
const everywhere = (): boolean => true;

function waited(...keys: readonly ObjectKey[]) {
  const clock = { nowMs: 0, monotonic: () => clock.nowMs };
  const unseen = new NotYetSeen(keys, clock);
  const told: string[] = [];
  unseen.onEnd((namespace) => told.push(namespace));
  return { clock, unseen, told };
}

describe('Services that are not yet looked at', () => {
  it('hold up those of the namespaces that are asked about, and nobody holds up itself', () => {
    const { unseen } = waited(A);
    const here = (namespace: string): boolean => namespace === 'shop';
    assert.deepEqual(
      [unseen.has(B, here), unseen.has(A, here), unseen.has(C, (namespace) => namespace === 'bank')],
      [true, false, false],
    );
  });

  it('hold up nobody after ten minutes', () => {
    const { clock, unseen } = waited(A);
    clock.nowMs = 10 * 60_000 - 1;
    assert.equal(unseen.has(B, everywhere), true);
    clock.nowMs += 1;
    assert.equal(unseen.has(B, everywhere), false);
  });

  it('are over once for each namespace', () => {
    const { unseen, told } = waited(A, B, C);
    unseen.delete(A);
    unseen.delete(A);
    assert.deepEqual(told, []);
    unseen.delete(B);
    assert.deepEqual(told, ['shop']);
    unseen.delete(C);
    unseen.delete(C);
    assert.deepEqual(told, ['shop', 'bank']);
  });

  it('are over all at once', () => {
    const { unseen, told } = waited(A, B, C);
    unseen.clear();
    assert.deepEqual([told, unseen.isWaitedFor(A), unseen.has(B, everywhere)], [['shop', 'bank'], false, false]);
  });

  it('are waited for themselves until they are looked at, and no longer than ten minutes', () => {
    const { clock, unseen } = waited(A, B);
    unseen.delete(A);
    assert.deepEqual(
      [A, B, C].map((key) => unseen.isWaitedFor(key)),
      [false, true, false],
    );
    clock.nowMs = 10 * 60_000;
    assert.equal(unseen.isWaitedFor(B), false);
  });
});
