import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { IdleConnections } from '../../../../webhook/server/unused-connections.ts';
import { handleClientErrors } from '../../../../webhook/server/client-errors.ts';
import { openRaw, posted } from '../../../support/raw-client.ts';
import { servingCertificate, type ServingCertificate } from '../../../support/serving-certificate.ts';

const HEAD_MS = 100;
const CHECK_MS = 20;
const FOREVER_MS = 3_600_000;

/** Idle connections must not keep the server from its shutdown or from other clients. */
describe('a connection without a request', () => {
  let certificate: ServingCertificate;
  before(async () => {
    certificate = await servingCertificate();
  });

  async function serving(reserve: IdleConnections): Promise<{ readonly server: Server; readonly port: number }> {
    const server = createServer(
      { cert: certificate.certificate, key: certificate.key, connectionsCheckingInterval: CHECK_MS },
      (_request, response) => response.end('answered'),
    );
    server.headersTimeout = server.requestTimeout = HEAD_MS;
    server.on('clientError', handleClientErrors(reserve));
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return { server, port: (server.address() as AddressInfo).port };
  }

  const open = (port: number) => openRaw(port, certificate.authority.certificate);

  it('is served at its first request, and is closed if the next request is slow', async () => {
    const reserve = new IdleConnections(FOREVER_MS);
    const { server, port } = await serving(reserve);
    using unused = await open(port);
    using slow = await open(port);
    slow.socket.write('POST ');
    assert.equal(await slow.closed, '');
    unused.socket.write(posted('{}'));
    assert.match(await unused.until(/answered/), /^HTTP\/1\.1 200 /);
    unused.socket.write('POST ');
    assert.match(await unused.closed, /answered\s*0?\s*$/);
    server.close();
    await once(server, 'close');
  });

  it('is closed after the timeout of idle connections', async () => {
    const { server, port } = await serving(new IdleConnections(1));
    using unused = await open(port);
    assert.equal(await unused.closed, '');
    server.close();
  });

  it('does not delay the shutdown of the server', async () => {
    const reserve = new IdleConnections(FOREVER_MS);
    const { server, port } = await serving(reserve);
    using unused = await open(port);
    using slow = await open(port);
    slow.socket.write('POST ');
    await slow.closed;
    const closed = once(server, 'close');
    server.close();
    reserve.end();
    await Promise.all([closed, unused.closed]);
  });
});
