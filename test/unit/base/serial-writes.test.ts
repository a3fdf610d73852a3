import assert from 'node:assert/strict';
import { createSerial } from '../../../src/base/serial.ts';
import { VirtualClock } from '../../support/virtual-clock.ts';

const waiter = (namespace = 'a', { signal } = new AbortController()) => ({ namespace, signal });
const never = waiter();

const bench = () => {
  const clock = new VirtualClock();
  const serial = createSerial();
  const events: string[] = [];
  const task = (name: string) => async () => {
    events.push(`${name} begins`);
    await clock.sleep(10);
    events.push(`${name} ends`);
    return name;
  };
  return { clock, serial, events, task };
};

/** The cloud rejects concurrent writes of one load balancer, so they must run one after another. */
describe('the writes of a load balancer', () => {
  it('run sequentially, in order of arrival', async () => {
    const { clock, serial, events, task } = bench();
    const all = Promise.all(['a', 'b', 'c'].map((name) => serial.run('lb-1', never, task(name))));
    await clock.advance(30);
    assert.deepEqual(await all, ['a', 'b', 'c']);
    assert.deepEqual(events, ['a begins', 'a ends', 'b begins', 'b ends', 'c begins', 'c ends']);
  });

  it('run round-robin by namespace', async () => {
    const { clock, serial, events, task } = bench();
    const many = ['a1', 'a2', 'a3', 'a4'].map((name) => serial.run('lb-1', waiter('a'), task(name)));
    const one = serial.run('lb-1', waiter('b'), task('b1'));
    await clock.advance(50);
    await Promise.all([...many, one]);
    assert.deepEqual(
      events.filter((event) => event.endsWith('begins')),
      ['a1 begins', 'a2 begins', 'b1 begins', 'a3 begins', 'a4 begins'],
    );
  });

  it('run in parallel with writes of another load balancer', async () => {
    const { clock, serial, events, task } = bench();
    const all = Promise.all([serial.run('lb-1', never, task('a')), serial.run('lb-2', never, task('b'))]);
    await clock.advance(10);
    await all;
    assert.deepEqual(events, ['a begins', 'b begins', 'a ends', 'b ends']);
  });

  it('continue after a failed write', async () => {
    const { clock, serial, task } = bench();
    const failed = assert.rejects(
      serial.run('lb-1', never, async () => Promise.reject(new Error('no'))),
      { message: 'no' },
    );
    const next = serial.run('lb-1', never, task('b'));
    await clock.advance(10);
    await failed;
    assert.equal(await next, 'b');
  });

  it('all run, except for a write that is aborted while it waits', async () => {
    const { clock, serial, events, task } = bench();
    const stop = new AbortController();
    const first = serial.run('lb-1', never, task('a'));
    const aborted = assert.rejects(serial.run('lb-1', waiter('a', stop), task('b')), { message: 'stop' });
    const last = serial.run('lb-1', never, task('c'));
    stop.abort(new Error('stop'));
    await aborted;
    await clock.advance(20);
    await Promise.all([first, last]);
    assert.deepEqual(events, ['a begins', 'a ends', 'c begins', 'c ends']);
  });

  it('all run, even if the signal of a write is aborted at the moment of its start', async () => {
    const { serial } = bench();
    const stop = new AbortController();
    const order: string[] = [];
    const first = serial.run('lb-1', never, async () => order.push('a'));
    const second = serial.run('lb-1', waiter('a', stop), async () => order.push('b'));
    const third = serial.run('lb-1', never, async () => order.push('c'));
    await first;
    stop.abort(new Error('stop'));
    await Promise.all([second, third]);
    assert.deepEqual(order, ['a', 'b', 'c']);
  });
});
