import assert from 'node:assert/strict';
import { aSimulator, callerOf, type Body, type Parameters, type SimulatorSetup } from '../../support/simulator.ts';
import { VirtualClock } from '../../support/virtual-clock.ts';

const WORLD = {
  loadBalancers: [
    { id: 'lb-1', name: 'first', tags: { team: 'red', env: 'prod' } },
    { id: 'lb-2', name: 'second', tags: { team: 'blue', env: 'prod' } },
    { id: 'lb-3', name: 'third', resourceGroupId: 'rg-other' },
  ],
};

function bench(setup: SimulatorSetup = {}) {
  const clock = new VirtualClock();
  const caller = callerOf(aSimulator({ world: WORLD, clock, ...setup }));
  const found = async (parameters: Parameters): Promise<unknown[]> => {
    const answer = await caller.ok('DescribeLoadBalancers', parameters);
    return (answer['LoadBalancers'] as { LoadBalancer: Body[] }).LoadBalancer.map((item) => item['LoadBalancerId']);
  };
  return { ...caller, clock, found };
}

const tags = (...pairs: [key: string, value: string][]): string =>
  JSON.stringify(pairs.map(([TagKey, TagValue]) => ({ TagKey, TagValue })));
const MANY = Array.from({ length: 21 }, (_, index): [string, string] => [`Tag.${index + 1}.Key`, `k${index}`]);
const RED = { ResourceType: 'instance', 'ResourceId.1': 'lb-1' };

/** Tests of ownership rely on the filters and lags of the simulator, which must be those of the cloud. */
describe('the search for load balancers in the simulator', () => {
  const filters: Record<string, [parameters: Parameters, ids: string[]]> = {
    'all without a filter': [{}, ['lb-1', 'lb-2', 'lb-3']],
    'by several ids': [{ LoadBalancerId: 'lb-3,lb-1' }, ['lb-1', 'lb-3']],
    'by several names': [{ LoadBalancerName: 'second,third' }, ['lb-2', 'lb-3']],
    'by resource group': [{ ResourceGroupId: 'rg-other' }, ['lb-3']],
    'by a tag as JSON text': [{ Tags: tags(['team', 'red']) }, ['lb-1']],
    'by a tag as Tag.N': [{ 'Tag.1.Key': 'team', 'Tag.1.Value': 'blue' }, ['lb-2']],
    'by a key alone as JSON text': [{ Tags: '[{"tagKey":"env"}]' }, ['lb-1', 'lb-2']],
    'by a key alone': [{ 'Tag.1.Key': 'env' }, ['lb-1', 'lb-2']],
    'by any of several tags': [{ Tags: tags(['team', 'red'], ['team', 'blue']) }, ['lb-1', 'lb-2']],
    'none without a match': [{ LoadBalancerId: 'lb-9' }, []],
    'a single page': [{ PageNumber: 2, PageSize: 2 }, ['lb-3']],
  };
  for (const [what, [parameters, ids]] of Object.entries(filters)) {
    it(`finds ${what}`, async () => assert.deepEqual(await bench().found(parameters), ids));
  }

  it('requires all tags if a setting requests that', async () => {
    const { found } = bench({ settings: { tagMatch: 'and' } });
    assert.deepEqual(await found({ Tags: tags(['team', 'red'], ['env', 'prod']) }), ['lb-1']);
  });

  const rejections: Record<string, [parameters: Parameters, code: string]> = {
    'a page size without a page number': [{ PageSize: 10 }, 'MissingParameter'],
    'a page of 101': [{ PageNumber: 1, PageSize: 101 }, 'InvalidParameter'],
    'eleven ids': [{ LoadBalancerId: Array.from({ length: 11 }, (_, n) => `lb-${n}`).join(',') }, 'InvalidParameter'],
    'tags that are not JSON': [{ Tags: '{' }, 'InvalidTag'],
    'eleven tags': [
      { Tags: tags(...Array.from({ length: 11 }, (_, n): [string, string] => [`k${n}`, '']).values()) },
      'SizeLimitExceeded.Tag',
    ],
  };
  for (const [what, [parameters, code]] of Object.entries(rejections)) {
    it(`rejects ${what} with ${code}`, async () => {
      assert.equal(await bench().rejected('DescribeLoadBalancers', parameters), code);
    });
  }

  it('finds a new load balancer late while lists lag, although its attributes are readable', async () => {
    const { ok, found, clock } = bench({ settings: { listLagMs: 5_000 } });
    const tag = { 'Tag.1.Key': 'new', 'Tag.1.Value': '1' };
    const id = String((await ok('CreateLoadBalancer', { InstanceChargeType: 'PayByCLCU', ...tag }))['LoadBalancerId']);
    await ok('DescribeLoadBalancerAttribute', { LoadBalancerId: id });
    assert.deepEqual([await found(tag), await found({ LoadBalancerId: id })], [[], []]);
    await clock.advance(5_000);
    assert.deepEqual([await found(tag), await found({ LoadBalancerId: id })], [[id], [id]]);
  });

  it('still finds a deleted load balancer, with its tags, while lists lag', async () => {
    const { ok, found, clock } = bench({ settings: { listLagMs: 5_000 } });
    await ok('DeleteLoadBalancer', { LoadBalancerId: 'lb-1' });
    assert.deepEqual(await found({ 'Tag.1.Key': 'team', 'Tag.1.Value': 'red' }), ['lb-1']);
    await clock.advance(5_001);
    assert.deepEqual(await found({ 'Tag.1.Key': 'team', 'Tag.1.Value': 'red' }), []);
  });

  it('finds no attributes of a new load balancer by its id while reads lag', async () => {
    const { ok, rejected, clock } = bench({ settings: { readLagMs: 2_000 } });
    const { LoadBalancerId } = await ok('CreateLoadBalancer', { InstanceChargeType: 'PayByCLCU' });
    const one = { LoadBalancerId: String(LoadBalancerId) };
    assert.equal(await rejected('DescribeLoadBalancerAttribute', one), '404 InvalidLoadBalancerId.NotFound');
    await clock.advance(2_000);
    await ok('DescribeLoadBalancerAttribute', one);
  });
});

describe('tags of the simulator', () => {
  const listed = (answer: Body): unknown[][] =>
    (answer['TagResources'] as { TagResource: Body[] }).TagResource.map((tag) => [
      tag['ResourceId'],
      tag['TagKey'],
      tag['TagValue'],
    ]);

  it('are added, overwritten and removed', async () => {
    const { ok } = bench();
    await ok('TagResources', {
      ...RED,
      'Tag.1.Key': 'team',
      'Tag.1.Value': 'green',
      'Tag.2.Key': 'a',
      'Tag.2.Value': '',
    });
    await ok('UntagResources', { ...RED, 'TagKey.1': 'env', 'TagKey.2': 'absent' });
    assert.deepEqual(listed(await ok('ListTagResources', RED)), [
      ['lb-1', 'team', 'green'],
      ['lb-1', 'a', ''],
    ]);
    await ok('UntagResources', { ...RED, All: true });
    assert.deepEqual(listed(await ok('ListTagResources', RED)), []);
  });

  it('find resources with all of several tags', async () => {
    const both = { ResourceType: 'instance', 'Tag.1.Key': 'team', 'Tag.1.Value': 'red', 'Tag.2.Key': 'env' };
    assert.deepEqual(listed(await bench().ok('ListTagResources', both)), [
      ['lb-1', 'team', 'red'],
      ['lb-1', 'env', 'prod'],
    ]);
  });

  const tag = (key: string, value = ''): Parameters => ({ ...RED, 'Tag.1.Key': key, 'Tag.1.Value': value });
  const rejections: Record<string, [action: string, parameters: Parameters, code: string]> = {
    'a missing key': ['TagResources', { ...RED, 'Tag.1.Value': 'x' }, 'MissingParam.TagKey'],
    'a key of 65 characters': ['TagResources', tag('k'.repeat(65)), 'InvalidParam.TagKey'],
    'a key that starts with aliyun': ['TagResources', tag('aliyun-x'), 'InvalidParam.TagKey'],
    'a key with a URL': ['TagResources', tag('see-http://x'), 'InvalidParam.TagKey'],
    'a value of 129 characters': ['TagResources', tag('k', 'v'.repeat(129)), 'InvalidParam.TagValue'],
    'an unknown type': ['TagResources', { ...tag('k'), ResourceType: 'thing' }, 'InvalidParameter'],
    'a load balancer that does not exist': [
      'TagResources',
      { ...tag('k'), 'ResourceId.1': 'lb-9' },
      '404 InvalidLoadBalancerId.NotFound',
    ],
    'more than twenty tags in a single call': [
      'TagResources',
      { ...RED, ...Object.fromEntries(MANY) },
      'SizeLimitExceeded.Tag',
    ],
    'more than twenty tags on a single resource': [
      'TagResources',
      { ...RED, ...Object.fromEntries(MANY.slice(0, 19)) },
      'TagCountLimit',
    ],
    'a list without resource and tag': ['ListTagResources', { ResourceType: 'instance' }, 'MissingParameter'],
  };
  for (const [what, [action, parameters, code]] of Object.entries(rejections)) {
    it(`reject ${what} with ${code}`, async () => assert.equal(await bench().rejected(action, parameters), code));
  }

  it('can contain "aliyun" after the start of the key', async () => {
    await bench().ok('TagResources', tag('ack.aliyun.com', 'cluster'));
  });
});
