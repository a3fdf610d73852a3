import assert from 'node:assert/strict';
import { once } from 'node:events';
import { Agent, request as httpsRequest } from 'node:https';
import type { AddressInfo } from 'node:net';
import { connect, type TLSSocket } from 'node:tls';
import { pino } from 'pino';
import { Registry } from 'prom-client';
import { systemClock, type Clock } from '../../../src/clock.ts';
import { drain, drainable } from '../../../webhook/drain.ts';
import { createMetrics } from '../../../webhook/metrics.ts';
import type { Answer } from '../../../webhook/review.ts';
import { buildServer, type Decide, type WebhookServer } from '../../../webhook/server.ts';
import { tooBusy } from '../../../webhook/work.ts';
import { openRaw, posted } from '../../support/raw-client.ts';
import { aReview } from '../../support/review.ts';
import { aService } from '../../support/service.ts';
import { servingCertificate, type ServingCertificate } from '../../support/serving-certificate.ts';
import { VirtualClock } from '../../support/virtual-clock.ts';

const allow: Decide = (): Answer => ({ allowed: true });
const review = JSON.stringify(aReview({ object: aService(), uid: 'u-1' }));

let certificate: ServingCertificate;
before(async () => {
  certificate = await servingCertificate();
});

interface Building {
  readonly validate?: Decide;
  readonly log?: string[];
  readonly clock?: Clock;
  readonly maxInFlight?: number;
  readonly registry?: Registry;
}

function build(said: Building = {}): WebhookServer {
  const log = pino({ base: null }, { write: (line: string) => said.log?.push(line) });
  return buildServer(
    {
      mutate: allow,
      validate: said.validate ?? allow,
      clock: said.clock ?? systemClock,
      log,
      metrics: createMetrics(said.registry ?? new Registry()),
      maxInFlight: said.maxInFlight ?? 100,
    },
    { cert: Buffer.from(certificate.certificate), key: Buffer.from(certificate.key) },
  );
}

const post = (server: WebhookServer, payload: string | Buffer, contentType = 'application/json', url = '/validate') =>
  server.inject({ method: 'POST', url, headers: { 'content-type': contentType }, payload });

describe('the admission server', () => {
  it('answers a review with its UID', async () => {
    const reply = await post(build(), review);
    assert.equal(reply.statusCode, 200);
    assert.match(String(reply.headers['content-type']), /^application\/json/);
    assert.deepEqual(reply.json(), {
      apiVersion: 'admission.k8s.io/v1',
      kind: 'AdmissionReview',
      response: { uid: 'u-1', allowed: true },
    });
  });

  it('accepts a content type with a character set', async () => {
    assert.equal((await post(build(), review, 'application/json; charset=utf-8')).statusCode, 200);
  });

  const large = JSON.stringify(aReview({ object: aService({ annotations: { large: 'x'.repeat(6_000_000) } }) }));
  it('reads two objects of the largest size that the API server stores', async () => {
    assert.equal((await post(build(), large)).statusCode, 200);
  });

  const refused: Record<
    string,
    { payload: string | Buffer; type?: string; url?: string; status: number; says: RegExp }
  > = {
    'a body that is no JSON': { payload: '{', status: 400, says: /not JSON/ },
    'an empty body': { payload: '', status: 400, says: /not JSON|empty/i },
    'a body that is not UTF-8': { payload: Buffer.from([0x7b, 0xff]), status: 400, says: /not UTF-8/ },
    'a body that is no review': { payload: '{"a":1}', status: 400, says: /no AdmissionReview/ },
    'a review of an unknown version': {
      payload: review.replace('admission.k8s.io/v1', 'admission.k8s.io/v2'),
      status: 400,
      says: /"admission\.k8s\.io\/v2" cannot be read/,
    },
    'a body over 7 MiB': { payload: `"${'x'.repeat(7 * 1024 * 1024)}"`, status: 413, says: /too large/ },
    'another content type': { payload: review, type: 'text/plain', status: 415, says: /Media Type/ },
    'no content type': { payload: review, type: '', status: 415, says: /Media Type/ },
  };
  for (const [sentence, { payload, type, status, says }] of Object.entries(refused)) {
    it(`answers ${status} to ${sentence}`, async () => {
      const reply = await post(build(), payload, type);
      assert.equal(reply.statusCode, status);
      assert.match(reply.body, says);
    });
  }

  it('has no other path', async () => {
    assert.equal((await post(build(), review, 'application/json', '/')).statusCode, 404);
    assert.equal((await build().inject({ method: 'GET', url: '/validate' })).statusCode, 404);
  });

  it('answers 500 when there can be no verdict, and keeps the reason for the log', async () => {
    const log: string[] = [];
    const reply = await post(
      build({
        log,
        validate: () => {
          throw new Error('lb-1 belongs to somebody');
        },
      }),
      review,
    );
    assert.equal(reply.statusCode, 500);
    assert.doesNotMatch(reply.body, /lb-1/);
    const incident = /incident ([0-9a-f-]{36})/.exec(reply.body)?.[1] ?? 'none';
    assert.ok(log.some((line) => line.includes(incident) && line.includes('lb-1 belongs to somebody')));
  });

  it('gives the rules until 300 ms before the time-out in the query, from when the request came in', async () => {
    let now = 1_000;
    const seen: boolean[] = [];
    const decide: Decide = (_request, expired) => {
      for (now of [2_699, 2_700]) seen.push(expired());
      return { allowed: true };
    };
    const server = build({ validate: decide, clock: { ...systemClock, monotonic: () => now } });
    server.addHook('preHandler', (_request, _reply, done) => {
      now = 2_000;
      done();
    });
    await post(server, review, 'application/json', '/validate?timeout=2s');
    assert.deepEqual(seen, [false, true]);
  });

  it('looks only at what cannot wait once too many reviews wait, and asks for another try where that fails', async () => {
    const late: string[] = [];
    const validate: Decide = ({ uid }, expired) => {
      if (expired()) late.push(uid);
      if (uid === 'u-unsafe') throw tooBusy('there is no time: try again');
      return { allowed: true };
    };
    const server = build({ validate, maxInFlight: 2 });
    const uids = ['u-1', 'u-2', 'u-3', 'u-unsafe'];
    const replies = await Promise.all(
      uids.map((uid) => post(server, JSON.stringify(aReview({ object: aService(), uid })))),
    );
    assert.deepEqual(late, ['u-3', 'u-unsafe']);
    assert.deepEqual(
      replies.map(({ statusCode }) => statusCode),
      [200, 200, 200, 500],
    );
    const [, , , unsafe] = replies;
    assert.deepEqual([unsafe?.headers['retry-after'], unsafe?.headers.connection], ['1', 'close']);
    assert.equal(unsafe?.body, 'there is no time: try again\n');
  });

  it('counts connections of which there were too many, and requests without a verdict', async () => {
    const registry = new Registry();
    const server = build({ registry });
    server.server.emit('drop');
    await post(server, '{');
    const figures = await registry.metrics();
    assert.match(figures, /^portcullis_webhook_dropped_connections_total 1$/m);
    assert.match(figures, /^portcullis_webhook_unreadable_requests_total\{status="400"\} 1$/m);
  });

  it('has the time-outs that the API server needs', () => {
    const { server } = build();
    assert.equal(server.keepAliveTimeout, 120_000);
    assert.equal(server.headersTimeout, 10_000);
    assert.equal(server.requestTimeout, 10_000);
    assert.equal(server.maxRequestsPerSocket, 1_000);
    assert.equal(server.maxConnections, 2_000);
  });
});

async function listening(server: WebhookServer): Promise<AsyncDisposable & { readonly port: number }> {
  await server.listen({ host: '127.0.0.1', port: 0 });
  return {
    port: (server.server.address() as AddressInfo).port,
    [Symbol.asyncDispose]: () => server.close(),
  };
}

interface Reply {
  readonly status: number;
  readonly connection: string | undefined;
}

function call(port: number, agent: Agent): Promise<Reply> {
  const { promise, resolve, reject } = Promise.withResolvers<Reply>();
  const headers = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(review) };
  httpsRequest({ port, agent, path: '/validate', method: 'POST', host: '127.0.0.1', headers }, (response) => {
    response.resume();
    response.on('error', reject);
    response.on('end', () => resolve({ status: response.statusCode ?? 0, connection: response.headers.connection }));
  })
    .on('error', reject)
    .end(review);
  return promise;
}

describe('the listening server', () => {
  it('offers HTTP/1.1 and nothing else', async () => {
    await using bound = await listening(build());
    const socket = connect({
      port: bound.port,
      host: '127.0.0.1',
      ca: certificate.authority.certificate,
      ALPNProtocols: ['h2', 'http/1.1'],
    });
    await once(socket, 'secureConnect');
    assert.equal(socket.alpnProtocol, 'http/1.1');
    socket.destroy();
  });

  it('answers an HTTP/2 preface with 400 and goes on', async () => {
    await using bound = await listening(build());
    const socket = connect({ port: bound.port, host: '127.0.0.1', ca: certificate.authority.certificate });
    await once(socket, 'secureConnect');
    socket.write('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n');
    const [first] = (await once(socket, 'data')) as [Buffer];
    assert.match(first.toString(), /^HTTP\/1\.1 400 /);
    socket.destroy();
    const agent = new Agent({ ca: certificate.authority.certificate });
    assert.equal((await call(bound.port, agent)).status, 200);
    agent.destroy();
  });

  it('takes a new certificate for new connections while old ones live on', async () => {
    const server = build();
    await using bound = await listening(server);
    const old = new Agent({ ca: certificate.authority.certificate, keepAlive: true });
    assert.equal((await call(bound.port, old)).status, 200);
    const renewed = await servingCertificate();
    server.server.setSecureContext({ cert: renewed.certificate, key: renewed.key });
    assert.equal((await call(bound.port, old)).status, 200);
    const fresh = new Agent({ ca: renewed.authority.certificate });
    assert.equal((await call(bound.port, fresh)).status, 200);
    old.destroy();
    fresh.destroy();
  });

  it('fails no request on live connections while it leaves', async () => {
    const server = build();
    const leaving = drainable(server);
    const bound = await listening(server);
    const agent = new Agent({ ca: certificate.authority.certificate, keepAlive: true, maxSockets: 8 });
    const clients = Array.from({ length: 8 }, async () => {
      const replies: Reply[] = [];
      for (let last = false; !last;) {
        last = leaving.begun;
        replies.push(await call(bound.port, agent));
      }
      return replies;
    });
    await call(bound.port, agent);
    const clock = new VirtualClock();
    const gone = drain(server, leaving, 10_000, clock, new AbortController().signal);
    const replies = await Promise.all(clients);
    assert.ok(replies.flat().every(({ status }) => status === 200));
    assert.ok(replies.every((all) => all.at(-1)?.connection === 'close'));
    await clock.advance(10_000);
    await gone;
    await assert.rejects(call(bound.port, agent), { code: 'ECONNREFUSED' });
    agent.destroy();
  });

  it('answers a request that is on its way when it is closed', async () => {
    const server = build();
    await using bound = await listening(server);
    const accepted = once(server.server, 'secureConnection') as Promise<[TLSSocket]>;
    using connection = await openRaw(bound.port, certificate.authority.certificate);
    const [socket] = await accepted;
    const arrived = once(socket, 'data');
    const bytes = posted(review);
    connection.socket.write(bytes.slice(0, 10));
    await arrived;
    const gone = server.close();
    connection.socket.write(bytes.slice(10));
    assert.match(await connection.closed, /^HTTP\/1\.1 200 .*connection: close.*"uid":"u-1"/is);
    await gone;
  });

  it('leaves at once when told a second time', async () => {
    const server = build();
    const leaving = drainable(server);
    await listening(server);
    const now = new AbortController();
    const gone = drain(server, leaving, 10_000, new VirtualClock(), now.signal);
    now.abort();
    await gone;
    assert.equal(server.server.listening, false);
  });
});
