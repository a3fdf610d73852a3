import assert from 'node:assert/strict';
import { EventEmitter, once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { AddressInfo } from 'node:net';
import { Agent, request } from 'undici';
import { createAuthority, type Credential } from '../../../../src/local/pki.ts';
import { rootLogger } from '../../../../src/base/log.ts';
import { systemClock } from '../../../../src/base/clock.ts';
import { createMetrics } from '../../../../webhook/metrics.ts';
import { followClients, readClients, type Clients } from '../../../../webhook/server/client-certificates.ts';
import { createServingCertificate } from '../../../../webhook/server/serving-certificate.ts';
import { Registry } from 'prom-client';
import { temporaryFolder } from '../../../support/folder.ts';
import { aReview } from '../../../support/review.ts';
import { aService } from '../../../support/service.ts';
import { servingCertificate, type ServingCertificate } from '../../../support/serving-certificate.ts';
import { aServer } from '../../../support/webhook-server.ts';

const review = JSON.stringify(aReview({ object: aService(), uid: 'u-1' }));

/** Required client certificates let only the API server call the webhook. */
describe('clients with a required certificate', () => {
  let serving: ServingCertificate;
  let clients: Clients;
  let apiServer: Credential;
  let outsider: Credential;
  let stranger: Credential;
  let elsewhere: string;

  before(async () => {
    const [cluster, other] = await Promise.all([
      createAuthority('cluster', Date.now()),
      createAuthority('elsewhere', Date.now()),
    ]);
    const named = { usage: 'client', commonName: 'kube-apiserver' } as const;
    serving = await servingCertificate();
    apiServer = await cluster.issue(named);
    outsider = await cluster.issue({ ...named, commonName: 'somebody' });
    stranger = await other.issue(named);
    elsewhere = other.certificate;
    clients = { authority: Buffer.from(cluster.certificate), names: new Set(['kube-apiserver']) };
  });

  /** Sends a request as a client, optionally after a renewal of the server's certificate. Returns the answer. */
  const ask = async (
    client: Partial<Credential>,
    allowed: Clients | undefined,
    isRenewed = false,
    instead?: Clients,
  ): Promise<string> => {
    await using server = aServer(serving, allowed === undefined ? {} : { clients: allowed });
    const pair = { cert: Buffer.from(serving.certificate), key: Buffer.from(serving.key), notAfter: Infinity };
    const context = { clock: systemClock, metrics: createMetrics(new Registry()), log: rootLogger('silent') };
    const inForce = createServingCertificate(server, { ...pair, notAfter: 0 }, { ...context, clients: allowed });
    if (instead !== undefined) inForce.clients.use(instead);
    if (isRenewed) inForce.use({ ...pair, notAfter: 1 });
    await server.listen({ host: '127.0.0.1', port: 0 });
    const { port } = server.server.address() as AddressInfo;
    const { certificate: cert, key } = client;
    const ca = serving.authority.certificate;
    const agent = new Agent({ allowH2: false, connect: { ca, ...(cert === undefined ? {} : { cert, key }) } });
    try {
      const { statusCode, body } = await request(`https://127.0.0.1:${port}/validate`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: review,
        dispatcher: agent,
      });
      const text = await body.text();
      return statusCode === 200 ? 'answered' : `${statusCode} ${text.trim()}`;
    } catch {
      return 'turned away';
    } finally {
      await agent.destroy();
    }
  };

  it('are accepted with the right authority and an allowed name', async () => {
    assert.equal(await ask(apiServer, clients), 'answered');
  });

  it('are rejected without a certificate, and with a certificate of another authority', async () => {
    assert.equal(await ask({}, clients), 'turned away');
    assert.equal(await ask(stranger, clients), 'turned away');
  });

  it('are rejected with another name, with a reason', async () => {
    assert.equal(
      await ask(outsider, clients),
      '403 client "somebody" is not allowed: --client-names contains kube-apiserver',
    );
  });

  it('can have any name if no name is configured', async () => {
    assert.equal(await ask(outsider, { ...clients, names: new Set() }), 'answered');
  });

  it('must still present a certificate after the renewal of the serving certificate', async () => {
    assert.equal(await ask(apiServer, clients, true), 'answered');
    assert.equal(await ask({}, clients, true), 'turned away');
  });

  it('need a certificate of the new authority after the authority file changes', async () => {
    const extended = { ...clients, authority: Buffer.concat([clients.authority, Buffer.from(elsewhere)]) };
    assert.equal(await ask(stranger, clients, false, extended), 'answered');
    assert.equal(await ask(apiServer, clients, false, extended), 'answered');
    const instead = { ...clients, authority: Buffer.from(elsewhere) };
    assert.equal(await ask(stranger, clients, true, instead), 'answered');
    assert.equal(await ask(apiServer, clients, true, instead), 'turned away');
  });

  it('are configured again when their file changes, and stay the same while the file is broken', async () => {
    using folder = temporaryFolder();
    const input = { caFile: join(folder.path, 'ca.crt'), names: clients.names };
    writeFileSync(input.caFile, clients.authority);
    const stop = new AbortController();
    const heard = new EventEmitter<{ used: [Clients]; faulty: [string] }>();
    const how = {
      config: input,
      clock: systemClock,
      use: (next: Clients) => void heard.emit('used', next),
      onError: (problem: string) => void heard.emit('faulty', problem),
    };
    const running = followClients(await readClients(input), how, stop.signal);
    const faulty = once(heard, 'faulty');
    writeFileSync(input.caFile, 'spoilt');
    assert.match(String(await faulty), /cannot be used/);
    const used = once(heard, 'used');
    writeFileSync(input.caFile, elsewhere);
    assert.deepEqual(await used, [{ authority: Buffer.from(elsewhere), names: clients.names }]);
    stop.abort();
    await running;
  });

  it('need no certificate if no authority is configured', async () => {
    assert.equal(await ask({}, undefined), 'answered');
  });

  it('need an authority file that contains only certificates of authorities', async () => {
    using folder = temporaryFolder();
    const caFile = join(folder.path, 'ca.crt');
    await assert.rejects(readClients({ caFile, names: new Set() }), {
      reason: 'InvalidConfiguration',
      message: /^the client certificate authority .+ca\.crt cannot be used \(ENOENT/,
    });
    writeFileSync(caFile, 'no certificate');
    await assert.rejects(readClients({ caFile, names: new Set() }), { reason: 'InvalidConfiguration' });
    for (const text of [apiServer.certificate, `${clients.authority.toString()}${apiServer.certificate}`]) {
      writeFileSync(caFile, text);
      await assert.rejects(
        readClients({ caFile, names: new Set() }),
        /a certificate in the file is not a certificate authority/,
      );
    }
    writeFileSync(caFile, clients.authority);
    assert.deepEqual(await readClients({ caFile, names: clients.names }), clients);
  });
});
