import { once } from 'node:events';
import { createServer, type Server } from 'node:net';
import { PortcullisError } from '../base/errors.ts';

/** The range of ports, below the ports of outgoing connections, which start at 32768 on Linux. */
const FIRST = 20_000;
const LAST = 32_767;
const ATTEMPTS = 200;

async function listen(port: number): Promise<Server | undefined> {
  const server = createServer();
  server.listen({ port, host: '127.0.0.1', exclusive: true });
  try {
    await once(server, 'listening');
    return server;
  } catch {
    return undefined;
  }
}

/** Returns random free TCP ports on 127.0.0.1, which rarely collide with the ports of a concurrent start. */
export async function freePorts(count: number, random: () => number = Math.random): Promise<readonly number[]> {
  const servers = new Map<number, Server>();
  for (let attempt = 0; servers.size < count && attempt < ATTEMPTS + count; attempt += 1) {
    const port = FIRST + Math.floor(random() * (LAST - FIRST + 1));
    const server = servers.has(port) ? undefined : await listen(port);
    if (server !== undefined) servers.set(port, server);
  }
  const ports = [...servers.keys()];
  await Promise.all([...servers.values()].map((server) => new Promise((closed) => server.close(closed))));
  if (ports.length < count) {
    throw new PortcullisError(
      'Unavailable',
      `only ${ports.length} of ${count} free ports found between ${FIRST} and ${LAST}: stop other sandboxes first`,
    );
  }
  return ports;
}
