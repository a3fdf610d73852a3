import assert from 'node:assert/strict';
import type { CredentialSource } from '../../../src/alibaba/credentials/credential-types.ts';
import { createCredentials } from '../../../src/alibaba/credentials/chain.ts';
import { issuedBy, type IssuedKey } from '../../../src/alibaba/credentials/key-renewal.ts';
import { PortcullisError } from '../../../src/base/errors.ts';
import { VirtualClock } from '../../support/virtual-clock.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const never = new AbortController().signal;

/** Creates an issuer of numbered keys that last an hour. Requests fail while `state.failure` is set. */
function issuer(clock: VirtualClock, input: { readonly lifeMs?: number; readonly takesMs?: number } = {}) {
  const { lifeMs = HOUR_MS, takesMs = 0 } = input;
  const state = { requests: 0, failure: undefined as Error | undefined };
  const source = issuedBy(
    {
      name: 'the issuer',
      issue: async (signal): Promise<IssuedKey> => {
        state.requests += 1;
        const number = state.requests;
        if (takesMs > 0) await clock.sleep(takesMs, signal);
        if (state.failure !== undefined) throw state.failure;
        const expiresAtMs = clock.now() + lifeMs;
        return { id: `id-${number}`, secret: `secret-${number}`, token: `token-${number}`, expiresAtMs };
      },
    },
    clock,
    never,
  );
  const id = async (): Promise<string | undefined> => (await clock.complete(source.read()))?.id;
  return { state, source, id };
}

const chained = (source: CredentialSource, clock: VirtualClock, warnings: string[] = []) =>
  createCredentials([source], { warn: (message) => warnings.push(message), clock });

/** Temporary keys expire. Without an early renewal, calls would wait or fail. */
describe('a temporary access key', () => {
  it('is requested once for concurrent callers', async () => {
    const clock = new VirtualClock();
    const { source, state } = issuer(clock, { takesMs: 100 });
    const keys = await clock.complete(Promise.all([source.read(), source.read(), source.read()]));
    assert.deepEqual([keys.map((key) => key?.id), state.requests], [['id-1', 'id-1', 'id-1'], 1]);
  });

  const lives: Record<string, { lifeMs: number; goodMs: number }> = {
    'fifteen minutes before its end': { lifeMs: HOUR_MS, goodMs: 45 * MINUTE_MS },
    'after three quarters of a short life': { lifeMs: 20 * MINUTE_MS, goodMs: 15 * MINUTE_MS },
  };
  for (const [when, { lifeMs, goodMs }] of Object.entries(lives)) {
    it(`is renewed ${when}, without a delay of calls`, async () => {
      const clock = new VirtualClock();
      const { id, state, source } = issuer(clock, { lifeMs, takesMs: 1_000 });
      assert.equal(await id(), 'id-1');
      // The lifetime of a key excludes the time of its issuance.
      await clock.advance(goodMs - 1);
      assert.deepEqual([await id(), state.requests], ['id-1', 1]);
      await clock.advance(1);
      assert.deepEqual([(await source.read())?.id, state.requests], ['id-1', 2]);
      await clock.advance(1_000);
      assert.deepEqual([await id(), state.requests], ['id-2', 2]);
    });
  }

  it('is requested at most once per minute while valid, however short its life is', async () => {
    const clock = new VirtualClock();
    const { id, state } = issuer(clock, { lifeMs: 61_000 });
    for (let second = 0; second < 60; second += 1) {
      await id();
      await clock.advance(1_000);
    }
    assert.equal(state.requests, 1);
  });

  it('stays in use while renewal fails, with one warning and an attempt every ten seconds', async () => {
    const clock = new VirtualClock();
    const warnings: string[] = [];
    const { source, state } = issuer(clock);
    const credentials = chained(source, clock, warnings);
    await clock.complete(credentials.current());
    state.failure = new Error('closed');
    await clock.advance(50 * MINUTE_MS);
    for (let second = 0; second < 60; second += 1) {
      assert.equal((await clock.complete(credentials.current())).id, 'id-1');
      await clock.advance(1_000);
    }
    assert.deepEqual(warnings, ['the issuer: closed; the previous access key stays in use']);
    assert.equal(state.requests, 1 + 6);
    state.failure = undefined;
    await clock.advance(10_000);
    await clock.complete(credentials.current());
    await clock.settle();
    assert.equal((await clock.complete(credentials.current())).id, 'id-8');
  });

  it('is unusable after its expiry, and the caller then gets the error of the last request', async () => {
    const clock = new VirtualClock();
    const { source, state } = issuer(clock);
    const credentials = chained(source, clock);
    await clock.complete(credentials.current());
    state.failure = new PortcullisError('Unavailable', 'nobody is there');
    await clock.advance(HOUR_MS);
    await assert.rejects(clock.complete(credentials.current()), {
      reason: 'Unavailable',
      message: 'the issuer: nobody is there; the previous access key has expired',
    });
    state.failure = undefined;
    await clock.advance(10_000);
    assert.equal((await clock.complete(credentials.current())).id, 'id-3');
  });

  it('is replaced at once if the cloud rejects it before its expiry', async () => {
    const clock = new VirtualClock();
    const { source, state } = issuer(clock);
    const credentials = chained(source, clock);
    await clock.complete(credentials.current());
    await clock.advance(MINUTE_MS);
    credentials.markRejected();
    assert.equal((await clock.complete(credentials.current())).id, 'id-2');
    credentials.markRejected();
    assert.equal((await clock.complete(credentials.current())).id, 'id-2', 'not twice within ten seconds');
    assert.equal(state.requests, 2);
  });

  it('is aborted after twelve seconds without a response of the issuer', async () => {
    const clock = new VirtualClock();
    const { source } = issuer(clock, { takesMs: HOUR_MS });
    await assert.rejects(clock.complete(source.read()), { message: 'no answer within 12 s' });
    assert.equal(clock.monotonic(), 12_000);
  });

  it('is redacted, as are the keys that it replaced', async () => {
    const clock = new VirtualClock();
    const { source } = issuer(clock);
    const credentials = chained(source, clock);
    await clock.complete(credentials.current());
    await clock.advance(HOUR_MS);
    await clock.complete(credentials.current());
    for (const secret of ['secret-1', 'token-1', 'secret-2', 'token-2'])
      assert.ok([...credentials.secrets()].includes(secret), secret);
  });
});
