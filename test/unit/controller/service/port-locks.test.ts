import assert from 'node:assert/strict';
import type { LoadBalancerId } from '../../../../src/clb/model/ids.ts';
import { PortLocks, type LockedParts } from '../../../../src/controller/service/port-locks.ts';
import { objectKey, type ObjectKey } from '../../../../src/base/kubernetes-objects.ts';

const ID = 'lb-shared' as LoadBalancerId;
const WEB = objectKey('web', 'shop');
const API = objectKey('api', 'shop');
const PAY = objectKey('pay', 'bank');
const ports = (...names: readonly string[]): LockedParts => new Set(names);

/** Creates the locks of ports. A Service keeps its lock until the test releases the lock. */
function shared() {
  const enqueued: ObjectKey[] = [];
  const all = new PortLocks((key) => enqueued.push(key));
  const lock = (key: ObjectKey, parts: LockedParts, id = ID) => {
    const { promise, resolve } = Promise.withResolvers<'done'>();
    return { result: all.withLock({ id, parts }, key, () => promise), end: () => resolve('done') };
  };
  const isLocked = async (key: ObjectKey, parts: LockedParts, id = ID): Promise<boolean> =>
    (await all.withLock({ id, parts }, key, () => Promise.resolve('done'))) === undefined;
  return { all, enqueued, lock, isLocked };
}

/** Two Services of one user-managed load balancer are reconciled in parallel, so without a lock, both could create the same listener. */
describe('a lock on a user-managed load balancer', () => {
  const rows: readonly (readonly [title: string, locked: LockedParts, wanted: LockedParts, isLocked: boolean])[] = [
    ['excludes another Service from the same port', ports('listener 80'), ports('listener 80', 'listener 443'), true],
    ['does not exclude another Service from another port', ports('listener 80'), ports('listener 443'), false],
    ['excludes another Service from all ports', ports('listener 80'), 'everything', true],
    ['excludes another Service from every port if it covers all ports', 'everything', ports('listener 80'), true],
    ['excludes no Service if it is empty', ports(), ports('listener 80'), false],
  ];
  for (const [title, locked, wanted, isLocked] of rows)
    it(title, async () => {
      const run = shared();
      const web = run.lock(WEB, locked);
      assert.equal(await run.isLocked(PAY, wanted), isLocked);
      assert.equal(await run.isLocked(PAY, wanted, 'lb-other' as LoadBalancerId), false);
      web.end();
      assert.equal(await web.result, 'done');
      assert.equal(await run.isLocked(PAY, wanted), false);
    });

  it('covers more parts during a further task of its Service, and the previous parts afterwards', async () => {
    const run = shared();
    const { end, result } = run.lock(WEB, ports('listener 80'));
    assert.equal(await run.isLocked(WEB, 'everything'), false);
    assert.deepEqual(
      [await run.isLocked(PAY, ports('listener 80')), await run.isLocked(API, ports('listener 443'))],
      [true, false],
    );
    end();
    await result;
    assert.equal(await run.isLocked(API, 'everything'), false);
  });

  it('enqueues each waiting Service once when the lock ends', async () => {
    const run = shared();
    const web = run.lock(WEB, ports('listener 80'));
    await run.isLocked(API, ports('listener 80'));
    await run.isLocked(PAY, 'everything');
    assert.deepEqual(run.enqueued, []);
    web.end();
    await web.result;
    assert.deepEqual(run.enqueued, [API, PAY]);
    assert.equal(await run.isLocked(API, 'everything'), false);
    assert.deepEqual(run.enqueued, [API, PAY]);
  });

  it('ends if the task fails', async () => {
    const run = shared();
    const failing = run.all.withLock({ id: ID, parts: 'everything' }, WEB, () =>
      Promise.reject(new Error('no answer')),
    );
    await assert.rejects(failing, /no answer/);
    assert.equal(await run.isLocked(PAY, 'everything'), false);
  });
});
