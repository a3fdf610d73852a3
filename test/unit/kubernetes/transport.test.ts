import assert from 'node:assert/strict';
import { text } from 'node:stream/consumers';
import { Registry } from 'prom-client';
import { systemClock, type Clock } from '../../../src/base/clock.ts';
import { PortcullisError, hasReason } from '../../../src/base/errors.ts';
import type { TokenSource } from '../../../src/kubernetes/token-file.ts';
import { transportMetrics } from '../../../src/kubernetes/metrics.ts';
import { Transport, type TransportOptions } from '../../../src/kubernetes/transport.ts';
import { inNewTrace, traceId } from '../../../src/base/trace-context.ts';
import { answer, fakeApiServer, status, type FakeApiServer, type Handler } from '../../support/http-api-server.ts';

/** Returns a clock that skips the waits of the transport, but not its timeouts. */
const hasty = (waits: number[]): Clock => ({
  ...systemClock,
  sleep: (ms, signal) => {
    if (ms >= 5_000) return systemClock.sleep(ms, signal);
    waits.push(ms);
    return systemClock.sleep(0, signal);
  },
});

const never = new AbortController().signal;

/** Covers the single path of all API calls: timeouts, tokens, rates, retries and the permission to write. */
describe('the transport', () => {
  const open: AsyncDisposable[] = [];
  afterEach(async () => {
    for (const one of open.splice(0).reverse()) await one[Symbol.asyncDispose]();
  });

  const setUp = async (
    handle: Handler,
    more: Partial<TransportOptions> & { token?: TokenSource; path?: string } = {},
  ) => {
    const server = await fakeApiServer(handle);
    open.push(server);
    const waits: number[] = [];
    const registry = new Registry();
    const transport = new Transport({
      connection: {
        server: `${server.url}${more.path ?? ''}`,
        ...(more.token === undefined ? {} : { token: more.token }),
      },
      clock: hasty(waits),
      userAgent: 'portcullis-test/1',
      rate: { perSecond: Infinity, burst: 1 },
      metrics: transportMetrics(registry),
      random: () => 1,
      ...more,
    });
    open.push(transport);
    return { server, transport, waits, registry };
  };
  const oneByOne = (...answers: readonly Handler[]): Handler => {
    let next = 0;
    return (seen, response) => answers[Math.min(next++, answers.length - 1)]!(seen, response);
  };
  const ok: Handler = (_, response) => answer(response, 200, { fine: true });
  const cut: Handler = (_, response) => void response.destroy();
  const methods = (server: FakeApiServer): string[] => server.seen.map(({ method }) => method);

  it('sends the current trace to the API server, and none outside of a trace', async () => {
    const { server, transport } = await setUp(ok);
    const ask = (): Promise<unknown> => transport.json({ method: 'GET', path: '/api' }, never);
    const id = await inNewTrace(Math.random, async () => {
      await ask();
      await ask();
      return traceId();
    });
    await ask();
    const [first, second, outside] = server.seen.map(({ headers }) => headers['traceparent']);
    assert.match(String(first), new RegExp(`^00-${id}-[0-9a-f]{16}-00$`));
    assert.match(String(second), new RegExp(`^00-${id}-[0-9a-f]{16}-00$`));
    assert.notEqual(first, second);
    assert.equal(outside, undefined);
  });

  it('sends a body as JSON with its content type, user agent and timeout', async () => {
    const { server, transport } = await setUp(ok);
    await transport.json(
      { method: 'PATCH', path: '/x', body: { a: 1 }, contentType: 'application/merge-patch+json' },
      never,
    );
    const [seen] = server.seen;
    assert.equal(seen?.body, '{"a":1}');
    assert.equal(seen.headers['content-type'], 'application/merge-patch+json');
    assert.equal(seen.headers['user-agent'], 'portcullis-test/1');
    assert.equal(seen.query.get('timeout'), '8s');
  });

  it('keeps the path prefix in the address of the server', async () => {
    const { server, transport } = await setUp(ok, { path: '/k8s/cluster-1' });
    await transport.json({ method: 'GET', path: '/version', query: { pretty: 'a b' } }, never);
    assert.equal(server.seen[0]?.path, '/k8s/cluster-1/version');
    assert.equal(server.seen[0].query.get('pretty'), 'a b');
  });

  it('waits as long as Retry-After requires and sends a write again', async () => {
    const busy: Handler = (_, response) => answer(response, 429, status(429, 'slow down'), { 'retry-after': '1' });
    const { server, transport, waits } = await setUp(oneByOne(busy, busy, ok));
    assert.deepEqual(await transport.json({ method: 'POST', path: '/x', body: {} }, never), { fine: true });
    assert.deepEqual(methods(server), ['POST', 'POST', 'POST']);
    assert.deepEqual(waits, [1000, 1000]);
  });

  it('reads again if a response is lost', async () => {
    const { server, transport } = await setUp(oneByOne(cut, ok));
    assert.deepEqual(await transport.json({ method: 'GET', path: '/x' }, never), { fine: true });
    assert.equal(server.seen.length, 2);
  });

  it('never writes again if a response is lost', async () => {
    const { server, transport } = await setUp(oneByOne(cut, ok));
    await assert.rejects(transport.json({ method: 'POST', path: '/x', body: {} }, never), (error) =>
      hasReason(error, 'OutcomeUnknown'),
    );
    assert.equal(server.seen.length, 1);
  });

  it('gives up on a slow server, without a second write', async () => {
    const { server, transport } = await setUp(() => undefined, {
      clock: { ...systemClock, sleep: async () => undefined },
    });
    await assert.rejects(
      transport.json({ method: 'DELETE', path: '/x' }, never),
      (error) => hasReason(error, 'OutcomeUnknown') && error.message.includes('within 8 s'),
    );
    assert.ok(server.seen.length <= 1);
  });

  it('reports an address without a server', async () => {
    const { server, transport } = await setUp(ok);
    await server[Symbol.asyncDispose]();
    open.shift();
    await assert.rejects(
      transport.json({ method: 'POST', path: '/x', body: {} }, never),
      (error) => hasReason(error, 'Unavailable') && error.message.includes('ECONNREFUSED'),
    );
  });

  it('requests another token if a token is rejected, and sends the call once more', async () => {
    const tokens: (string | undefined)[] = [];
    const token: TokenSource = async (rejected) => {
      tokens.push(rejected);
      return rejected === undefined ? 'old' : 'new';
    };
    const check: Handler = ({ headers }, response) =>
      headers.authorization === 'Bearer new'
        ? answer(response, 200, {})
        : answer(response, 401, status(401, 'Unauthorized'));
    const { server, transport } = await setUp(check, { token });
    await transport.json({ method: 'POST', path: '/x', body: {} }, never);
    assert.deepEqual(
      server.seen.map(({ headers }) => headers.authorization),
      ['Bearer old', 'Bearer new'],
    );
    assert.equal(tokens[0], undefined);
    assert.equal(tokens[1], 'old');
  });

  it('does not repeat a call if no other token exists, and keeps the token out of the error', async () => {
    const { server, transport } = await setUp((_, response) => answer(response, 401, status(401, 'Unauthorized')), {
      token: async () => 'sesame',
    });
    await assert.rejects(
      transport.json({ method: 'GET', path: '/x' }, never),
      (error) =>
        hasReason(error, 'Unauthorized') && !JSON.stringify([error, error.message, error.stack]).includes('sesame'),
    );
    assert.equal(server.seen.length, 1);
  });

  it('limits the rate, except of calls that are marked as unlimited', async () => {
    const waits: number[] = [];
    // The clock stands still, so that the limiter adds no tokens between the calls, even on a slow machine.
    const clock = { ...hasty(waits), monotonic: () => 0 };
    const { transport } = await setUp(ok, { rate: { perSecond: 10, burst: 1 }, clock });
    for (let call = 0; call < 3; call += 1) await transport.json({ method: 'GET', path: '/x' }, never);
    await transport.json({ method: 'GET', path: '/x', unlimited: true }, never);
    assert.deepEqual(waits, [100, 200]);
  });

  it('checks the permission to write before every attempt', async () => {
    let checks = 0;
    const guard = (timeoutMs: number): void => {
      assert.equal(timeoutMs, 8000);
      if (++checks > 1) throw new PortcullisError('LostLeadership', 'lost');
    };
    const busy: Handler = (_, response) => answer(response, 429, status(429, 'slow down'), { 'retry-after': '1' });
    const { server, transport } = await setUp(busy);
    await assert.rejects(transport.json({ method: 'POST', path: '/x', body: {}, guard }, never), (error) =>
      hasReason(error, 'LostLeadership'),
    );
    assert.equal(server.seen.length, 1);
  });

  for (const [connection, callsBefore] of [
    ['for a new connection', 0],
    ['for an idle connection', 1],
  ] as const) {
    it(`does not send a write whose permission ends during the wait ${connection}`, async () => {
      const { server, transport } = await setUp(ok);
      for (let count = 0; count < callsBefore; count += 1) await transport.json({ method: 'GET', path: '/x' }, never);
      let leads = true;
      const guard = (): void => {
        if (!leads) throw new PortcullisError('LostLeadership', 'lost');
      };
      // Ticks run after the microtasks of the call, and before any network I/O.
      process.nextTick(() => (leads = false));
      await assert.rejects(transport.json({ method: 'POST', path: '/x', body: {}, guard }, never), (error) =>
        hasReason(error, 'LostLeadership'),
      );
      await transport.json({ method: 'GET', path: '/x' }, never);
      assert.deepEqual(methods(server), Array<string>(callsBefore + 1).fill('GET'));
    });
  }

  it('rejects with the reason of the signal if it is aborted', async () => {
    const stop = new AbortController();
    const { transport } = await setUp(() => stop.abort(new Error('stopping')));
    await assert.rejects(transport.json({ method: 'POST', path: '/x', body: {} }, stop.signal), /stopping/);
  });

  it('counts calls by method and code', async () => {
    const { transport, registry } = await setUp(oneByOne(cut, ok));
    await transport.json({ method: 'GET', path: '/x' }, never);
    const text = await registry.metrics();
    assert.match(text, /rest_client_requests_total\{method="GET",code="<error>"\} 1/);
    assert.match(text, /rest_client_requests_total\{method="GET",code="200"\} 1/);
  });

  it('rejects with a message if a response is not JSON', async () => {
    const { transport } = await setUp((_, response) => void response.end('<html>'));
    await assert.rejects(transport.json({ method: 'GET', path: '/x' }, never), /the response is not JSON/);
  });

  it('streams, with another token if a token is rejected', async () => {
    const check: Handler = ({ headers }, response) =>
      headers.authorization === 'Bearer new'
        ? void response.end('line\n')
        : answer(response, 401, status(401, 'Unauthorized'));
    const { transport } = await setUp(check, { token: async (rejected) => (rejected === undefined ? 'old' : 'new') });
    assert.equal(await text(await transport.stream({ method: 'GET', path: '/x' }, never)), 'line\n');
  });

  it('rejects a stream with the error of the API server', async () => {
    const { transport } = await setUp((_, response) => answer(response, 410, status(410, 'too old')));
    await assert.rejects(
      transport.stream({ method: 'GET', path: '/x' }, never),
      (error) => hasReason(error, 'Rejected') && error.code === '410',
    );
  });
});
