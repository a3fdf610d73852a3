import assert from 'node:assert/strict';
import { PassThrough } from 'node:stream';
import { BodyBudget, countBytes } from '../../../../webhook/server/body-budget.ts';

const MIB = 1024 * 1024;
const FULL = { reason: 'Unavailable', retryAfterMs: 1_000, statusCode: 500 };

/** Creates a budget in which `count` bodies of 7 MiB began at time 0. Records the evicted bodies. */
function having(count: number) {
  const time = { now: 0 };
  const memory = new BodyBudget(() => time.now);
  const revoked: number[] = [];
  const bodies = Array.from({ length: count }, (_, n) => {
    const body = memory.begin(() => revoked.push(n));
    body.grow(7 * MIB);
    return body;
  });
  return { time, memory, gone: revoked, bodies, another: memory.begin(() => revoked.push(count)) };
}

/** Large requests could exhaust the memory of the webhook, so the budget evicts slow requests. */
describe('the memory for bodies', () => {
  it('is allocated for received bytes, not for announced bytes', () => {
    const { memory, another } = having(0);
    assert.equal(memory.usedBytes, 0);
    another.grow(MIB);
    assert.equal(memory.usedBytes, MIB);
  });

  it('has 40 MiB, and reuses released memory', () => {
    const { memory, bodies, another } = having(5);
    assert.throws(() => another.grow(7 * MIB), FULL);
    assert.equal(memory.usedBytes, 35 * MIB);
    bodies[0]?.end();
    bodies[0]?.end();
    assert.equal(memory.usedBytes, 28 * MIB);
    assert.doesNotThrow(() => another.grow(7 * MIB));
  });

  it('is revoked from the oldest body after a second, and only as much as needed', () => {
    const { time, memory, gone: revoked, another } = having(5);
    time.now = 1_000;
    assert.throws(() => another.grow(7 * MIB), FULL);
    time.now = 1_001;
    const last = memory.begin(() => assert.fail());
    last.grow(7 * MIB);
    assert.deepEqual([revoked, memory.usedBytes], [[0], 35 * MIB]);
  });

  it('is not revoked from a complete body that waits for its decision', () => {
    const { time, bodies, gone: revoked, another } = having(5);
    time.now = 60_000;
    for (const body of bodies) body.complete();
    assert.throws(() => another.grow(7 * MIB), FULL);
    assert.deepEqual(revoked, []);
  });

  it('is not available to a body whose memory was revoked', () => {
    const { time, memory, bodies } = having(5);
    time.now = 2_000;
    memory.begin(() => assert.fail()).grow(7 * MIB);
    assert.throws(() => bodies[0]?.grow(1), FULL);
    assert.equal(memory.usedBytes, 35 * MIB);
  });
});

/** Reads a body as the framework does. */
function read(payload: PassThrough): Promise<string> {
  const chunks: Buffer[] = [];
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  payload.on('data', (chunk: Buffer) => chunks.push(chunk));
  payload.once('end', () => resolve(Buffer.concat(chunks).toString()));
  payload.once('error', reject);
  return promise;
}

describe('a body with its memory taken from the budget', () => {
  it('arrives unchanged, and releases its memory at its end', async () => {
    const memory = new BodyBudget(() => 0);
    const payload = new PassThrough();
    const end = countBytes(payload, memory);
    const reading = read(payload);
    payload.end('abc');
    assert.equal(await reading, 'abc');
    assert.equal(memory.usedBytes, 3);
    end();
    assert.equal(memory.usedBytes, 0);
  });

  it('fails without memory, and if its memory is revoked', async () => {
    const { time, memory, bodies } = having(5);
    const payload = new PassThrough();
    const end = countBytes(payload, memory);
    const denied = read(payload);
    payload.write(Buffer.alloc(6 * MIB));
    await assert.rejects(denied, FULL);
    end();
    for (const body of bodies) body.complete();
    const slow = new PassThrough();
    countBytes(slow, memory);
    const reading = read(slow);
    slow.write(Buffer.alloc(5 * MIB));
    await new Promise(setImmediate);
    time.now = 2_000;
    memory.begin(() => assert.fail()).grow(MIB);
    await assert.rejects(reading, FULL);
  });

  it('causes no error if bytes arrive or its memory is revoked while it has no reader', async () => {
    const { time, memory, bodies } = having(4);
    for (const body of bodies) body.complete();
    const payload = new PassThrough();
    countBytes(payload, memory);
    payload.write(Buffer.alloc(7 * MIB));
    await new Promise(setImmediate);
    time.now = 2_000;
    memory.begin(() => assert.fail()).grow(7 * MIB);
    payload.write(Buffer.alloc(MIB));
    await new Promise(setImmediate);
    assert.equal(memory.usedBytes, 35 * MIB);
  });

  it('fails with its connection', async () => {
    const payload = new PassThrough();
    countBytes(payload, new BodyBudget(() => 0));
    payload.destroy(new Error('reset'));
    await assert.rejects(read(payload), { message: 'reset' });
  });
});
