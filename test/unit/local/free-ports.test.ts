import assert from 'node:assert/strict';
import { createServer, type Server } from 'node:net';
import { once } from 'node:events';
import { freePorts } from '../../../src/local/free-ports.ts';

/** Several sandboxes and tests run on one machine and must not share ports. */
describe('free ports', () => {
  it('are different, below the ephemeral ports, and free to listen on', async () => {
    const ports = await freePorts(5);
    assert.equal(new Set(ports).size, 5);
    for (const port of ports) {
      assert.ok(port >= 20_000 && port <= 32_767, String(port));
      const server: Server = createServer().listen(port, '127.0.0.1');
      await once(server, 'listening');
      server.close();
    }
  });

  it('exclude a port in use, and a port that was allocated before', async () => {
    const [taken = 0] = await freePorts(1);
    const holder = createServer().listen(taken, '127.0.0.1');
    await once(holder, 'listening');
    const draw = (port: number): number => (port - 20_000 + 0.5) / 12_768;
    const [other = 0, third = 0] = await freePorts(2);
    const drawn = [taken, other, other, third].map(draw);
    const ports = await freePorts(2, () => drawn.shift() ?? 0);
    assert.deepEqual(ports, [other, third]);
    holder.close();
  });

  it('that cannot be found cause an error with advice', async () => {
    await assert.rejects(
      freePorts(3, () => 0),
      { message: /only [01] of 3 free ports found .* stop other sandboxes first/ },
    );
  });
});
