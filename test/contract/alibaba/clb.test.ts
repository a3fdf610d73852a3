import assert from 'node:assert/strict';
import type { ListenerAttributes } from '../../../src/clb/model/listener.ts';
import type { ClbApi } from '../../../src/clb/model/clb-api.ts';
import type { Backend } from '../../../src/clb/model/server-group.ts';
import type { CloudApis } from '../../../src/alibaba/cloud.ts';
import { aCall } from '../../support/scripted-cloud.ts';
import { cloudOverHttp } from '../../support/cloud-over-http.ts';
import { aNetwork, startSimulator, type SimulatorServer, type SimulatorSetup } from '../../support/simulator.ts';
import { group, lb, server as serverId } from '../../support/scripted-slb.ts';

const call = aCall();
const TAGS = { 'kubernetes.do.not.delete': 'a1', 'ack.aliyun.com': 'c1' };
const WITH_LB = {
  ...aNetwork(),
  loadBalancers: [{ id: 'lb-1', tags: { team: 'web' } }],
  certificates: [{ id: 'cert-1', commonName: 'example.com', expiresAt: '2099-01-01T00:00:00Z' }],
};
const backend = (n: number, weight = 100): Backend => ({
  type: 'ecs',
  serverId: serverId(`i-${n}`),
  port: 30080,
  weight,
  description: 'k8s/30080/web/shop/c1',
});

/** Creates the client of the CLB API with a simulator behind it. */
async function sandbox(
  setup: SimulatorSetup = { world: WITH_LB },
): Promise<CloudApis & { readonly server: SimulatorServer } & AsyncDisposable> {
  const server = await startSimulator(setup);
  return { ...cloudOverHttp(server.host), server, [Symbol.asyncDispose]: () => server[Symbol.asyncDispose]() };
}

/** Repeats a call that the cloud rejects as busy, as a controller does. */
async function patiently<Answer>(act: () => Promise<Answer>): Promise<Answer> {
  for (let tries = 0; ; tries += 1) {
    try {
      return await act();
    } catch (error) {
      if (tries > 100 || !(error instanceof Error && 'reason' in error && error.reason === 'Busy')) throw error;
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  }
}

/** The client and the simulator implement the API documentation independently, so a difference is a mistake in one of them. */
describe('the CLB client with the simulated cloud', () => {
  it('creates a load balancer with its tags once per token, and finds it again', async () => {
    await using cloud = await sandbox();
    const attributes = {
      name: 'web',
      addressType: 'internet',
      instanceChargeType: 'PayBySpec',
      spec: 'slb.s1.small',
      deleteProtection: 'on',
      modificationProtection: 'ConsoleProtection',
      modificationProtectionReason: 'managed.by.ack',
    } as const;
    const first = await cloud.clb.create(attributes, TAGS, 'token-1', call);
    assert.deepEqual(await cloud.clb.create(attributes, TAGS, 'token-1', call), first);
    const found = await cloud.clb.findByTag('kubernetes.do.not.delete', 'a1', call);
    assert.deepEqual(
      found.map(({ id }) => id),
      [first.id],
    );
    assert.deepEqual(
      (await cloud.clb.findByName('web', call)).map(({ id }) => id),
      [first.id],
    );
    assert.deepEqual(await cloud.clb.findByName('other', call), []);
    assert.deepEqual(
      (await cloud.clb.findByAddress(first.address, call)).map(({ id }) => id),
      [first.id],
    );
    assert.deepEqual(await cloud.clb.findByAddress('192.0.2.1', call), []);
    const read = await cloud.clb.read(first.id, call);
    assert.ok(read);
    assert.deepEqual([read.tags, read.address], [TAGS, first.address]);
    for (const [field, value] of Object.entries(attributes)) assert.equal(Reflect.get(read, field), value, field);
  });

  it('creates a load balancer in a vSwitch', async () => {
    await using cloud = await sandbox();
    const created = await cloud.clb.create(
      { addressType: 'intranet', vpcId: 'vpc-1', vSwitchId: 'vsw-1', instanceChargeType: 'PayByCLCU' },
      TAGS,
      't',
      call,
    );
    const read = await cloud.clb.read(created.id, call);
    assert.deepEqual([read?.addressType, read?.vpcId, read?.vSwitchId], ['intranet', 'vpc-1', 'vsw-1']);
  });

  it('changes every attribute, each with its own call', async () => {
    await using cloud = await sandbox();
    const id = lb('lb-1');
    const { clb } = cloud;
    await clb.rename(id, 'renamed', call);
    await clb.setModificationProtection(id, 'ConsoleProtection', 'why', call);
    await clb.setSpec(id, 'slb.s2.small', call);
    await clb.setInternetSpec(id, { bandwidth: 20 }, call);
    await clb.tag(id, { a: 'b', empty: '' }, call);
    await clb.untag(id, ['team'], call);
    await clb.setDeleteProtection(id, 'on', call);
    const read = await clb.read(id, call);
    assert.deepEqual(
      [read?.name, read?.modificationProtectionReason, read?.spec, read?.bandwidth, read?.tags, read?.deleteProtection],
      ['renamed', 'why', 'slb.s2.small', 20, { a: 'b', empty: '' }, 'on'],
    );
    await clb.setInstanceChargeType(id, 'PayByCLCU', call);
    assert.equal((await clb.read(id, call))?.instanceChargeType, 'PayByCLCU');
    await assert.rejects(clb.delete(id, call), { reason: 'Rejected', code: 'OperationDenied.DeleteProtectionIsOn' });
    await clb.setDeleteProtection(id, 'off', call);
    await clb.delete(id, call);
    assert.equal(await clb.read(id, call), undefined);
    await clb.delete(id, call);
  });

  it('fills, changes, empties and deletes a server group', async () => {
    await using cloud = await sandbox();
    const { clb } = cloud;
    const id = await clb.createServerGroup(lb('lb-1'), 'k8s/30080/web/shop/c1', [backend(1)], call);
    assert.deepEqual(await clb.listServerGroups(lb('lb-1'), call), [{ id, name: 'k8s/30080/web/shop/c1' }]);
    await patiently(() => clb.addBackends(id, [backend(2), backend(3)], call));
    await patiently(() => clb.updateBackends(id, [backend(2, 7)], call));
    await patiently(() => clb.removeBackends(id, [backend(1)], call));
    const { backends } = await clb.readServerGroup(id, call);
    assert.deepEqual(
      backends.toSorted((a, b) => a.serverId.localeCompare(b.serverId)),
      [backend(2, 7), backend(3)],
    );
    await patiently(() => clb.deleteServerGroup(id, call));
    await assert.rejects(clb.readServerGroup(id, call), { reason: 'NotFound' });
    await clb.deleteServerGroup(id, call);
  });

  const LISTENERS: Record<string, ListenerAttributes> = {
    tcp: {
      protocol: 'tcp',
      port: 80,
      description: 'k8s/80/web/shop/c1',
      scheduler: 'wrr',
      healthCheckSwitch: 'on',
      healthCheckType: 'tcp',
      healthCheckInterval: 3,
      healthCheckConnectTimeout: 4,
      healthyThreshold: 4,
      unhealthyThreshold: 5,
      persistenceTimeout: 60,
      establishedTimeout: 500,
      connectionDrain: 'on',
      connectionDrainTimeout: 30,
      proxyProtocolV2Enabled: true,
      bandwidth: -1,
      healthCheckConnectPort: 8080,
    },
    udp: {
      protocol: 'udp',
      port: 53,
      description: 'k8s/53/web/shop/c1',
      scheduler: 'rr',
      healthCheckSwitch: 'on',
      healthCheckInterval: 6,
      healthCheckConnectTimeout: 11,
      proxyProtocolV2Enabled: false,
    },
    http: {
      protocol: 'http',
      port: 81,
      description: 'k8s/81/web/shop/c1',
      healthCheck: 'on',
      healthCheckInterval: 3,
      healthCheckTimeout: 4,
      healthCheckURI: '/ready',
      healthCheckDomain: 'example.com',
      healthCheckHttpCode: 'http_2xx',
      healthCheckMethod: 'get',
      stickySession: 'on',
      stickySessionType: 'insert',
      cookieTimeout: 100,
      XForwardedFor_proto: 'on',
      idleTimeout: 20,
      requestTimeout: 70,
    },
    https: {
      protocol: 'https',
      port: 443,
      description: 'k8s/443/web/shop/c1',
      healthCheck: 'off',
      serverCertificateId: 'cert-1',
      enableHttp2: 'off',
      TLSCipherPolicy: 'tls_cipher_policy_1_2',
      XForwardedFor_SLBPORT: 'on',
    },
  };
  for (const [protocol, attributes] of Object.entries(LISTENERS)) {
    it(`creates a stopped ${protocol} listener, starts it, and reads the requested attributes back`, async () => {
      await using cloud = await sandbox();
      const { clb } = cloud;
      const groupId = await clb.createServerGroup(lb('lb-1'), 'g', [], call);
      await patiently(() => clb.createListener(lb('lb-1'), attributes, groupId, call));
      const [created] = await clb.listListeners(lb('lb-1'), call);
      assert.equal(created?.status, 'stopped');
      assert.equal(created.groupId, groupId);
      for (const [field, value] of Object.entries(attributes)) assert.equal(Reflect.get(created, field), value, field);
      await patiently(() => clb.startListener(lb('lb-1'), attributes, call));
      assert.match((await clb.listListeners(lb('lb-1'), call))[0]?.status ?? '', /starting|running/);
    });
  }

  it('changes a single attribute of a listener, moves it to another group, and deletes it', async () => {
    await using cloud = await sandbox();
    const { clb } = cloud;
    const key = { port: 80, protocol: 'tcp' } as const;
    const [one, two] = [
      await clb.createServerGroup(lb('lb-1'), 'one', [], call),
      await clb.createServerGroup(lb('lb-1'), 'two', [], call),
    ];
    await patiently(() => clb.createListener(lb('lb-1'), LISTENERS['tcp']!, one, call));
    const [before] = await clb.listListeners(lb('lb-1'), call);
    await patiently(() => clb.updateListener(lb('lb-1'), key, { establishedTimeout: 10 }, undefined, call));
    await patiently(() => clb.updateListener(lb('lb-1'), key, {}, two, call));
    const [after] = await clb.listListeners(lb('lb-1'), call);
    assert.deepEqual({ ...after, status: '' }, { ...before, status: '', establishedTimeout: 10, groupId: two });
    await patiently(() => clb.deleteListener(lb('lb-1'), key, undefined, call));
    await patiently(async () => clb.deleteServerGroup(two, call));
    await clb.deleteListener(lb('lb-1'), key, undefined, call);
  });

  it('gets an error for a port in use', async () => {
    await using cloud = await sandbox({
      world: { ...aNetwork(), loadBalancers: [{ id: 'lb-1', listeners: [{ port: 80, protocol: 'http' }] }] },
    });
    const groupId = await cloud.clb.createServerGroup(lb('lb-1'), 'g', [], call);
    const taken = patiently(() => cloud.clb.createListener(lb('lb-1'), LISTENERS['tcp']!, groupId, call));
    await assert.rejects(taken, { reason: 'Conflict' });
  });

  const absent: Record<string, (clb: ClbApi) => Promise<unknown>> = {
    'the load balancer, if its server groups are listed': (clb) => clb.listServerGroups(lb('lb-none'), call),
    'the server group, if it is read': (clb) => clb.readServerGroup(group('rsp-none'), call),
    'the server group, if backends are added': (clb) => clb.addBackends(group('rsp-none'), [backend(1)], call),
    'the load balancer, if it is renamed': (clb) => clb.rename(lb('lb-none'), 'n', call),
  };
  for (const [what, act] of Object.entries(absent)) {
    it(`gets an error for a missing object: ${what}`, async () => {
      await using cloud = await sandbox();
      await assert.rejects(act(cloud.clb), { reason: 'NotFound' });
    });
  }

  it('gets an error for a wrong key', async () => {
    await using server = await startSimulator({ world: WITH_LB });
    const unknown = cloudOverHttp(server.host, () => ({ id: 'nobody', secret: 'x' }));
    await assert.rejects(unknown.clb.read(lb('lb-1'), call), {
      reason: 'Unauthorized',
      message: /the access key does not exist/,
    });
    const wrong = cloudOverHttp(server.host, () => ({ id: 'testid', secret: 'wrong' }));
    await assert.rejects(wrong.clb.read(lb('lb-1'), call), {
      reason: 'Unauthorized',
      code: 'SignatureDoesNotMatch',
      message: /the access key secret does not match the access key/,
    });
  });

  it('stays within the rate limit of the cloud: a burst waits', async () => {
    const rates = { 'Slb.SetLoadBalancerName': { calls: 5, seconds: 1 } };
    await using server = await startSimulator({ world: WITH_LB, settings: { rates } });
    const limits = { 'Slb.write': { calls: 5, windowMs: 1_000 }, 'Slb.read': { calls: 100, windowMs: 1_000 } };
    const { clb } = cloudOverHttp(server.host, undefined, { limits });
    await Promise.all(Array.from({ length: 12 }, (_, n) => clb.rename(lb('lb-1'), `n${n}`, call)));
    const outcomes = (await server.journal()).map(({ outcome }) => JSON.stringify(outcome));
    assert.equal(outcomes.length, 12);
    assert.equal(outcomes.filter((outcome) => outcome.includes('Throttling')).length, 0);
  });

  it('lists the load balancers of the region, and their listeners', async () => {
    const loadBalancers = Array.from({ length: 103 }, (_, n) => ({
      id: `lb-${n}`,
      listeners: n === 0 ? [{ port: 80, protocol: 'tcp' as const }] : [],
    }));
    await using cloud = await sandbox({ world: { ...aNetwork(), loadBalancers } });
    const never = new AbortController().signal;
    assert.equal((await cloud.region.listLoadBalancers(never)).length, 103);
    assert.deepEqual(
      [...(await cloud.region.listListenersOf(['lb-0', 'lb-1'], never))],
      [['lb-0', [{ port: 80, protocol: 'tcp', description: 'tcp_80', scheduler: 'wrr' }]]],
    );
  });
});
