import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, createServer, type AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { pino } from 'pino';
import { Counter, Registry } from 'prom-client';
import { request } from 'undici';
import { hasReason } from '../../../src/base/errors.ts';
import { startProbes, type Checks, type Probes } from '../../../src/base/probes.ts';

/** The kubelet and the load balancer of the API server read these probes. A wrong answer stops or hides the process. */
describe('the probe server', () => {
  let probes: Probes | undefined;
  afterEach(async () => {
    await probes?.[Symbol.asyncDispose]();
    probes = undefined;
  });

  const start = async (checks: { healthy?: Checks; ready?: Checks } = {}, port = 0) => {
    const registry = new Registry();
    new Counter({ name: 'made_up_total', help: 'Made up.', registers: [registry] }).inc(3);
    const started = await startProbes({
      host: '127.0.0.1',
      port,
      registry,
      log: pino({ level: 'silent' }),
      healthy: {},
      ready: {},
      ...checks,
    });
    probes = started;
    return async (path: string, method: 'GET' | 'POST' = 'GET') => {
      const { statusCode, body } = await request(`http://127.0.0.1:${started.port}${path}`, { method });
      return [statusCode, await body.text()] as const;
    };
  };
  const well = (): undefined => undefined;

  it('answers with the text ok alone if all checks pass', async () => {
    const get = await start({ ready: { informers: well } });
    for (const path of ['/healthz', '/livez', '/readyz']) assert.deepEqual(await get(path), [200, 'ok']);
  });

  it('lists its checks on request', async () => {
    const get = await start({ ready: { informers: well, certificate: well } });
    assert.deepEqual(await get('/readyz?verbose'), [
      200,
      '[+]ping ok\n[+]informers ok\n[+]certificate ok\nreadyz check passed\n',
    ]);
  });

  it('fails if a check fails, and prints all checks with the reason, even without verbose', async () => {
    const get = await start({ ready: { informers: () => 'the first list is not complete', certificate: well } });
    assert.deepEqual(await get('/readyz'), [
      500,
      '[+]ping ok\n[-]informers failed: the first list is not complete\n[+]certificate ok\nreadyz check failed\n',
    ]);
    assert.deepEqual(await get('/healthz'), [200, 'ok']);
  });

  it('follows a check as it changes', async () => {
    let problem: string | undefined = 'not yet';
    const get = await start({ ready: { informers: () => problem } });
    assert.equal((await get('/readyz'))[0], 500);
    problem = undefined;
    assert.equal((await get('/readyz'))[0], 200);
  });

  it('excludes a check on request, and runs a single check on request', async () => {
    const get = await start({ ready: { informers: () => 'not yet', certificate: well } });
    assert.deepEqual(await get('/readyz?exclude=informers'), [200, 'ok']);
    assert.deepEqual(await get('/readyz?exclude=informers&verbose'), [
      200,
      '[+]ping ok\n[+]informers excluded: ok\n[+]certificate ok\nreadyz check passed\n',
    ]);
    assert.equal((await get('/readyz/certificate'))[0], 200);
    assert.equal((await get('/readyz/informers'))[0], 500);
    assert.equal((await get('/readyz/unknown'))[0], 404);
  });

  it('serves the metrics', async () => {
    const get = await start();
    const [status, text] = await get('/metrics');
    assert.equal(status, 200);
    assert.match(text, /^made_up_total 3$/m);
  });

  it('answers other paths and methods with a message', async () => {
    const get = await start();
    assert.deepEqual(await get('/constructor'), [
      404,
      'not found: the paths are /healthz, /livez, /readyz and /metrics\n',
    ]);
    assert.equal((await get('/healthz', 'POST'))[0], 405);
  });

  it('answers 404 to an invalid path, and logs no stack trace', async () => {
    const log: string[] = [];
    const options = { host: '127.0.0.1', port: 0, registry: new Registry(), healthy: {}, ready: {} };
    probes = await startProbes({ ...options, log: pino({}, { write: (line: string) => void log.push(line) }) });
    for (const path of ['//', '//[', '/%']) {
      const socket = connect(probes.port, '127.0.0.1');
      socket.write(`GET ${path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n`);
      assert.match(await text(socket), /^HTTP\/1\.1 404 /);
    }
    assert.doesNotMatch(log.join(''), /stack/);
  });

  it('answers while clients open more idle connections than it keeps open', async () => {
    const get = await start();
    const idle = await Promise.all(
      Array.from({ length: 150 }, async (_, at) => {
        const socket = connect(probes?.port ?? 0, '127.0.0.1').on('error', () => undefined);
        await once(socket, 'connect');
        if (at % 2 === 0) socket.write('GET /healthz');
        return socket;
      }),
    );
    assert.deepEqual(await get('/healthz'), [200, 'ok']);
    for (const socket of idle) socket.destroy();
  });

  it('reports a port in use in a message', async () => {
    const other = createServer().listen(0, '127.0.0.1');
    await once(other, 'listening');
    const { port } = other.address() as AddressInfo;
    try {
      await assert.rejects(
        start({}, port),
        (error) =>
          hasReason(error, 'InvalidConfiguration') &&
          error.message.includes(`127.0.0.1:${port}, because another process uses the port`),
      );
    } finally {
      other.close();
    }
  });

  it('reports an unusable address in a message', async () => {
    const starting = startProbes({
      host: '192.0.2.1',
      port: 0,
      registry: new Registry(),
      log: pino({ level: 'silent' }),
      healthy: {},
      ready: {},
    });
    await assert.rejects(
      starting,
      (error) => hasReason(error, 'InvalidConfiguration') && error.message.includes('choose an address'),
    );
  });

  it('stops with open connections', async () => {
    const get = await start();
    await get('/healthz');
    await probes?.[Symbol.asyncDispose]();
    await assert.rejects(get('/healthz'), /ECONNREFUSED/);
    probes = undefined;
  });
});
