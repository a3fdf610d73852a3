import assert from 'node:assert/strict';
import { BodyMemory, Queue } from '../../../webhook/work.ts';

const MIB = 1024 * 1024;

describe('the queue of reviews', () => {
  it('decides in the order of arrival, once all that have arrived are read', async () => {
    const queue = new Queue(10);
    const decided: number[] = [];
    for (const n of [1, 2]) void queue.add(() => decided.push(n));
    const last = queue.add(() => decided.push(3));
    assert.deepEqual([queue.length, decided], [3, []]);
    await last;
    assert.deepEqual([queue.length, decided], [0, [1, 2, 3]]);
  });

  it('has no room for more than its limit, and has it again after a turn', async () => {
    const queue = new Queue(2);
    const [first, second, third] = ['a', 'b', 'c'].map((text) => queue.add(() => text));
    assert.equal(third, undefined);
    assert.deepEqual([await first, await second], ['a', 'b']);
    assert.equal(await queue.add(() => 'd'), 'd');
  });

  it('goes on after work that throws', async () => {
    const queue = new Queue(2);
    const failing = queue.add(() => {
      throw new Error('broken');
    });
    const next = queue.add(() => 'next');
    await assert.rejects(async () => failing, { message: 'broken' });
    assert.equal(await next, 'next');
  });
});

describe('the memory for bodies', () => {
  it('holds 64 MiB of large bodies, and has room again for what is given back', () => {
    const memory = new BodyMemory();
    const taken = Array.from({ length: 9 }, () => memory.take(7 * MIB));
    assert.equal(memory.held, 63 * MIB);
    assert.throws(() => memory.take(7 * MIB), { reason: 'Unavailable', retryAfterMs: 1_000 });
    taken[0]?.();
    assert.doesNotThrow(() => memory.take(7 * MIB));
  });

  it('always has room for a body of the usual size', () => {
    const memory = new BodyMemory();
    for (let n = 0; n < 9; n += 1) memory.take(7 * MIB);
    memory.take(MIB);
    assert.equal(memory.held, 64 * MIB);
    assert.doesNotThrow(() => memory.take(64 * 1024));
    assert.throws(() => memory.take(64 * 1024 + 1));
  });
});
