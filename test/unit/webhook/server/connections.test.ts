import assert from 'node:assert/strict';
import { once } from 'node:events';
import { Agent, request as httpsRequest } from 'node:https';
import type { AddressInfo } from 'node:net';
import { connect, type TLSSocket } from 'node:tls';
import { drain, drainable } from '../../../../webhook/server/drain.ts';
import type { WebhookServer } from '../../../../webhook/server/server.ts';
import { openRaw, posted } from '../../../support/raw-client.ts';
import { aReview } from '../../../support/review.ts';
import { aService } from '../../../support/service.ts';
import { servingCertificate, type ServingCertificate } from '../../../support/serving-certificate.ts';
import { VirtualClock } from '../../../support/virtual-clock.ts';
import { aServer } from '../../../support/webhook-server.ts';

const review = JSON.stringify(aReview({ object: aService(), uid: 'u-1' }));

let certificate: ServingCertificate;
before(async () => {
  certificate = await servingCertificate();
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

/** The API server keeps connections open, so a shutdown must not cut requests in progress. */
describe('the listening server', () => {
  it('offers only HTTP/1.1', async () => {
    await using bound = await listening(aServer(certificate));
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

  it('answers an HTTP/2 preface with 400 and continues', async () => {
    await using bound = await listening(aServer(certificate));
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

  it('uses a new certificate for new connections and keeps old connections', async () => {
    const server = aServer(certificate);
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

  it('fails no request on open connections during shutdown', async () => {
    const server = aServer(certificate);
    const drainableServer = drainable(server);
    const bound = await listening(server);
    const agent = new Agent({ ca: certificate.authority.certificate, keepAlive: true, maxSockets: 8 });
    const clients = Array.from({ length: 8 }, async () => {
      const replies: Reply[] = [];
      for (let last = false; !last;) {
        last = drainableServer.begun;
        replies.push(await call(bound.port, agent));
      }
      return replies;
    });
    await call(bound.port, agent);
    const clock = new VirtualClock();
    const drained = drain(server, drainableServer, 10_000, clock, new AbortController().signal);
    const replies = await Promise.all(clients);
    assert.ok(replies.flat().every(({ status }) => status === 200));
    assert.ok(replies.every((all) => all.at(-1)?.connection === 'close'));
    await clock.advance(10_000);
    await drained;
    await assert.rejects(call(bound.port, agent), { code: 'ECONNREFUSED' });
    agent.destroy();
  });

  it('answers a request in progress at shutdown', async () => {
    const server = aServer(certificate);
    await using bound = await listening(server);
    const accepted = once(server.server, 'secureConnection') as Promise<[TLSSocket]>;
    using connection = await openRaw(bound.port, certificate.authority.certificate);
    const [socket] = await accepted;
    const arrived = once(socket, 'data');
    const bytes = posted(review);
    connection.socket.write(bytes.slice(0, 10));
    await arrived;
    const drained = server.close();
    connection.socket.write(bytes.slice(10));
    assert.match(await connection.closed, /^HTTP\/1\.1 200 .*connection: close.*"uid":"u-1"/is);
    await drained;
  });

  it('stops at once at the second request to stop', async () => {
    const server = aServer(certificate);
    const drainableServer = drainable(server);
    await listening(server);
    const now = new AbortController();
    const drained = drain(server, drainableServer, 10_000, new VirtualClock(), now.signal);
    now.abort();
    await drained;
    assert.equal(server.server.listening, false);
  });
});
