import assert from 'node:assert/strict';
import { ACCESS_KEY, aCall, rpcRequest, startSimulator, type SignedOptions } from '../../support/simulator.ts';

const CALL = aCall('DescribeLoadBalancers', { Tags: JSON.stringify([{ TagKey: "k'(*)!~ +/测", TagValue: '' }]) });

interface Answer {
  readonly status: number;
  readonly code: unknown;
  readonly message: string;
}

async function ask(url: string, options: SignedOptions = {}): Promise<Answer> {
  const answer = await fetch(rpcRequest(url, CALL, options));
  const body = (await answer.json()) as Record<string, unknown>;
  assert.match(String(body['RequestId']), /^[0-9A-F]{8}(-[0-9A-F]{4}){3}-[0-9A-F]{12}$/);
  assert.equal(answer.headers.get('content-type'), 'application/json;charset=utf-8');
  return { status: answer.status, code: body['Code'], message: String(body['Message']) };
}

/** Older clients, such as the Alibaba Cloud Controller Manager, sign by this scheme. */
describe('the older signature scheme over HTTP', () => {
  const good: Record<string, SignedOptions> = {
    'POST with a query': {},
    'GET with a query': { method: 'GET' },
    'POST with a form body': { into: 'form' },
    'an empty SignatureType, which the Go library signs': { before: (all) => (all['SignatureType'] = '') },
  };
  for (const [what, options] of Object.entries(good)) {
    it(`accepts ${what}`, async () => {
      await using server = await startSimulator();
      assert.deepEqual(await ask(server.url, options), { status: 200, code: undefined, message: 'undefined' });
    });
  }

  const ago = (minutes: number) => (all: Record<string, string>) =>
    (all['Timestamp'] = `${new Date(Date.now() - minutes * 60_000).toISOString().slice(0, 19)}Z`);
  const bad: Record<string, [options: SignedOptions, status: number, code: string]> = {
    'a wrong secret': [{ key: { ...ACCESS_KEY, secret: 'wrong' } }, 400, 'SignatureDoesNotMatch'],
    'a parameter changed after signing': [{ after: (all) => (all['PageNumber'] = '2') }, 400, 'SignatureDoesNotMatch'],
    'an unknown key': [{ key: { ...ACCESS_KEY, id: 'nobody' } }, 404, 'InvalidAccessKeyId.NotFound'],
    'a missing nonce': [{ before: (all) => delete all['SignatureNonce'] }, 400, 'MissingParameter'],
    'a missing signature': [{ after: (all) => delete all['Signature'] }, 400, 'MissingParameter'],
    'a time 16 minutes ago': [{ before: ago(16) }, 400, 'InvalidTimeStamp.Expired'],
    'a time 16 minutes ahead': [{ before: ago(-16) }, 400, 'InvalidTimeStamp.Expired'],
    'a time in another form': [{ before: (all) => (all['Timestamp'] = 'yesterday') }, 400, 'InvalidTimeStamp.Format'],
    'a token with a permanent key': [
      { key: { ...ACCESS_KEY, token: 'x' } },
      400,
      'InvalidSecurityToken.MismatchWithAccessKey',
    ],
    'a missing action': [{ before: (all) => delete all['Action'] }, 400, 'MissingParameter'],
    'an unpublished version': [{ before: (all) => (all['Version'] = '1999-01-01') }, 400, 'InvalidVersion'],
    'an unknown action': [{ before: (all) => (all['Action'] = 'Make') }, 404, 'InvalidAction.NotFound'],
  };
  for (const [what, [options, status, code]] of Object.entries(bad)) {
    it(`rejects ${what} with ${status} ${code}`, async () => {
      await using server = await startSimulator();
      const answer = await ask(server.url, options);
      assert.deepEqual([answer.status, answer.code], [status, code]);
    });
  }

  it('accepts a time 14 minutes off', async () => {
    await using server = await startSimulator();
    assert.equal((await ask(server.url, { before: ago(14) })).status, 200);
  });

  it('rejects a repeated nonce', async () => {
    await using server = await startSimulator();
    const same = { before: (all: Record<string, string>) => (all['SignatureNonce'] = 'same') };
    assert.equal((await ask(server.url, same)).status, 200);
    assert.equal((await ask(server.url, same)).code, 'SignatureNonceUsed');
  });

  it('rejects a wrong signature with a message that ends with the expected string to sign', async () => {
    await using server = await startSimulator();
    const { message } = await ask(server.url, { key: { ...ACCESS_KEY, secret: 'wrong' } });
    assert.match(message, /:POST&%2F&AccessKeyId%3Dtestid%26Action%3DDescribeLoadBalancers/);
  });
});
