import assert from 'node:assert/strict';
import type { ServerResponse } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { PortcullisError } from '../../../src/base/errors.ts';
import { VirtualClock } from '../../support/virtual-clock.ts';
import { aCall } from '../../support/scripted-cloud.ts';
import { cloudOverHttp, httpScript, sendJson, type HttpScript } from '../../support/cloud-over-http.ts';
import { lb } from '../../support/scripted-slb.ts';

const CREATED = { RequestId: 'R', LoadBalancerId: 'lb-1', Address: '1.2.3.4' };
const ok = (response: ServerResponse) => sendJson(response, CREATED);
const create = (server: HttpScript) =>
  cloudOverHttp(server.host).clb.create({ name: 'a b*' }, { k1: "v'()!/测", k2: '' }, 'token', aCall());
/** Sends a write and a read that fail, and returns their errors. */
const outcomes = async (server: HttpScript): Promise<readonly [PortcullisError, PortcullisError]> => {
  const { clb } = cloudOverHttp(server.host);
  const failed = (promise: Promise<unknown>) =>
    promise.then(
      () => assert.fail('the call did not fail'),
      (error: unknown) => error as PortcullisError,
    );
  return [await failed(clb.rename(lb('lb-1'), 'n', aCall())), await failed(clb.read(lb('lb-1'), aCall()))];
};

/** A wrong signature or a wrong reading of an error would stop the controller, or repeat a call that took effect. */
describe('the HTTP requests of calls', () => {
  it('are a POST to / with the parameters in the query and an empty body', async () => {
    await using server = await httpScript(ok);
    await create(server);
    assert.equal(server.seen.length, 1);
    const { method, path, query, body } = server.seen[0]!;
    assert.deepEqual([method, path, body], ['POST', '/', '']);
    assert.deepEqual(Object.fromEntries(new URLSearchParams(query)), {
      RegionId: 'cn-hangzhou',
      LoadBalancerName: 'a b*',
      'Tag.1.Key': 'k1',
      'Tag.1.Value': "v'()!/测",
      'Tag.2.Key': 'k2',
      'Tag.2.Value': '',
      ClientToken: 'token',
    });
    assert.match(query, /Tag\.2\.Value=(&|$)/, 'an empty value is sent');
  });

  it('contain and sign the operation in headers, and identify the caller', async () => {
    await using server = await httpScript(ok);
    await create(server);
    const { headers } = server.seen[0]!;
    assert.equal(headers['x-acs-action'], 'CreateLoadBalancer');
    assert.equal(headers['x-acs-version'], '2014-05-15');
    assert.match(headers['user-agent'] ?? '', /portcullis\/0\.1\.0 ClusterId\/c1$/);
    const signed = /SignedHeaders=([^,]+)/.exec(headers.authorization ?? '')?.[1]?.split(';') ?? [];
    for (const name of [
      'host',
      'x-acs-action',
      'x-acs-version',
      'x-acs-date',
      'x-acs-signature-nonce',
      'x-acs-content-sha256',
    ]) {
      assert.ok(signed.includes(name), `${name} is signed`);
    }
  });

  it('of the inventory name the inventory in the User-Agent', async () => {
    const none = { RequestId: 'R', TotalCount: 0, LoadBalancers: { LoadBalancer: [] } };
    await using server = await httpScript((response) => sendJson(response, none));
    await cloudOverHttp(server.host).region.listLoadBalancers(new AbortController().signal);
    assert.match(server.seen[0]?.headers['user-agent'] ?? '', /portcullis-inventory\/0\.1\.0 ClusterId\/c1$/);
  });

  it('with a temporary key contain its signed token', async () => {
    await using server = await httpScript(ok);
    const key = { id: 'STS.1', secret: 'secret-1', token: 'token-1' };
    await cloudOverHttp(server.host, () => key).clb.create({}, {}, 't', aCall());
    const { headers } = server.seen[0]!;
    assert.equal(headers['x-acs-security-token'], 'token-1');
    assert.match(headers.authorization ?? '', /x-acs-security-token/);
  });

  it('use a rotated key from the next call on', async () => {
    await using server = await httpScript(ok);
    let id = 'first';
    const { clb } = cloudOverHttp(server.host, () => ({ id, secret: 'secret-1' }));
    await clb.create({}, {}, 't', aCall());
    id = 'second';
    await clb.create({}, {}, 't', aCall());
    assert.deepEqual(
      server.seen.map(({ headers }) => /Credential=(\w+)/.exec(headers.authorization ?? '')?.[1]),
      ['first', 'second'],
    );
  });

  it('without a key are not sent, and fail with the error of the credentials', async () => {
    await using server = await httpScript(ok);
    const { clb } = cloudOverHttp(server.host, () => {
      throw new PortcullisError('Unauthorized', 'no access key found in: nowhere');
    });
    await assert.rejects(clb.rename(lb('lb-1'), 'n', aCall()), {
      reason: 'Unauthorized',
      message: /no access key found in: nowhere/,
    });
    assert.deepEqual(server.seen, []);
  });

  it('wait for a response longer than the three seconds of the SDK', async () => {
    await using server = await httpScript((response) => void delay(3_500).then(() => ok(response)));
    assert.equal((await create(server)).id, 'lb-1');
    assert.equal(server.seen.length, 1);
  }).timeout(20_000);

  it('are aborted after our own timeout, even with an active socket', async () => {
    await using server = await httpScript(() => undefined);
    const clock = new VirtualClock(Date.parse('2026-01-02T03:04:05Z'));
    const { clb } = cloudOverHttp(server.host, undefined, { clock });
    const call = assert.rejects(clb.rename(lb('lb-1'), 'n', aCall()), {
      reason: 'OutcomeUnknown',
      message: /no answer within 8 s/,
    });
    while (server.seen.length === 0) await delay(5);
    await clock.advance(8_000);
    await call;
  });

  const unreadable: Record<string, (response: ServerResponse) => void> = {
    'an HTML page with 200': (response) =>
      response.writeHead(200, { 'content-type': 'text/html' }).end('<html>sign in</html>'),
    'an HTML page with 502': (response) =>
      response.writeHead(502, { 'content-type': 'text/html' }).end('<html>bad gateway</html>'),
    'an empty body': (response) => response.writeHead(200).end(),
    'half of a response': (response) => response.writeHead(200).end('{"RequestId": "R", "LoadB'),
    'a list': (response) => response.writeHead(200).end('[]'),
    'a text': (response) => response.writeHead(200).end('"x"'),
    'an error without a code': (response) => response.writeHead(400).end('{}'),
    'a closed connection': (response) => response.socket?.destroy(),
    'a closed connection within the body': (response) => {
      response.writeHead(200, { 'content-length': '100' });
      response.write('{"RequestId"', () => response.socket?.destroy());
    },
    'an internal error': (response) => sendJson(response, { RequestId: 'R', Code: 'InternalError', Message: 'm' }, 500),
  };
  for (const [what, answer] of Object.entries(unreadable)) {
    it(`with ${what} have an unknown outcome for a write, fail for a read, and are not repeated`, async () => {
      await using server = await httpScript((response) => answer(response));
      const [write, read] = await outcomes(server);
      assert.deepEqual([write.reason, read.reason], ['OutcomeUnknown', 'Unavailable']);
      assert.equal(server.seen.length, 2);
    });
  }

  it('without a connection have no effect', async () => {
    const server = await httpScript(ok);
    await server[Symbol.asyncDispose]();
    const [write, read] = await outcomes(server);
    assert.deepEqual([write.reason, read.reason], ['Unavailable', 'Unavailable']);
    assert.match(write.message, /failed to reach the cloud \(ECONNREFUSED\); nothing was sent/);
  });

  it('to an unknown region cause an error with the missing host', async () => {
    const { clb } = cloudOverHttp('slb-vpc.cn-nowhere.invalid');
    await assert.rejects(clb.read(lb('lb-1'), aCall()), {
      reason: 'Unavailable',
      message: /host slb-vpc\.cn-nowhere\.invalid not found \((ENOTFOUND|EAI_AGAIN)\); check the region, --network /,
    });
  });

  it('that are throttled are recognized by error code, not status, and report the time to wait', async () => {
    await using server = await httpScript((response) => {
      response.setHeader('x-acs-retry-after', '2500');
      sendJson(
        response,
        { RequestId: 'R-1', Code: 'Throttling.User', Message: 'Request was denied due to user flow control.' },
        400,
      );
    });
    const [write] = await outcomes(server);
    assert.equal(write.reason, 'Throttled');
    assert.equal(write.requestId, 'R-1');
    assert.equal(Math.round(write.retryAfterMs ?? 0), 2_500);
  });

  it('leave no part of the key in an error, although the cloud quotes the request', async () => {
    const key = { id: 'LTAI5tAbCdEfGhIj', secret: 'wJalrXUtnFEMIK7bPxRfi' };
    await using server = await httpScript((response, { query, headers }) =>
      sendJson(
        response,
        {
          RequestId: 'R',
          Code: 'SignatureDoesNotMatch',
          Message: `server string to sign is: POST&${query}&${headers.authorization} ${key.secret}`,
        },
        400,
      ),
    );
    const error = await cloudOverHttp(server.host, () => key)
      .clb.create({}, {}, 't', aCall())
      .catch((thrown: unknown) => thrown as Error);
    assert.ok(error instanceof Error);
    assert.doesNotMatch(`${error.message} ${error.stack}`, /LTAI5t|wJalr|Signature=[0-9a-f]/);
  });
});
