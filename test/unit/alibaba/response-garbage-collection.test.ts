import assert from 'node:assert/strict';
import { once } from 'node:events';
import { Agent, createServer, get, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { checkedBeforeSend } from '../../../src/alibaba/check-before-send.ts';

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;

/** The process sends many calls over one connection. Without the release, each response would stay in memory. */
describe('a call with a check before it is sent', () => {
  it('releases its response to the garbage collector while its connection stays open', async () => {
    await using server = createServer((_, response) => response.end('{}'));
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const agent = new Agent({ keepAlive: true });
    const call = async (): Promise<{ readonly rows: readonly number[] }> => {
      const [response] = (await once(get({ agent, port, host: '127.0.0.1' }), 'response')) as [IncomingMessage];
      await once(response.resume(), 'end');
      return { rows: [1, 2, 3] };
    };
    const response = await (async () => new WeakRef(await checkedBeforeSend(() => undefined, call)))();
    // The target of a new WeakRef stays alive until the current job ends.
    await new Promise((resolve) => setImmediate(resolve));
    collect();
    assert.equal(Object.values(agent.freeSockets).length, 1);
    assert.equal(response.deref(), undefined);
    agent.destroy();
  });
});
