import assert from 'node:assert/strict';
import { defaultLoadBalancerName } from '../../../src/clb/model/naming.ts';
import type { VServerGroupId } from '../../../src/clb/model/ids.ts';
import type { LoadBalancerBinding } from '../../../src/inventory/binding.ts';
import {
  findOrphans,
  orphanKey,
  orphansShown,
  withOrphans,
  type ClusterRecords,
  type Orphan,
  type Region,
} from '../../../src/inventory/orphan.ts';
import type { TaggedOwner } from '../../../src/inventory/custom-resources.ts';
import type { ReadListener } from '../../../src/inventory/cloud-list-api.ts';
import { aClb, aClbStatus, aCloudLoadBalancer } from '../../support/inventory.ts';
import { aService } from '../../support/service.ts';

const DELETED_UID = '11111111-c2ae-4642-b033-5607860aef6a';
const OTHER = '22222222-c2ae-4642-b033-5607860aef6a';
const REUSED = { 'kubernetes.reused.by.user': 'true' };

const tagsOf = (uid: string) => ({
  'kubernetes.do.not.delete': defaultLoadBalancerName(uid),
  'ack.aliyun.com': 'c1',
});

const aBinding = (
  uid: string,
  {
    clusterUID = 'uid-1',
    id,
    name = 'gone',
    orphaned,
  }: Partial<Record<'clusterUID' | 'id' | 'name', string>> & {
    orphaned?: true;
  } = {},
): LoadBalancerBinding => ({
  metadata: { name: uid, uid: `uid-of-${uid}`, resourceVersion: '1' },
  spec: {
    service: { namespace: 'shop', name },
    clusterUID,
    ...(id === undefined ? {} : { loadBalancer: { id, use: 'owned' } }),
    ...(orphaned === undefined ? {} : { orphaned }),
  },
});

const aRegion = (
  owner: TaggedOwner,
  tags: Readonly<Record<string, string>>,
  listeners: readonly ReadListener[] = [],
): Region => ({
  loadBalancers: [{ ...aCloudLoadBalancer('lb-1', { tags }), owner }],
  listeners: new Map([['lb-1', listeners]]),
});

const aListener = (description: string): ReadListener => ({ port: 80, protocol: 'tcp', description });

const LEFT = aListener('k8s/80/gone/shop/c1');

const find = (region: Region, records: Partial<ClusterRecords> = {}): readonly Orphan[] =>
  findOrphans(region, { clusterId: 'c1', clusterUid: 'uid-1', services: [], bindings: [], ...records });

type Cases = Readonly<Record<string, readonly [Region, Partial<ClusterRecords>?]>>;

const ORPHANED_LOAD_BALANCERS: Cases = {
  'neither its Service nor a binding exists': [aRegion('this-cluster', tagsOf(DELETED_UID))],
  'a Service with another UID has the name of its deleted Service': [
    aRegion('this-cluster', tagsOf(DELETED_UID)),
    { services: [aService({ name: 'gone', uid: OTHER })] },
  ],
  'a binding of another cluster records it': [
    aRegion('this-cluster', tagsOf(DELETED_UID)),
    { bindings: [aBinding(DELETED_UID, { clusterUID: 'uid-2', id: 'lb-1' })] },
  ],
  'an orphaned binding records it': [
    aRegion('this-cluster', tagsOf(DELETED_UID)),
    { bindings: [aBinding(DELETED_UID, { orphaned: true, id: 'lb-1' })] },
  ],
};

const KEPT_LOAD_BALANCERS: Cases = {
  'its Service exists': [aRegion('this-cluster', tagsOf(DELETED_UID)), { services: [aService({ uid: DELETED_UID })] }],
  'its Service is being deleted': [
    aRegion('this-cluster', tagsOf(DELETED_UID)),
    {
      services: [
        {
          ...aService(),
          metadata: { ...aService().metadata, uid: DELETED_UID, deletionTimestamp: '2026-01-02T03:04:05Z' },
        },
      ],
    },
  ],
  'its Service has another type': [
    aRegion('this-cluster', tagsOf(DELETED_UID)),
    { services: [aService({ uid: DELETED_UID, type: 'ClusterIP' })] },
  ],
  'its Service vanished and the controller cleans up from the binding': [
    aRegion('this-cluster', tagsOf(DELETED_UID)),
    { bindings: [aBinding(DELETED_UID)] },
  ],
  'a binding of an existing Service records it': [
    aRegion('this-cluster', tagsOf(DELETED_UID)),
    { services: [aService({ uid: OTHER })], bindings: [aBinding(OTHER, { id: 'lb-1' })] },
  ],
  'the cluster has the default id, which other clusters share': [
    aRegion('this-cluster', { ...tagsOf(DELETED_UID), 'ack.aliyun.com': 'clusterid' }),
    { clusterId: 'clusterid' },
  ],
  'it belongs to another cluster': [aRegion('other-cluster', { ...tagsOf(DELETED_UID), 'ack.aliyun.com': 'c2' })],
  'a flag protects it': [aRegion('api-server', tagsOf(DELETED_UID))],
  'its tag does not name a Service': [
    aRegion('this-cluster', { ...tagsOf(DELETED_UID), 'kubernetes.do.not.delete': 'yes' }),
  ],
  'it was preserved, which removes its tags': [aRegion('user', {}, [LEFT])],
};

const KEPT_LISTENERS: Cases = {
  'its Service exists': [aRegion('user', REUSED, [LEFT]), { services: [aService({ name: 'gone' })] }],
  'its Service vanished and the controller cleans up from the binding': [
    aRegion('user', REUSED, [LEFT]),
    { bindings: [aBinding(DELETED_UID)] },
  ],
  'its name contains another cluster': [aRegion('user', REUSED, [aListener('k8s/80/gone/shop/c2')])],
  'its name does not have the format of the controller': [aRegion('user', REUSED, [aListener('gone')])],
  'the cluster has the default id, which other clusters share': [
    aRegion('user', REUSED, [aListener('k8s/80/gone/shop/clusterid')]),
    { clusterId: 'clusterid' },
  ],
  'its load balancer lacks the reuse tag, as a preserved load balancer does': [aRegion('user', {}, [LEFT])],
};

/** A resource counts as an orphan only with proof that its Service does not exist. */
describe('an orphaned load balancer', () => {
  for (const [name, [region, records]] of Object.entries(ORPHANED_LOAD_BALANCERS)) {
    it(`is found if ${name}`, () => {
      const orphans = find(region, records).filter(({ kind }) => kind === 'load-balancer');
      assert.deepEqual(orphans, [{ kind: 'load-balancer', id: 'lb-1' }]);
    });
  }
  for (const [name, [region, records]] of Object.entries(KEPT_LOAD_BALANCERS)) {
    it(`is not found if ${name}`, () => assert.deepEqual(find(region, records), []));
  }
});

describe('an orphaned listener', () => {
  const listener = { kind: 'listener', loadBalancer: 'lb-1', port: 80, protocol: 'tcp', service: 'shop/gone' };

  it('is found if neither a Service of its name nor a binding exists', () => {
    const region = aRegion('user', REUSED, [LEFT, { ...aListener('k8s/81/web/shop/c1'), port: 81 }]);
    assert.deepEqual(find(region, { services: [aService()] }), [listener]);
  });
  for (const [name, [region, records]] of Object.entries(KEPT_LISTENERS)) {
    it(`is not found if ${name}`, () => assert.deepEqual(find(region, records), []));
  }
});

describe('a listener of a Service with an orphaned binding', () => {
  it('is found as an orphan', () => {
    const orphans = find(aRegion('user', REUSED, [LEFT]), { bindings: [aBinding(DELETED_UID, { orphaned: true })] });
    assert.deepEqual(
      orphans.map(({ kind }) => kind),
      ['listener', 'binding'],
    );
  });
});

describe('an orphaned server group', () => {
  it('is found if groups are read and its Service was deleted', () => {
    const groups = ['gone', 'web'].map((name) => ({
      id: `rsp-${name}` as VServerGroupId,
      name: `k8s/80/${name}/shop/c1`,
    }));
    assert.deepEqual(
      find({ ...aRegion('user', REUSED), groups: new Map([['lb-1', groups]]) }, { services: [aService()] }),
      [
        {
          kind: 'server-group',
          loadBalancer: 'lb-1',
          id: 'rsp-gone',
          name: 'k8s/80/gone/shop/c1',
          service: 'shop/gone',
        },
      ],
    );
  });
});

describe('an orphaned binding', () => {
  const bindings = [aBinding(DELETED_UID, { clusterUID: 'uid-2', id: 'lb-9' })];
  const nothing: Region = { loadBalancers: [], listeners: new Map() };

  it('is found if another cluster wrote it and its Service does not exist', () => {
    const orphan = {
      kind: 'binding',
      uid: DELETED_UID,
      service: 'shop/gone',
      of: 'other-cluster',
      loadBalancer: 'lb-9',
    };
    assert.deepEqual(find(nothing, { bindings }), [orphan]);
  });
  it('is found if its Service vanished while another controller led', () => {
    const orphan = { kind: 'binding', uid: DELETED_UID, service: 'shop/gone', of: 'other-controller' };
    assert.deepEqual(find(nothing, { bindings: [aBinding(DELETED_UID, { orphaned: true })] }), [orphan]);
  });
  it('is not found if its Service exists', () => {
    assert.deepEqual(find(nothing, { bindings, services: [aService({ uid: DELETED_UID })] }), []);
  });
  it('is not found if this cluster wrote it', () => {
    assert.deepEqual(find(nothing, { bindings: [aBinding(DELETED_UID)] }), []);
  });
});

describe('an orphan in the inventory', () => {
  const listeners = [80, 81].map((port) => ({ port, protocol: 'tcp' as const, service: 'shop/gone' }));
  const orphans = find(aRegion('user', REUSED, [LEFT]));

  it('that is a load balancer has the owner "orphan", which a restarted controller reads', () => {
    const keys = find(aRegion('this-cluster', tagsOf(DELETED_UID))).map(orphanKey);
    const status = withOrphans('lb-1', aClbStatus({ owner: 'this-cluster' }), new Set(keys));
    assert.equal(status.owner, 'orphan');
    assert.deepEqual(orphansShown(aClb('lb-1', status)), keys);
    assert.equal(withOrphans('lb-2', aClbStatus(), new Set(keys)).owner, 'user');
  });
  it('that is a listener has the mark "orphan", which a restarted controller reads', () => {
    const keys = orphans.map(orphanKey);
    const status = withOrphans('lb-1', aClbStatus({ listeners }), new Set(keys));
    assert.deepEqual(status.listeners, [{ ...listeners[0], orphan: true }, listeners[1]]);
    assert.deepEqual(orphansShown(aClb('lb-1', status)), keys);
  });
});
