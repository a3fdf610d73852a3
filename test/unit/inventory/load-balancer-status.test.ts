import assert from 'node:assert/strict';
import type { LoadBalancer } from '../../../src/clb/model/load-balancer.ts';
import {
  isReusable,
  inventoryWrites,
  listenerFields,
  loadBalancerStatus,
  ownerOf,
  servicesByDefaultName,
  type Belongings,
} from '../../../src/inventory/load-balancer-status.ts';
import type {
  ClassicLoadBalancerStatus,
  InventoryOwner,
  ListenerStatus,
} from '../../../src/inventory/custom-resources.ts';
import { aClb, aClbStatus, aCloudLoadBalancer } from '../../support/inventory.ts';
import { aService } from '../../support/service.ts';

const OURS = 'a5e4dbfc9c2ae4642b0335607860aef6';
const INNER = aService({ name: 'inner', type: 'ClusterIP', uid: '11111111-c2ae-4642-b033-5607860aef6a' });
const CHANGED_TYPE = aService({ name: 'leaving', type: 'ClusterIP', uid: '22222222-c2ae-4642-b033-5607860aef6a' });
const BELONGINGS: Belongings = {
  clusterId: 'c1',
  protectedIds: new Set(['lb-named']),
  services: servicesByDefaultName([
    aService({ uid: '5e4dbfc9-c2ae-4642-b033-5607860aef6a' }),
    INNER,
    { ...CHANGED_TYPE, metadata: { ...CHANGED_TYPE.metadata, finalizers: ['service.k8s.alibaba/resources'] } },
  ]),
};
const lb = (input: Partial<LoadBalancer> = {}, id = 'lb-1') => aCloudLoadBalancer(id, input);

/** Rules read owner, bandwidth and tags of a load balancer from its inventory object. */
describe('the owner of a load balancer', () => {
  const cases: Record<string, readonly [LoadBalancer, InventoryOwner, string]> = {
    'is this cluster, by both tags, with its Service': [
      lb({ tags: { 'kubernetes.do.not.delete': OURS, 'ack.aliyun.com': 'c1' } }),
      'this-cluster',
      'shop/web',
    ],
    'is this cluster for a load balancer that a user renamed': [
      lb({ name: 'renamed', tags: { 'kubernetes.do.not.delete': OURS, 'ack.aliyun.com': 'c1' } }),
      'this-cluster',
      'shop/web',
    ],
    'is this cluster although its Service was deleted': [
      lb({ name: 'agone', tags: { 'kubernetes.do.not.delete': 'agone', 'ack.aliyun.com': 'c1' } }),
      'this-cluster',
      '',
    ],
    'is this cluster without the cluster tag, if the owner tag names its Service': [
      lb({ tags: { 'kubernetes.do.not.delete': OURS } }),
      'this-cluster',
      'shop/web',
    ],
    'is this cluster with its Service of another type, as long as it has the finalizer': [
      lb({ tags: { 'kubernetes.do.not.delete': 'a22222222c2ae4642b0335607860aef6', 'ack.aliyun.com': 'c1' } }),
      'this-cluster',
      'shop/leaving',
    ],
    'is this cluster without a Service if its type changed and the finalizer is removed': [
      lb({ tags: { 'kubernetes.do.not.delete': 'a11111111c2ae4642b0335607860aef6', 'ack.aliyun.com': 'c1' } }),
      'this-cluster',
      '',
    ],
    'is another cluster, by its tag': [
      lb({ tags: { 'kubernetes.do.not.delete': 'abc', 'ack.aliyun.com': 'c2' } }),
      'other-cluster',
      '',
    ],
    'is another cluster without the cluster tag, if no Service of ours is named': [
      lb({ tags: { 'kubernetes.do.not.delete': 'abc' } }),
      'other-cluster',
      '',
    ],
    'is another cluster although its name is like ours': [
      lb({ name: OURS, tags: { 'kubernetes.do.not.delete': 'abc' } }),
      'other-cluster',
      '',
    ],
    'is the API server, by the cluster tag alone': [lb({ tags: { 'ack.aliyun.com': 'c1' } }), 'api-server', ''],
    'is the API server of another cluster too': [lb({ tags: { 'ack.aliyun.com': 'c2' } }), 'api-server', ''],
    'is the API server if a flag names it, with any tags': [
      lb({ tags: { 'kubernetes.do.not.delete': OURS, 'ack.aliyun.com': 'c1' } }, 'lb-named'),
      'api-server',
      '',
    ],
    'is a user without owner tag and cluster tag, also if Services reuse the load balancer': [
      lb({ tags: { 'kubernetes.reused.by.user': 'true', team: 'web' } }),
      'user',
      '',
    ],
    'is a user although its name is like a name of this cluster': [lb({ name: OURS }), 'user', ''],
  };
  for (const [title, [loadBalancer, owner, service]] of Object.entries(cases)) {
    it(title, () => {
      assert.equal(ownerOf(loadBalancer, BELONGINGS), owner);
      assert.equal(loadBalancerStatus(loadBalancer, [], BELONGINGS).service, service);
      assert.equal(isReusable(loadBalancer, BELONGINGS), owner === 'user');
    });
  }
});

describe('the bandwidth in the inventory', () => {
  const paid = { internetChargeType: 'paybybandwidth', bandwidth: 100 } as const;
  const cases: Readonly<Record<string, readonly [fields: Parameters<typeof lb>[0], bandwidth: number]>> = {
    'is the paid bandwidth': [paid, 100],
    'is none with a charge by traffic, whatever the cloud returns': [
      { ...paid, internetChargeType: 'paybytraffic' },
      0,
    ],
    'is none with an unknown charge type': [{ bandwidth: 100 }, 0],
    'is none for an intranet load balancer': [{ ...paid, addressType: 'intranet' }, 0],
  };
  for (const [title, [input, bandwidth]] of Object.entries(cases)) {
    it(title, () => {
      assert.equal(loadBalancerStatus(lb(input), [], BELONGINGS).bandwidth, bandwidth);
    });
  }
});

describe('a load balancer in the inventory', () => {
  it("contains the cloud's response, listeners by port and protocol, and schedulers of ours", () => {
    const inner = lb({
      addressType: 'intranet',
      vpcId: 'vpc-1',
      address: '10.0.0.9',
      resourceGroupId: 'rg-2',
      ipVersion: 'ipv6',
    });
    const listeners = [
      { port: 443, protocol: 'https', description: 'by hand' },
      { port: 53, protocol: 'udp', description: 'k8s/53/dns/shop/c1', scheduler: 'qch' },
      { port: 80, protocol: 'http', description: 'k8s/80/web/shop/c1', scheduler: 'wrr' },
      { port: 53, protocol: 'tcp', description: 'k8s/53/dns/shop/c2', scheduler: 'sch' },
      { port: 54, protocol: 'tcp', description: 'k8s/54/dns/shop/c1' },
    ] as const;
    assert.deepEqual(loadBalancerStatus(inner, listeners, BELONGINGS), {
      bandwidth: 0,
      address: '10.0.0.9',
      addressType: 'intranet',
      ipVersion: 'ipv6',
      vpcId: 'vpc-1',
      resourceGroupId: 'rg-2',
      owner: 'user',
      service: '',
      listeners: [
        { port: 53, protocol: 'tcp' },
        { port: 53, protocol: 'udp', service: 'shop/dns', scheduler: 'qch' },
        { port: 54, protocol: 'tcp', service: 'shop/dns' },
        { port: 80, protocol: 'http', service: 'shop/web' },
        { port: 443, protocol: 'https' },
      ],
      ports: 'tcp/53,udp/53,tcp/54,http/80,https/443',
      tags: [],
    });
  });

  it('contains the tags of a user-managed load balancer by key, without tags of the cloud', () => {
    const tags = { team: 'web', 'acs:rm:rgId': 'rg-1', env: 'test' };
    assert.deepEqual(loadBalancerStatus(lb({ tags }), [], BELONGINGS).tags, [
      { key: 'env', value: 'test' },
      { key: 'team', value: 'web' },
    ]);
    const ofOthers = lb({ tags: { ...tags, 'kubernetes.do.not.delete': 'abc', 'ack.aliyun.com': 'c2' } });
    assert.equal(loadBalancerStatus(ofOthers, [], BELONGINGS).tags, undefined);
  });

  it('has defaults for omitted fields, and no VPC on the internet', () => {
    const { id, name, address, addressType, status: state, tags } = lb();
    const bare = { id, name, address, addressType, status: state, tags, vpcId: 'vpc-of-nothing' };
    const status = loadBalancerStatus(bare, [], BELONGINGS);
    assert.deepEqual([status.ipVersion, status.resourceGroupId, status.vpcId], ['ipv4', '', '']);
  });
});

describe('the writes of the inventory', () => {
  it('are none if the inventory is up to date', () => {
    const region = new Map([['lb-1', aClbStatus({ listeners: [{ port: 80, protocol: 'tcp' }] })]]);
    assert.deepEqual(inventoryWrites(region, [aClb('lb-1', { listeners: [{ port: 80, protocol: 'tcp' }] })]), []);
  });

  it('are none for a field that only a newer version knows', () => {
    const newer = aClb('lb-1', { zone: 'b' } as object);
    assert.deepEqual(inventoryWrites(new Map([['lb-1', aClbStatus()]]), [newer]), []);
  });

  it('are none for an absent bandwidth, and a patch for a newly known bandwidth', () => {
    const older: { bandwidth?: number } & ClassicLoadBalancerStatus = { ...aClbStatus() };
    delete older.bandwidth;
    const there = [{ ...aClb('lb-1'), status: older }];
    const written = (bandwidth: number) =>
      inventoryWrites(new Map([['lb-1', aClbStatus({ bandwidth })]]), there).length;
    assert.deepEqual([written(0), written(5)], [0, 1]);
  });

  it('are none for absent ports without listeners, and one patch for listeners without ports', () => {
    const written = (listeners: readonly ListenerStatus[]) =>
      inventoryWrites(new Map([['lb-1', aClbStatus(listenerFields(listeners))]]), [aClb('lb-1', { listeners })]).length;
    assert.deepEqual([written([]), written([{ port: 80, protocol: 'tcp' }])], [0, 1]);
  });

  it('create new objects, patch differences, and delete removed objects', () => {
    const region = new Map([
      ['lb-new', aClbStatus()],
      ['lb-changed', aClbStatus({ address: '1.2.3.4' })],
      ['lb-same', aClbStatus()],
    ]);
    assert.deepEqual(inventoryWrites(region, [aClb('lb-changed'), aClb('lb-same'), aClb('lb-gone')]), [
      { kind: 'create', name: 'lb-new', status: aClbStatus() },
      { kind: 'patch', name: 'lb-changed', status: aClbStatus({ address: '1.2.3.4' }) },
      { kind: 'delete', name: 'lb-gone', uid: 'uid-lb-gone' },
    ]);
  });

  it('patch an object that was created without its status', () => {
    const { metadata } = aClb('lb-1');
    assert.deepEqual(inventoryWrites(new Map([['lb-1', aClbStatus()]]), [{ metadata }]), [
      { kind: 'patch', name: 'lb-1', status: aClbStatus() },
    ]);
  });
});
