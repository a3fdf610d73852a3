import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pino } from 'pino';
import { Registry } from 'prom-client';
import { isWrite, CloudRejection, type CloudOperation, type CloudTransport } from '../src/alibaba/cloud-call-types.ts';
import { createCloud, type CloudApis } from '../src/alibaba/cloud.ts';
import { createCloudMetrics } from '../src/alibaba/metrics.ts';
import type { DomainExtensionId } from '../src/clb/model/ids.ts';
import type { ListenerAttributes } from '../src/clb/model/listener.ts';
import type { RouteTableId } from '../src/route/route.ts';
import { aCall } from './support/scripted-cloud.ts';
import { root } from './support/manifests.ts';
import { group, lb } from './support/scripted-slb.ts';
import { VirtualClock } from './support/virtual-clock.ts';

interface Statement {
  readonly Effect: string;
  readonly Action: readonly string[];
  readonly Resource: string;
}

const text = readFileSync(join(root, 'manifests/ram/policy.json'), 'utf8');
const policy = JSON.parse(text) as { readonly Version: string; readonly Statement: readonly Statement[] };
const allowed = policy.Statement.flatMap(({ Action }) => Action);

/** The calls of all methods of a cloud API. A new method needs a row. */
type Calls<Port> = { readonly [Method in keyof Port]: readonly ((port: Port) => Promise<unknown>)[] };

const call = aCall();
const LB = lb('lb-1');
const GROUP = group('rsp-1');
const EXTENSION = 'de-1' as DomainExtensionId;
const TABLE = 'vtb-1' as RouteTableId;
const ROUTE = { tableId: TABLE, destination: '10.1.0.0/24', instanceId: 'i-1' };
const LISTENERS: readonly ListenerAttributes[] = [
  { protocol: 'tcp', port: 80, description: '' },
  { protocol: 'udp', port: 80, description: '' },
  { protocol: 'http', port: 80, description: '' },
  { protocol: 'https', port: 443, description: '' },
];

/** The cloud APIs whose methods send calls. `throttledApis` sends no call. */
type Ports = Omit<CloudApis, 'throttledApis'>;

const CALLS: { readonly [Port in keyof Ports]: Calls<Ports[Port]> } = {
  clb: {
    findByTag: [(clb) => clb.findByTag('key', 'value', call)],
    findByName: [(clb) => clb.findByName('name', call)],
    findByAddress: [(clb) => clb.findByAddress('47.1.1.1', call)],
    read: [(clb) => clb.read(LB, call)],
    listListeners: [(clb) => clb.listListeners(LB, call)],
    listServerGroups: [(clb) => clb.listServerGroups(LB, call)],
    listDomainExtensions: [(clb) => clb.listDomainExtensions(LB, 443, call)],
    readCertificate: [(clb) => clb.readCertificate('c-1', call)],
    hasAccessControlList: [(clb) => clb.hasAccessControlList('acl-1', call)],
    readServerGroup: [(clb) => clb.readServerGroup(GROUP, call)],
    create: [(clb) => clb.create({}, {}, 'token', call)],
    delete: [(clb) => clb.delete(LB, call)],
    rename: [(clb) => clb.rename(LB, 'name', call)],
    setDeleteProtection: [(clb) => clb.setDeleteProtection(LB, 'on', call)],
    setModificationProtection: [(clb) => clb.setModificationProtection(LB, 'NonProtection', undefined, call)],
    setSpec: [(clb) => clb.setSpec(LB, 'slb.s1.small', call)],
    setInstanceChargeType: [(clb) => clb.setInstanceChargeType(LB, 'PayByCLCU', call)],
    setInternetSpec: [(clb) => clb.setInternetSpec(LB, { bandwidth: 5 }, call)],
    tag: [(clb) => clb.tag(LB, { key: 'value' }, call)],
    untag: [(clb) => clb.untag(LB, ['key'], call)],
    // Sends no call.
    untilOpen: [],
    createServerGroup: [(clb) => clb.createServerGroup(LB, 'name', [], call)],
    deleteServerGroup: [(clb) => clb.deleteServerGroup(GROUP, call)],
    addBackends: [(clb) => clb.addBackends(GROUP, [], call)],
    removeBackends: [(clb) => clb.removeBackends(GROUP, [], call)],
    updateBackends: [(clb) => clb.updateBackends(GROUP, [], call)],
    createListener: LISTENERS.map((key) => (clb) => clb.createListener(LB, key, GROUP, call)),
    startListener: LISTENERS.map((key) => (clb) => clb.startListener(LB, key, call)),
    updateListener: LISTENERS.map((key) => (clb) => clb.updateListener(LB, key, {}, GROUP, call)),
    deleteListener: LISTENERS.map((key) => (clb) => clb.deleteListener(LB, key, undefined, call)),
    createDomainExtension: [
      (clb) => clb.createDomainExtension(LB, 443, { domain: 'a.example', certificateId: 'c-1' }, call),
    ],
    setDomainExtension: [(clb) => clb.setDomainExtension(LB, EXTENSION, 'c-1', call)],
    deleteDomainExtension: [(clb) => clb.deleteDomainExtension(LB, EXTENSION, call)],
  },
  network: {
    findInterfaces: [(network) => network.findInterfaces('vpc-1', ['10.0.0.1'], call)],
    listElasticAddresses: [(network) => network.listElasticAddresses(LB, call)],
    listRanges: [(network) => network.listRanges('vpc-1', call)],
  },
  region: {
    listLoadBalancers: [(region) => region.listLoadBalancers(call.signal)],
    listListenersOf: [(region) => region.listListenersOf([LB], call.signal)],
  },
  instances: {
    describe: [(instances) => instances.describe(['i-1'], call)],
    listOfVpc: [(instances) => instances.listOfVpc('vpc-1', call)],
    describeInterfaces: [(instances) => instances.describeInterfaces(['eni-1'], call)],
    disableSourceDestCheck: [(instances) => instances.disableSourceDestCheck('eni-1', call)],
  },
  routes: {
    listTables: [(routes) => routes.listTables('vpc-1', call)],
    listEntries: [(routes) => routes.listEntries(TABLE, call)],
    createEntries: [(routes) => routes.createEntries([{ ...ROUTE, description: '' }], call)],
    deleteEntries: [(routes) => routes.deleteEntries([ROUTE], call)],
    modifyEntry: [(routes) => routes.modifyEntry('rte-1', { description: '' }, call)],
  },
};

/** Returns the operations that the methods of all cloud APIs request. Each call is rejected. */
async function requestedActions(): Promise<readonly CloudOperation[]> {
  const sent: CloudOperation[] = [];
  const transport: CloudTransport = async (operation) => {
    sent.push(operation);
    throw new CloudRejection('no', { code: 'Forbidden.RAM', status: 403 });
  };
  const clock = new VirtualClock(0);
  const log = pino({ level: 'silent' });
  const metrics = createCloudMetrics(new Registry());
  const limits = Object.fromEntries(
    ['Slb', 'Ecs', 'Vpc'].flatMap((product) =>
      ['read', 'write'].map((kind) => [`${product}.${kind}`, { calls: 100, windowMs: 1 }]),
    ),
  );
  const parts = { regionId: 'cn-hangzhou', transport, inventoryTransport: transport, guard: () => true };
  const cloud = createCloud({ ...parts, clock, log, metrics, limits });
  const askAll = async <Port>(port: Port, calls: Calls<Port>): Promise<void> => {
    for (const each of Object.values<readonly ((port: Port) => Promise<unknown>)[]>(calls).flat()) {
      await assert.rejects(each(port), { reason: 'Forbidden' });
    }
  };
  await askAll(cloud.clb, CALLS.clb);
  await askAll(cloud.network, CALLS.network);
  await askAll(cloud.region, CALLS.region);
  await askAll(cloud.instances, CALLS.instances);
  await askAll(cloud.routes, CALLS.routes);
  return sent;
}

/** A missing action stops the controller, and an unneeded action is a risk for the account. */
describe('the RAM policy', () => {
  it('grants exactly the actions of the controller', async () => {
    const needed = (await requestedActions()).map(({ product, action }) => `${product.toLowerCase()}:${action}`);
    assert.deepEqual(allowed.toSorted(), [...new Set(needed)].toSorted());
  });

  it('names each action in full, and once', () => {
    assert.deepEqual(
      allowed.filter((action) => !/^(slb|ecs|vpc):[A-Z][A-Za-z]+$/.test(action)),
      [],
    );
    assert.deepEqual(allowed, [...new Set(allowed)]);
  });

  it('has a statement for the reads and a statement for the changes of each product', () => {
    const kinds = policy.Statement.map(({ Action }) => [
      ...new Set(
        Action.map((each) => {
          const [product = '', action = ''] = each.split(':');
          return `${product} ${isWrite({ product: 'Slb', version: '', action }) ? 'changes' : 'reads'}`;
        }),
      ),
    ]);
    assert.deepEqual(kinds, [
      ['slb reads'],
      ['ecs reads'],
      ['vpc reads'],
      ['slb changes'],
      ['ecs changes'],
      ['vpc changes'],
    ]);
  });

  it('has a variant that deletes only load balancers with the tag of the cluster', () => {
    const variant = JSON.parse(readFileSync(join(root, 'manifests/ram/policy-tagged.json'), 'utf8')) as typeof policy;
    assert.deepEqual(variant.Statement.flatMap(({ Action }) => Action).toSorted(), allowed.toSorted());
    const deleting = variant.Statement.filter(({ Action }) => Action.includes('slb:DeleteLoadBalancer'));
    assert.deepEqual(deleting, [
      {
        Effect: 'Allow',
        Action: ['slb:DeleteLoadBalancer'],
        Resource: '*',
        Condition: { StringEquals: { 'slb:tag/ack.aliyun.com': ['CLUSTER_ID'] } },
      },
    ]);
  });

  it('is valid for RAM', () => {
    // 6144 characters are the maximum size of a custom policy.
    assert.ok(text.length <= 6144);
    assert.equal(policy.Version, '1');
    for (const { Effect, Resource } of policy.Statement) assert.deepEqual([Effect, Resource], ['Allow', '*']);
  });
});
