import assert from 'node:assert/strict';
import { Queue } from '../../../webhook/work.ts';

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
