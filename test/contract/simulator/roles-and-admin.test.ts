import assert from 'node:assert/strict';
import { connect } from 'node:net';
import { once } from 'node:events';
import { epochSeconds, serviceAccountToken } from '../../support/service-account-token.ts';
import { aCall, rpcRequest, startSimulator, type SimulatorServer } from '../../support/simulator.ts';

const ROLE = 'acs:ram::1234567890123456:role/portcullis';
const PROVIDER = 'acs:ram::1234567890123456:oidc-provider/cluster';

async function assumeRole(server: SimulatorServer, token: string, role = ROLE): Promise<Record<string, unknown>> {
  const query = new URLSearchParams({ Action: 'AssumeRoleWithOIDC', Version: '2015-04-01', Format: 'JSON' });
  const body = new URLSearchParams({
    RoleArn: role,
    OIDCProviderArn: PROVIDER,
    OIDCToken: token,
    RoleSessionName: 'pod',
  });
  const answer = await fetch(`${server.url}/?${query.toString()}`, { method: 'POST', body });
  return (await answer.json()) as Record<string, unknown>;
}

/** Covers the parts of the simulator that are not operations: roles, instance metadata, and its own API. */
describe('roles for service accounts', () => {
  const started = async (): Promise<SimulatorServer> => {
    const server = await startSimulator();
    await server.admin('seed', { roles: [{ id: ROLE, oidcProviders: [PROVIDER] }] });
    return server;
  };
  const claims = { sub: 'system:serviceaccount:ns:name', iss: 'https://issuer', aud: ['sts.aliyuncs.com'] };

  it('are assumed without a signature, and the key then signs calls', async () => {
    await using server = await started();
    const answer = await assumeRole(server, serviceAccountToken({ ...claims, exp: epochSeconds(600) }));
    const key = answer['Credentials'] as { AccessKeyId: string; AccessKeySecret: string; SecurityToken: string };
    const signer = { id: key.AccessKeyId, secret: key.AccessKeySecret, token: key.SecurityToken };
    const who = await fetch(rpcRequest(server.url, aCall('GetCallerIdentity', {}, 'Sts'), { key: signer }));
    assert.equal(((await who.json()) as { IdentityType: string }).IdentityType, 'AssumedRoleUser');
    const bare = await fetch(
      rpcRequest(server.url, aCall('GetCallerIdentity', {}, 'Sts'), { key: { id: signer.id, secret: signer.secret } }),
    );
    assert.equal(((await bare.json()) as { Code: string }).Code, 'MissingSecurityToken');
    assert.doesNotMatch(JSON.stringify(await server.journal()), new RegExp(key.SecurityToken));
  });

  const rejections: Record<string, [token: string, role: string, code: string]> = {
    'an expired token': [serviceAccountToken({ ...claims, exp: 1 }), ROLE, 'AuthenticationFail.OIDCToken.Expired'],
    'a text that is not a token': ['text', ROLE, 'AuthenticationFail.NoPermission'],
    'a role that does not exist': [
      serviceAccountToken({ ...claims, exp: epochSeconds(600) }),
      `${ROLE}-other`,
      'EntityNotExist.Role',
    ],
    'a malformed role': [
      serviceAccountToken({ ...claims, exp: epochSeconds(600) }),
      'portcullis',
      'InvalidParameter.RoleArn',
    ],
  };
  it('trust only the service accounts in the trust policy of the role', async () => {
    await using server = await startSimulator();
    const role = { id: ROLE, oidcProviders: [PROVIDER], oidcSubjects: ['system:serviceaccount:ns:other'] };
    await server.admin('seed', { roles: [role] });
    const token = serviceAccountToken({ ...claims, exp: epochSeconds(600) });
    assert.equal((await assumeRole(server, token))['Code'], 'AuthenticationFail.NoPermission');
    await server.admin('seed', { roles: [{ ...role, oidcSubjects: [claims.sub] }] });
    assert.ok((await assumeRole(server, token))['Credentials']);
  });

  for (const [what, [token, role, code]] of Object.entries(rejections)) {
    it(`reject ${what} with ${code}`, async () => {
      await using server = await started();
      assert.equal((await assumeRole(server, token, role))['Code'], code);
    });
  }
});

describe('the instance metadata', () => {
  const get = async (server: SimulatorServer, path: string, headers = {}): Promise<string> => {
    const answer = await fetch(`${server.url}/latest/meta-data/${path}`, { headers });
    return answer.status === 200 ? answer.text() : String(answer.status);
  };

  it('is plain text about the first instance', async () => {
    await using server = await startSimulator();
    const found: Record<string, string> = {};
    for (const item of [
      'region-id',
      'zone-id',
      'instance-id',
      'vpc-id',
      'vswitch-id',
      'vswitch-cidr-block',
      'private-ipv4',
    ]) {
      found[item] = await get(server, item);
    }
    assert.deepEqual(found, {
      'region-id': 'cn-hangzhou',
      'zone-id': 'cn-hangzhou-a',
      'instance-id': 'i-1',
      'vpc-id': 'vpc-1',
      'vswitch-id': 'vsw-1',
      'vswitch-cidr-block': '10.1.0.0/16',
      'private-ipv4': '10.1.0.11',
    });
    const mac = await get(server, 'mac');
    assert.equal(await get(server, 'network/interfaces/macs/'), `${mac}/`);
    assert.equal(await get(server, `network/interfaces/macs/${mac}/private-ipv4s`), '["10.1.0.11"]');
  });

  it('answers 404 for absent values', async () => {
    await using server = await startSimulator();
    assert.deepEqual(
      [await get(server, 'eipv4'), await get(server, 'ram/security-credentials/'), await get(server, 'nothing')],
      ['404', '404', '404'],
    );
  });

  it('issues keys of the role that sign calls', async () => {
    await using server = await startSimulator();
    await server.admin('seed', { roles: [{ id: ROLE }] });
    const role = await get(server, 'ram/security-credentials/');
    const key = JSON.parse(await get(server, `ram/security-credentials/${role}`)) as Record<string, string>;
    assert.equal(key['Code'], 'Success');
    const signer = {
      id: key['AccessKeyId'] ?? '',
      secret: key['AccessKeySecret'] ?? '',
      token: key['SecurityToken'] ?? '',
    };
    const answer = await fetch(rpcRequest(server.url, aCall('DescribeLoadBalancers'), { key: signer }));
    assert.equal(answer.status, 200);
  });

  it('requires a token or closes the connection, if a setting requests that', async () => {
    await using server = await startSimulator({ settings: { metadata: 'token' } });
    assert.equal(await get(server, 'region-id'), '403');
    await server.admin('settings', { metadata: 'cut' });
    await assert.rejects(get(server, 'region-id'), { name: 'TypeError' });
  });

  it('accepts tokens of the hardened mode, and rejects invalid tokens', async () => {
    await using server = await startSimulator();
    const take = (ttl: string, extra = {}): Promise<Response> =>
      fetch(`${server.url}/latest/api/token`, {
        method: 'PUT',
        headers: { 'X-aliyun-ecs-metadata-token-ttl-seconds': ttl, ...extra },
      });
    const token = await (await take('60')).text();
    assert.equal(await get(server, 'region-id', { 'X-aliyun-ecs-metadata-token': token }), 'cn-hangzhou');
    assert.equal(await get(server, 'region-id', { 'X-aliyun-ecs-metadata-token': 'made-up' }), '403');
    assert.deepEqual([(await take('0')).status, (await take('21601')).status], [400, 400]);
    assert.equal((await take('60', { 'X-Forwarded-For': '192.0.2.1' })).status, 403);
    await server.admin('clock', { advanceMs: 60_000 });
    assert.equal(await get(server, 'region-id', { 'X-aliyun-ecs-metadata-token': token }), '403');
  });
});

/** Returns the state of the simulator without the time. */
const world = ({ simulator }: SimulatorServer): object => ({ ...simulator.state(), now: undefined });

describe('the admin interface', () => {
  const mistakes: Record<string, [path: string, body: unknown, message: RegExp]> = {
    'an unknown kind': ['seed', { servers: [] }, /^seed: .*servers/],
    'an unknown field': ['seed', { vpcs: [{ cidrBlock: '10.0.0.0/8', cidr: 'x' }] }, /^seed\.vpcs\[0\]: .*cidr/],
    'an invalid value': ['seed', { vpcs: [{ cidrBlock: 'x' }] }, /^seed\.vpcs\[0\]\.cidrBlock: expected an IPv4 range/],
    'several errors': [
      'seed',
      { loadBalancers: [{ id: 'x', bandwidth: 0 }] },
      /loadBalancers\[0\]\.id: .*; .*\.bandwidth: /,
    ],
    'a resource without its parent': [
      'seed',
      { vpcs: [{ cidrBlock: '10.0.0.0/8' }], remove: ['i-1'], instances: [{ vSwitchId: 'vsw-9' }] },
      /^seed\.instances\.vSwitchId: vsw-9 does not exist/,
    ],
    'an attribute that the protocol lacks': [
      'seed',
      { loadBalancers: [{ listeners: [{ port: 1, protocol: 'udp', attributes: { Cookie: 'x' } }] }] },
      /a udp listener has no attribute Cookie/,
    ],
    'the removal of a missing resource': ['seed', { remove: ['lb-9'] }, /^seed\.remove: lb-9 does not exist/],
    'a negative advance of time': ['clock', { advanceMs: -1 }, /^clock\.advanceMs: time cannot move backwards/],
    'a missing advance of time': ['clock', {}, /^clock: expected offsetMs or advanceMs/],
    'an unknown setting': ['settings', { latency: 1 }, /^settings: .*latency/],
    'an unknown effect': ['faults', [{ effect: 'x' }], /^faults\[0\]\.effect: expected one of/],
  };
  for (const [what, [path, body, message]] of Object.entries(mistakes)) {
    it(`answers 400 to ${what}, with the field in the message`, async () => {
      await using server = await startSimulator();
      const before = world(server);
      const { error } = (await server.admin(path, body, 400)) as { error: string };
      assert.match(error, message);
      assert.deepEqual(world(server), before);
    });
  }

  it('answers 400 to invalid JSON and to an invalid number, and 404 to an unknown path', async () => {
    await using server = await startSimulator();
    const post = await fetch(`${server.url}/_simulator/seed`, { method: 'POST', body: '{' });
    assert.match(((await post.json()) as { error: string }).error, /^body: not JSON/);
    const journal = await fetch(`${server.url}/_simulator/journal?since=x`);
    assert.equal(journal.status, 400);
    assert.equal((await fetch(`${server.url}/_simulator/nothing`)).status, 404);
  });

  it('returns seeded resources until they are removed', async () => {
    await using server = await startSimulator();
    await server.admin('seed', {
      loadBalancers: [
        {
          id: 'lb-1',
          vSwitchId: 'vsw-1',
          address: '10.1.9.9',
          tags: { a: 'b' },
          serverGroups: [{ id: 'rsp-1', name: 'g', backends: [{ serverId: 'i-1', port: 1 }] }],
          listeners: [{ port: 80, protocol: 'tcp', attributes: { VServerGroupId: 'rsp-1' } }],
        },
      ],
    });
    const state = async (): Promise<{ loadBalancers: unknown[] }> =>
      (await (await fetch(`${server.url}/_simulator/state`)).json()) as { loadBalancers: unknown[] };
    const [balancer] = (await state()).loadBalancers as Record<string, unknown>[];
    assert.deepEqual([balancer?.['id'], balancer?.['tags'], balancer?.['address']], ['lb-1', { a: 'b' }, '10.1.9.9']);
    await server.admin('seed', { remove: ['lb-1'] });
    assert.deepEqual((await state()).loadBalancers, []);
  });

  it('changes the wall clock, so that a correct request expires', async () => {
    await using server = await startSimulator();
    const ask = async (): Promise<unknown> =>
      ((await (await fetch(rpcRequest(server.url, aCall('DescribeLoadBalancers')))).json()) as { Code?: string }).Code;
    await server.admin('clock', { offsetMs: 3_600_000 });
    assert.equal(await ask(), 'InvalidTimeStamp.Expired');
    await server.admin('clock', { offsetMs: 0, advanceMs: 3_600_000 });
    assert.equal(await ask(), undefined);
  });

  it('resets all state except the access keys', async () => {
    await using server = await startSimulator();
    await server.admin('clock', { offsetMs: 3_600_000 });
    await server.admin('faults', [{ effect: 'throttle', count: 'forever' }]);
    await server.admin('reset', {});
    const answer = await fetch(rpcRequest(server.url, aCall('DescribeLoadBalancers')));
    assert.equal(answer.status, 200);
    assert.equal((await server.journal()).length, 1);
    assert.equal(server.simulator.world.vpcs.size, 0);
  });
});

describe('the HTTP connection', () => {
  it('stays open while idle, and serves the next call', async () => {
    await using server = await startSimulator();
    const socket = connect(Number(new URL(server.url).port), '127.0.0.1');
    await once(socket, 'connect');
    const answers: string[] = [];
    socket.setEncoding('utf8').on('data', (text: string) => answers.push(text));
    for (let call = 0; call < 2; call += 1) {
      socket.write(`GET /latest/meta-data/region-id HTTP/1.1\r\nHost: x\r\n\r\n`);
      await once(socket, 'data');
    }
    assert.equal(answers.join('').split('cn-hangzhou').length, 3);
    assert.match(answers[0] ?? '', /keep-alive: timeout=600/i);
    socket.destroy();
  });

  it('closes in the middle of a response, with the full length in the header', async () => {
    await using server = await startSimulator();
    await server.admin('faults', [{ effect: 'cut-reply' }]);
    const answer = await fetch(rpcRequest(server.url, aCall('DescribeLoadBalancers')));
    assert.equal(answer.status, 200);
    await assert.rejects(answer.text());
  });

  it('contains the requested host in an error', async () => {
    await using server = await startSimulator();
    const answer = await fetch(rpcRequest(server.url, aCall('DeleteLoadBalancer', { LoadBalancerId: 'lb-9' })));
    const body = (await answer.json()) as Record<string, string>;
    assert.deepEqual(
      [answer.status, body['HostId'], body['Code']],
      [404, server.host, 'InvalidLoadBalancerId.NotFound'],
    );
    assert.ok(body['Message'] && body['Recommend'] && body['RequestId']);
  });
});
