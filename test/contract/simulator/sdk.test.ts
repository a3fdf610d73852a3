import assert from 'node:assert/strict';
import credentials from '@alicloud/credentials';
import core from '@alicloud/openapi-core';
import vpc from '@alicloud/vpc20160428';
import {
  ACCESS_KEY,
  REGION,
  startSimulator,
  VERSION,
  type Product,
  type SimulatorServer,
} from '../../support/simulator.ts';

// The packages are CommonJS modules, so the default import is the whole module, and the client is its property `default`.
const { default: Client, $OpenApiUtil, OpenApiUtil } = core;
const { default: Vpc } = vpc;
const { default: Credential } = credentials;

type RuntimeOptions = Parameters<InstanceType<typeof Client>['callApi']>[2];
// No options, so that the settings of the client apply. They need a cast, because the core package has no class for runtime options.
const none: unknown = {};
const runtime = none as RuntimeOptions;

type Settings = Partial<InstanceType<typeof $OpenApiUtil.Config>>;

const config = (server: SimulatorServer, settings: Settings = {}): InstanceType<typeof $OpenApiUtil.Config> =>
  new $OpenApiUtil.Config({
    endpoint: server.host,
    protocol: 'http',
    // A key in the settings takes precedence over a credential.
    ...(settings.credential === undefined ? { accessKeyId: ACCESS_KEY.id, accessKeySecret: ACCESS_KEY.secret } : {}),
    connectTimeout: 5_000,
    readTimeout: 5_000,
    userAgent: 'contract',
    ...settings,
  });

/** Sends a call with the official core package, which clients use for products without their own package. */
async function generic(
  server: SimulatorServer,
  action: string,
  parameters: Record<string, unknown>,
  { product = 'Slb', ...settings }: Settings & { product?: Product } = {},
): Promise<Record<string, unknown>> {
  const answer = (await new Client(config(server, settings)).callApi(
    new $OpenApiUtil.Params({
      action,
      version: VERSION[product],
      protocol: 'HTTP',
      pathname: '/',
      method: 'POST',
      authType: 'AK',
      style: 'RPC',
      reqBodyType: 'formData',
      bodyType: 'json',
    }),
    new $OpenApiUtil.OpenApiRequest({ query: OpenApiUtil.query({ RegionId: REGION, ...parameters }) }),
    runtime,
  )) as { readonly body: Record<string, unknown> };
  return answer.body;
}

interface SdkError {
  readonly code: string;
  readonly statusCode: number;
  readonly name: string;
}

const failure = async (work: Promise<unknown>): Promise<SdkError> => {
  try {
    await work;
  } catch (error) {
    return error as SdkError;
  }
  throw new assert.AssertionError({ message: 'the call was not rejected' });
};

/** The official clients must accept the simulator. Otherwise, tests with the simulator would prove nothing about the cloud. */
describe('the official clients', () => {
  it('create, find and delete a load balancer by the generic call, with unusual characters', async () => {
    await using server = await startSimulator();
    const value = "v+*~'()! 测";
    const made = await generic(server, 'CreateLoadBalancer', {
      InstanceChargeType: 'PayByCLCU',
      LoadBalancerName: 'made-by-sdk',
      Tag: [
        { Key: 'k 1', Value: value },
        { Key: 'k2', Value: '' },
      ],
    });
    const LoadBalancerId = String(made['LoadBalancerId']);
    const list = await generic(server, 'DescribeLoadBalancers', {
      Tags: JSON.stringify([{ TagKey: 'k 1', TagValue: value }]),
    });
    assert.equal(list['TotalCount'], 1);
    const [entry] = await server.journal();
    assert.deepEqual([entry?.parameters['Tag.2.Value'], entry?.userAgent.split(' ').at(-1)], ['', 'contract']);
    await generic(server, 'DeleteLoadBalancer', { LoadBalancerId });
    const missing = await failure(generic(server, 'DescribeLoadBalancerAttribute', { LoadBalancerId }));
    assert.deepEqual([missing.code, missing.statusCode], ['InvalidLoadBalancerId.NotFound', 404]);
  });

  it('sign in the older scheme if configured', async () => {
    await using server = await startSimulator();
    const answer = await generic(server, 'DescribeLoadBalancers', {}, { signatureAlgorithm: 'v2' });
    assert.equal(answer['TotalCount'], 0);
  });

  it('get an error for a wrong secret', async () => {
    await using server = await startSimulator();
    const rejected = await failure(generic(server, 'DescribeLoadBalancers', {}, { accessKeySecret: 'wrong' }));
    assert.equal(rejected.code, 'SignatureDoesNotMatch');
  });

  it('recognize throttled calls', async () => {
    await using server = await startSimulator();
    await server.admin('faults', [{ action: 'DescribeLoadBalancers', effect: 'throttle' }]);
    const rejected = await failure(generic(server, 'DescribeLoadBalancers', {}));
    assert.deepEqual([rejected.name, rejected.code, rejected.statusCode], ['ThrottlingError', 'Throttling.User', 400]);
  });

  const unknown: Record<string, object> = {
    'a closed connection before the response': { effect: 'cut-after-commit' },
    'a closed connection inside the response': { effect: 'cut-reply' },
    'an HTML page': { effect: 'malformed-body' },
    'no response in time': { effect: 'timeout-after-commit' },
  };
  for (const [what, fault] of Object.entries(unknown)) {
    it(`get no known outcome after ${what}, although the call took effect`, async () => {
      await using server = await startSimulator();
      await server.admin('faults', [fault]);
      const call = generic(
        server,
        'CreateLoadBalancer',
        { InstanceChargeType: 'PayByCLCU' },
        { readTimeout: 300, connectTimeout: 300 },
      );
      assert.equal((await failure(call)).statusCode, undefined);
      assert.equal(server.simulator.world.loadBalancers.size, 1);
      const [entry] = await server.journal();
      assert.equal(entry?.outcome, 'OK');
    });
  }

  it('use a temporary key with its token, until it expires', async () => {
    await using server = await startSimulator();
    await server.admin('seed', { roles: [{ id: 'acs:ram::1234567890123456:role/portcullis' }] });
    const session = await generic(
      server,
      'AssumeRole',
      { RoleArn: 'acs:ram::1234567890123456:role/portcullis', RoleSessionName: 'test', DurationSeconds: 900 },
      { product: 'Sts' },
    );
    const key = session['Credentials'] as { AccessKeyId: string; AccessKeySecret: string; SecurityToken: string };
    const credential = new Credential(null, {
      getProviderName: () => 'test',
      getCredentials: async () => ({
        accessKeyId: key.AccessKeyId,
        accessKeySecret: key.AccessKeySecret,
        securityToken: key.SecurityToken,
      }),
    });
    const asRole = { product: 'Sts' as const, credential };
    const who = await generic(server, 'GetCallerIdentity', {}, asRole);
    assert.equal(who['Arn'], 'acs:ram::1234567890123456:assumed-role/portcullis/test');
    await server.admin('clock', { advanceMs: 900_000 });
    const rejected = await failure(generic(server, 'GetCallerIdentity', {}, asRole));
    assert.equal(rejected.code, 'InvalidSecurityToken.Expired');
  });

  it('read networks and write routes with the VPC package', async () => {
    await using server = await startSimulator({ settings: { routeTransitionMs: 0 } });
    const client = new Vpc(config(server));
    const tables = await client.describeRouteTableList(
      new vpc.DescribeRouteTableListRequest({ regionId: REGION, vpcId: 'vpc-1' }),
    );
    const routeTableId = tables.body?.routerTableList?.routerTableListType?.[0]?.routeTableId;
    assert.equal(routeTableId, 'vtb-1');
    const routeEntries = [1, 2, 9].map(
      (node) =>
        new vpc.CreateRouteEntriesRequestRouteEntries({
          routeTableId,
          dstCidrBlock: `172.20.${node}.0/24`,
          nextHop: `i-${node}`,
          nextHopType: 'Instance',
        }),
    );
    const made = await client.createRouteEntries(new vpc.CreateRouteEntriesRequest({ regionId: REGION, routeEntries }));
    const failed = made.body?.failedRouteEntries?.map(({ dstCidrBlock, failedCode }) => [dstCidrBlock, failedCode]);
    assert.deepEqual([made.body?.successCount, failed], [2, [['172.20.9.0/24', 'InvalidNextHop.NotFound']]]);
    const listed = await client.describeRouteEntryList(
      new vpc.DescribeRouteEntryListRequest({
        regionId: REGION,
        routeTableId,
        routeEntryType: 'Custom',
        maxResult: 100,
      }),
    );
    assert.deepEqual(
      listed.body?.routeEntrys?.routeEntry?.map(({ destinationCidrBlock, status, nextHops }) => [
        destinationCidrBlock,
        status,
        nextHops?.nextHop?.[0]?.nextHopId,
      ]),
      [
        ['172.20.1.0/24', 'Available', 'i-1'],
        ['172.20.2.0/24', 'Available', 'i-2'],
      ],
    );
  });

  it('convert every response about networks into their models', async () => {
    await using server = await startSimulator();
    const client = new Vpc(config(server));
    const [one, all, subnets, subnet] = await Promise.all([
      client.describeVpcAttribute(new vpc.DescribeVpcAttributeRequest({ regionId: REGION, vpcId: 'vpc-1' })),
      client.describeVpcs(new vpc.DescribeVpcsRequest({ regionId: REGION })),
      client.describeVSwitches(new vpc.DescribeVSwitchesRequest({ regionId: REGION, vpcId: 'vpc-1' })),
      client.describeVSwitchAttributes(
        new vpc.DescribeVSwitchAttributesRequest({ regionId: REGION, vSwitchId: 'vsw-1' }),
      ),
    ]);
    assert.deepEqual(
      [
        one.body?.cidrBlock,
        all.body?.vpcs?.vpc?.[0]?.vpcId,
        subnets.body?.vSwitches?.vSwitch?.[0]?.availableIpAddressCount,
        subnet.body?.zoneId,
      ],
      ['10.0.0.0/8', 'vpc-1', 65_529, 'cn-hangzhou-a'],
    );
  });

  it('find the public address of a load balancer inside a VPC', async () => {
    await using server = await startSimulator();
    await server.admin('seed', { eips: [{ id: 'eip-1', instanceId: 'lb-1', instanceType: 'SlbInstance' }] });
    const request = new vpc.DescribeEipAddressesRequest({
      regionId: REGION,
      associatedInstanceType: 'SlbInstance',
      associatedInstanceId: 'lb-1',
    });
    const eips = await new Vpc(config(server)).describeEipAddresses(request);
    assert.equal(eips.body?.eipAddresses?.eipAddress?.[0]?.allocationId, 'eip-1');
  });
});
