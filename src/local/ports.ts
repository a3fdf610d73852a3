import { once } from 'node:events';
import { createServer, type Server } from 'node:net';
import { PortcullisError } from '../base/errors.ts';

/** Below what operating systems hand out for outgoing connections (Linux from 32768, others from 49152), so that no connection takes one meanwhile. */
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

/** That many different TCP ports, free on the loopback at this moment. `random` answers numbers from 0 up to but not including 1. */
export async function freePorts(count: number, random: () => number = Math.random): Promise<readonly number[]> {
  const held = new Map<number, Server>();
  for (let attempt = 0; held.size < count && attempt < ATTEMPTS + count; attempt += 1) {
    const port = FIRST + Math.floor(random() * (LAST - FIRST + 1));
    const server = held.has(port) ? undefined : await listen(port);
    if (server !== undefined) held.set(port, server);
  }
  const ports = [...held.keys()];
  await Promise.all([...held.values()].map((server) => new Promise((closed) => server.close(closed))));
  if (ports.length < count) {
    throw new PortcullisError(
      'Unavailable',
      `only ${ports.length} of ${count} free ports found between ${FIRST} and ${LAST}: stop other sandboxes first`,
    );
  }
  return ports;
}
