import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type Server, type ServerResponse } from 'node:http';
import { connect, type AddressInfo, type Socket } from 'node:net';
import { limitConnections } from '../../../src/base/connection-limit.ts';

const MOST = 3;
const GET = 'GET / HTTP/1.1\r\nHost: localhost\r\n\r\n';
const POST = 'POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 5\r\n\r\n';

/** Even if clients open more connections than a server can keep, the API server must get a connection. */
describe('a server with all of its connections open', () => {
  let server: Server;
  let sockets: Socket[] = [];
  /** Requests without an answer so far. */
  let waiting: ServerResponse[] = [];
  let closed: string[] = [];
  let dropped = 0;

  beforeEach(async () => {
    [sockets, waiting, closed, dropped] = [[], [], [], 0];
    server = createServer((_request, response) => void waiting.push(response));
    limitConnections(server, MOST, () => (dropped += 1));
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
  });
  afterEach(async () => {
    const ended = once(server, 'close');
    server.close();
    for (const socket of sockets) socket.destroy();
    server.closeAllConnections();
    await ended;
  });

  /** Opens a connection, waits until the server accepts it, and sends bytes. */
  async function open(name: string, bytes = ''): Promise<Socket> {
    const accepted = once(server, 'connection');
    const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
    sockets.push(socket);
    socket
      .on('error', () => undefined)
      .on('close', () => {
        closed.push(name);
        server.emit('left');
      })
      .resume();
    await Promise.all([accepted, once(socket, 'connect')]);
    if (bytes === GET || bytes === POST) {
      const received = once(server, 'request');
      socket.write(bytes);
      await received;
    } else if (bytes !== '') socket.write(bytes);
    return socket;
  }
  async function answer(socket: Socket): Promise<void> {
    const answered = once(socket, 'data');
    waiting.shift()?.end('ok');
    await answered;
  }
  /** Opens another connection and gets an answer on it. Returns the connections that were closed for it. */
  async function openOneMore(): Promise<readonly string[]> {
    const socket = await open('new', GET);
    const last = waiting.pop();
    waiting.unshift(...(last === undefined ? [] : [last]));
    await answer(socket);
    while (closed.length < dropped) await once(server, 'left');
    return closed;
  }

  it('closes the oldest unused connection, and keeps a used connection', async () => {
    await answer(await open('used', GET));
    await open('partial head', 'GET /');
    await open('unused');
    assert.deepEqual(await openOneMore(), ['partial head']);
    assert.deepEqual(await openOneMore(), ['partial head', 'unused']);
  });

  it('closes the least recently used connection if all were used', async () => {
    const first = await open('first', GET);
    await answer(first);
    await answer(await open('second', GET));
    await answer(await open('third', GET));
    const again = once(server, 'request');
    first.write(GET);
    await again;
    await answer(first);
    assert.deepEqual(await openOneMore(), ['second']);
  });

  it('closes a connection with an incomplete request before a later connection without a request', async () => {
    await open('sending', POST);
    await open('sending', POST);
    await open('handshake');
    assert.deepEqual(await openOneMore(), ['sending']);
  });

  it('closes a connection that still sends its request, and none that waits for its response', async () => {
    await open('waiting', GET);
    await open('sending', POST);
    await open('waiting', GET);
    assert.deepEqual(await openOneMore(), ['sending']);
  });

  it('closes the new connection if all other connections wait for their responses', async () => {
    for (let n = 0; n < MOST; n += 1) await open('waiting', GET);
    await open('new');
    if (closed.length === 0) await once(server, 'left');
    assert.deepEqual([closed, dropped], [['new'], 1]);
  });

  it('accepts a new connection for each connection that ends', async () => {
    for (let n = 0; n < 3 * MOST; n += 1) {
      const accepted = once(server, 'connection') as Promise<[Socket]>;
      const socket = await open('ended');
      const [peer] = await accepted;
      const closed = once(peer, 'close');
      socket.destroy();
      await closed;
    }
    assert.equal(dropped, 0);
  });
});
