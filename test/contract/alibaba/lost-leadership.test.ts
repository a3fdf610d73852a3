import assert from 'node:assert/strict';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { once } from 'node:events';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { createSecureContext, getCACertificates, setDefaultCACertificates } from 'node:tls';
import type { Credentials } from '../../../src/alibaba/credentials/credential-types.ts';
import { createTransport } from '../../../src/alibaba/sdk-transport.ts';
import { credentialsOf, httpScript, sendJson, type HttpScript } from '../../support/cloud-over-http.ts';
import { slb } from '../../support/scripted-cloud.ts';
import { servingCertificate } from '../../support/serving-certificate.ts';
import { ACCESS_KEY } from '../../support/simulator.ts';

const WRITE = slb('SetLoadBalancerName');
const READ = slb('DescribeLoadBalancers');
const never = new AbortController().signal;
const KEY = credentialsOf(() => ACCESS_KEY);

interface TransportInput {
  readonly protocol?: 'http' | 'https';
  readonly credentials?: Credentials;
}

const transportTo = (host: string, { protocol = 'http', credentials = KEY }: TransportInput = {}) =>
  createTransport({
    endpoints: () => ({ host, protocol }),
    regionId: 'cn-hangzhou',
    credentials,
    userAgent: 'portcullis/0.1.0',
  });

const scripted = (): Promise<HttpScript> => httpScript((response) => sendJson(response, { RequestId: 'R' }));
const actions = ({ seen }: HttpScript) => seen.map(({ headers }) => headers['x-acs-action']);

/** Creates a leader. Each call runs `check` before it is sent. The check fails after `end`, which ends the leadership. */
function lead() {
  let leads = true;
  const check = (): void => {
    if (!leads) throw new Error('lost');
  };
  return { check, end: () => void (leads = false) };
}

/** A process that lost its leadership must not send a call, because two leaders could create two load balancers. */
describe('a call to the cloud that is no longer allowed', () => {
  it('is not sent after the wait for an access key', async () => {
    await using server = await scripted();
    const { check, end } = lead();
    const credentials: Credentials = {
      ...KEY,
      current: async () => {
        end();
        return ACCESS_KEY;
      },
    };
    const transport = transportTo(server.host, { credentials });
    await assert.rejects(transport(WRITE, {}, never, check), { message: 'lost' });
    await transportTo(server.host)(READ, {}, never, () => undefined);
    assert.deepEqual(actions(server), ['DescribeLoadBalancers']);
  });

  it('is not sent after the wait for an access key if it was aborted in the meantime', async () => {
    await using server = await scripted();
    const giveUp = new AbortController();
    const credentials: Credentials = {
      ...KEY,
      current: async () => {
        giveUp.abort(new Error('given up'));
        return ACCESS_KEY;
      },
    };
    const transport = transportTo(server.host, { credentials });
    await assert.rejects(
      transport(WRITE, {}, giveUp.signal, () => undefined),
      { message: 'given up' },
    );
    await transportTo(server.host)(READ, {}, never, () => undefined);
    assert.deepEqual(actions(server), ['DescribeLoadBalancers']);
  });

  for (const [what, readsBefore] of [
    ['a new connection', 0],
    ['an idle connection', 1],
  ] as const) {
    it(`is not sent after the wait for ${what}`, async () => {
      await using server = await scripted();
      const transport = transportTo(server.host);
      for (let count = 0; count < readsBefore; count += 1) await transport(READ, {}, never, () => undefined);
      const { check, end } = lead();
      subscribe('http.client.request.created', end);
      try {
        await assert.rejects(transport(WRITE, {}, never, check), { message: 'lost' });
      } finally {
        unsubscribe('http.client.request.created', end);
      }
      await transport(READ, {}, never, () => undefined);
      assert.deepEqual(
        actions(server),
        Array.from({ length: readsBefore + 1 }, () => 'DescribeLoadBalancers'),
      );
    });
  }

  it('is not sent after the handshake of its connection', async () => {
    const { authority, certificate, key } = await servingCertificate();
    const trusted = getCACertificates('default');
    setDefaultCACertificates([...trusted, authority.certificate]);
    const { check, end } = lead();
    const seen: string[] = [];
    const server = createServer(
      {
        SNICallback: (_name, answer) => {
          end();
          answer(null, createSecureContext({ cert: certificate, key }));
        },
      },
      (request, response) => {
        seen.push(String(request.headers['x-acs-action']));
        sendJson(response, { RequestId: 'R' });
      },
    );
    const host = await listening(server);
    try {
      const transport = transportTo(host, { protocol: 'https' });
      await assert.rejects(transport(WRITE, {}, never, check), { message: 'lost' });
      await transport(READ, {}, never, () => undefined);
      assert.deepEqual(seen, ['DescribeLoadBalancers']);
    } finally {
      setDefaultCACertificates(trusted);
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    }
  });
});

/** Returns the address of a server with a host name, because TLS calls `SNICallback` only for a host name. */
async function listening(server: Server): Promise<string> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return `localhost:${(server.address() as AddressInfo).port}`;
}
