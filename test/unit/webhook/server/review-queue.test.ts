import assert from 'node:assert/strict';
import { Queue } from '../../../../webhook/server/review-queue.ts';

/** Without an order by time and size, large reviews would make small reviews miss their deadline. */
describe('the queue of reviews', () => {
  it('decides in the order of arrival, after all received bodies are read', async () => {
    const queue = new Queue(10, () => 0);
    const decided: number[] = [];
    for (const n of [1, 2]) void queue.add(() => decided.push(n));
    const last = queue.add(() => decided.push(3));
    assert.deepEqual([queue.length, decided], [3, []]);
    await last;
    assert.deepEqual([queue.length, decided], [0, [1, 2, 3]]);
  });

  it('decides first a review without time left, then the smallest', async () => {
    const queue = new Queue(10, () => 0);
    const decided: string[] = [];
    const add = (name: string, bytes: number, isLate = false) =>
      queue.add(
        () => decided.push(name),
        bytes,
        () => isLate,
      );
    await Promise.all([add('large', 3), add('late', 4, true), add('small', 1), add('as small', 1), add('medium', 2)]);
    assert.deepEqual(decided, ['late', 'small', 'as small', 'medium', 'large']);
  });

  it('serves connections after a large review, and then decides a small new review first', async () => {
    let now = 0;
    const queue = new Queue(10, () => now);
    const decided: string[] = [];
    const large = (name: string) =>
      queue.add(() => {
        decided.push(name);
        now += 500;
      }, 2);
    const all = [large('first'), large('second')];
    await all[0];
    assert.equal(queue.arrivalOfHead(), 0);
    await Promise.all([...all, queue.add(() => decided.push('small'), 1)]);
    assert.deepEqual(decided, ['first', 'small', 'second']);
    now += 1_000;
    assert.equal(queue.arrivalOfHead(), now);
  });

  it('rejects reviews beyond its limit, and accepts reviews again after a decision', async () => {
    const queue = new Queue(2, () => 0);
    const [first, second, third] = ['a', 'b', 'c'].map((text) => queue.add(() => text));
    assert.equal(third, undefined);
    assert.deepEqual([await first, await second], ['a', 'b']);
    assert.equal(await queue.add(() => 'd'), 'd');
  });

  it('continues after an exception', async () => {
    const queue = new Queue(2, () => 0);
    const failing = queue.add(() => {
      throw new Error('broken');
    });
    const next = queue.add(() => 'next');
    await assert.rejects(async () => failing, { message: 'broken' });
    assert.equal(await next, 'next');
  });
});
