import assert from 'node:assert/strict';
import { createEndpoints, type EndpointOptions } from '../../../src/alibaba/endpoints.ts';

const of = (input: Partial<EndpointOptions> = {}) =>
  createEndpoints({ regionId: 'cn-hangzhou', network: 'vpc', environment: {}, ...input });

/** A controller inside a VPC has no access to the internet, so the endpoint must be inside the VPC in each region. */
describe('endpoints', () => {
  it('are inside the VPC by rule, in every region', () => {
    assert.deepEqual(of()('Slb'), { host: 'slb-vpc.cn-hangzhou.aliyuncs.com', protocol: 'https' });
    assert.equal(of({ regionId: 'ap-southeast-1' })('Ecs').host, 'ecs-vpc.ap-southeast-1.aliyuncs.com');
    assert.equal(of()('Vpc').host, 'vpc-vpc.cn-hangzhou.aliyuncs.com');
  });

  it('are public if configured', () => {
    assert.equal(of({ network: 'public' })('Slb').host, 'slb.cn-hangzhou.aliyuncs.com');
  });

  it('of finance regions are inside the VPC, or central if the network public is configured', () => {
    const hosts = (regionId: string, network: 'vpc' | 'public') =>
      (['Slb', 'Vpc', 'Ecs', 'Sts'] as const).map((product) => of({ regionId, network })(product).host);
    assert.deepEqual(
      hosts('cn-shanghai-finance-1', 'vpc'),
      ['slb', 'vpc', 'ecs', 'sts'].map((name) => `${name}-vpc.cn-shanghai-finance-1.aliyuncs.com`),
    );
    assert.deepEqual(hosts('cn-shanghai-finance-1', 'public'), [
      'slb.aliyuncs.com',
      'vpc.aliyuncs.com',
      'ecs-cn-hangzhou.aliyuncs.com',
      'sts.aliyuncs.com',
    ]);
    assert.equal(of({ regionId: 'cn-hangzhou-finance', network: 'public' })('Ecs').host, 'ecs.aliyuncs.com');
  });

  it('can be set per product, as a host or a URL', () => {
    const environment = {
      SLB_ENDPOINT: '127.0.0.1:8080',
      VPC_ENDPOINT: 'https://vpc.example.com/path',
      ECS_ENDPOINT: '',
    };
    const endpoints = of({ environment });
    assert.equal(endpoints('Slb').host, '127.0.0.1:8080');
    assert.equal(endpoints('Vpc').host, 'vpc.example.com');
    assert.equal(endpoints('Ecs').host, 'ecs-vpc.cn-hangzhou.aliyuncs.com');
  });

  it('use HTTP without TLS if configured, in upper or lower case', () => {
    for (const scheme of ['HTTP', 'http']) {
      assert.equal(of({ environment: { ALICLOUD_CLIENT_SCHEME: scheme } })('Slb').protocol, 'http');
    }
  });

  const rejected = {
    'an invalid scheme': [
      { environment: { ALICLOUD_CLIENT_SCHEME: 'ftp' } },
      /ALICLOUD_CLIENT_SCHEME is "ftp": set HTTP or HTTPS/,
    ],
    'an invalid host': [
      { environment: { SLB_ENDPOINT: 'not a host' } },
      /SLB_ENDPOINT is "not a host": set a host name such as/,
    ],
    'an invalid region': [{ regionId: '' }, /region "" is invalid: set an id such as cn-hangzhou/],
  } as const;
  for (const [what, [input, message]] of Object.entries(rejected)) {
    it(`reject ${what}`, () => {
      assert.throws(() => of(input), { reason: 'InvalidConfiguration', message });
    });
  }
});
