import assert from 'node:assert/strict';
import type { ApiClient } from '../../../../src/local/api-client.ts';
import { Tokens } from '../../../../src/local/kubelet/tokens.ts';
import { aClient } from '../../../support/strict-api-client.ts';
import { VirtualClock } from '../../../support/virtual-clock.ts';

/** Creates an API server that numbers its issued tokens. */
function issuer(): { readonly client: ApiClient; readonly orders: { path: string; body: unknown }[] } {
  const orders: { path: string; body: unknown }[] = [];
  const client = aClient({
    create: async (path, body) => {
      orders.push({ path, body });
      return { status: { token: `token ${orders.length}` } };
    },
  });
  return { client, orders };
}

/** Without a renewal, the processes of the sandbox would lose their access after an hour. */
describe('the tokens of service accounts', () => {
  it('are issued once, and again when a fifth of their life remains', async () => {
    const clock = new VirtualClock();
    const { client, orders } = issuer();
    const tokens = new Tokens(client, 'portcullis-system', clock);
    assert.equal(await tokens.current('portcullis-webhook', 1000), 'token 1');
    await clock.advance(799_000);
    assert.equal(await tokens.current('portcullis-webhook', 1000), 'token 1');
    await clock.advance(1000);
    assert.equal(await tokens.current('portcullis-webhook', 1000), 'token 2');
    assert.equal(orders[0]?.path, '/api/v1/namespaces/portcullis-system/serviceaccounts/portcullis-webhook/token');
  });

  it('differ by account, life and audience', async () => {
    const { client, orders } = issuer();
    const tokens = new Tokens(client, 'portcullis-system', new VirtualClock());
    const requests = [
      ['a', 600],
      ['b', 600],
      ['a', 700],
      ['a', 600, 'sts'],
    ] as const;
    const issued = [];
    for (const [account, seconds, audience] of requests) issued.push(await tokens.current(account, seconds, audience));
    assert.equal(new Set(issued).size, 4);
    assert.deepEqual(orders.at(-1)?.body, {
      apiVersion: 'authentication.k8s.io/v1',
      kind: 'TokenRequest',
      spec: { expirationSeconds: 600, audiences: ['sts'] },
    });
  });
});
