import { chmodSync, mkdirSync, rmSync } from 'node:fs';
import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import { connect } from 'node:net';
import { dirname } from 'node:path';
import type { Duplex } from 'node:stream';
import { stringify } from 'yaml';

/** Returns the egress configuration of kube-apiserver. The proxy at `socket` replaces the missing pod network of the sandbox. */
export const egressConfiguration = (socket: string): string =>
  stringify({
    apiVersion: 'apiserver.k8s.io/v1beta1',
    kind: 'EgressSelectorConfiguration',
    egressSelections: [
      { name: 'cluster', connection: { proxyProtocol: 'HTTPConnect', transport: { uds: { udsName: socket } } } },
    ],
  });

/** A function that returns the port on 127.0.0.1 for a `host:port` of the cluster. Returns undefined if no process serves the address. */
export type Route = (target: string) => Promise<number | undefined>;

const CONNECT_MS = 3000;

/** Starts the HTTP CONNECT proxy on a Unix socket, and resolves when the proxy listens. Runs in the process of the kubelet. */
export async function startEgressProxy(socket: string, route: Route): Promise<AsyncDisposable> {
  const open = new Set<Duplex>();
  const track = (stream: Duplex): void => {
    open.add(stream);
    stream.on('error', () => stream.destroy());
    stream.on('close', () => open.delete(stream));
  };
  const server = createServer((_request, response) => response.writeHead(405).end());
  server.on('connect', (request: IncomingMessage, client: Duplex, head: Buffer) => {
    track(client);
    void tunnel(request.url ?? '', client, head, { route, track });
  });
  mkdirSync(dirname(socket), { recursive: true, mode: 0o700 });
  rmSync(socket, { force: true });
  server.listen(socket);
  await once(server, 'listening');
  chmodSync(socket, 0o600);
  return {
    [Symbol.asyncDispose]: async () => {
      for (const stream of open) stream.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}

interface Tunnels {
  readonly route: Route;
  readonly track: (stream: Duplex) => void;
}

async function tunnel(target: string, client: Duplex, head: Buffer, { route, track }: Tunnels): Promise<void> {
  const port = await route(target).catch(() => undefined);
  if (port === undefined) {
    rejectConnection(client, `no process of this sandbox listens on ${target}`);
    return;
  }
  // Without `noDelay`, each write of a TLS handshake would wait 40 ms for the acknowledgement of the previous write.
  const upstream = connect({ host: '127.0.0.1', port, noDelay: true });
  track(upstream);
  upstream.setTimeout(CONNECT_MS, () => upstream.destroy());
  let established = false;
  upstream.once('connect', () => {
    established = true;
    upstream.setTimeout(0);
    client.write('HTTP/1.1 200 Connection established\r\n\r\n');
    upstream.write(head);
    client.pipe(upstream).pipe(client);
  });
  upstream.once('close', () => {
    if (established) client.destroy();
    else rejectConnection(client, `the process for ${target} is not listening`);
  });
  client.once('close', () => upstream.destroy());
}

function rejectConnection(client: Duplex, why: string): void {
  client.end(`HTTP/1.1 502 Bad Gateway\r\nContent-Type: text/plain\r\nConnection: close\r\n\r\n${why}\n`);
}
