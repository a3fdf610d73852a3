import assert from 'node:assert/strict';
import { once } from 'node:events';
import { statSync } from 'node:fs';
import { request } from 'node:http';
import { createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { join } from 'node:path';
import { parse } from 'yaml';
import { egressConfiguration, startEgressProxy } from '../../../src/local/api-server-egress-proxy.ts';
import { freePorts } from '../../../src/local/free-ports.ts';
import { temporaryFolder } from '../../support/folder.ts';

interface Reply {
  readonly status: number;
  readonly socket: Socket;
}

/** Returns the result of an HTTP CONNECT through the proxy. */
async function dial(socketPath: string, target: string): Promise<Reply> {
  const call = request({ socketPath, method: 'CONNECT', path: target }).end();
  const [response, socket] = (await once(call, 'connect')) as [{ statusCode: number }, Socket];
  return { status: response.statusCode, socket };
}

async function echo(): Promise<Server> {
  const server = createServer((socket) => socket.pipe(socket)).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return server;
}

/** The API server of the sandbox has no pod network, and reaches the webhook only through this proxy. */
describe('the egress proxy', () => {
  it('connects the API server with the process of a pod in both directions', async () => {
    using folder = temporaryFolder();
    const server = await echo();
    const { port } = server.address() as AddressInfo;
    const targets: string[] = [];
    const path = join(folder.path, 'egress.sock');
    await using stack = new AsyncDisposableStack();
    stack.use(
      await startEgressProxy(path, async (target) => {
        targets.push(target);
        return port;
      }),
    );
    const { status, socket } = await dial(path, '10.64.1.2:9443');
    assert.equal(status, 200);
    assert.deepEqual(targets, ['10.64.1.2:9443']);
    socket.write('hello');
    const [answer] = (await once(socket, 'data')) as [Buffer];
    assert.equal(answer.toString(), 'hello');
    socket.destroy();
    server.close();
  });

  it('answers 502 without a process, without a listener, and after an error of the lookup', async () => {
    using folder = temporaryFolder();
    const [closed = 0] = await freePorts(1);
    const path = join(folder.path, 'egress.sock');
    await using stack = new AsyncDisposableStack();
    stack.use(
      await startEgressProxy(path, async (target) => {
        if (target.startsWith('broken')) throw new Error('no API server');
        return target.startsWith('closed') ? closed : undefined;
      }),
    );
    for (const target of ['nowhere:1', 'closed:1', 'broken:1'])
      assert.equal((await dial(path, target)).status, 502, target);
  });

  it('closes its connections when it ends, and replaces the socket of a killed proxy', async () => {
    using folder = temporaryFolder();
    const server = await echo();
    const { port } = server.address() as AddressInfo;
    const path = join(folder.path, 'deep', 'egress.sock');
    const proxy = await startEgressProxy(path, async () => port);
    const { socket } = await dial(path, 'pod:1');
    const closed = once(socket, 'close');
    await proxy[Symbol.asyncDispose]();
    await closed;
    await using stack = new AsyncDisposableStack();
    stack.use(await startEgressProxy(path, async () => port));
    assert.equal((await dial(path, 'pod:1')).status, 200);
    assert.equal(statSync(path).mode & 0o077, 0, 'only its owner may use it');
    server.close();
  });

  it('is configured in kube-apiserver for cluster traffic only', () => {
    const { egressSelections } = parse(egressConfiguration('/sandbox/egress.sock')) as { egressSelections: object[] };
    assert.deepEqual(egressSelections, [
      {
        name: 'cluster',
        connection: { proxyProtocol: 'HTTPConnect', transport: { uds: { udsName: '/sandbox/egress.sock' } } },
      },
    ]);
  });
});
