import assert from 'node:assert/strict';
import { loadBalancerChange } from '../../../src/rules/load-balancer-change.ts';
import { TUNABLE } from '../../../src/rules/index.ts';
import { violationsOf, HAS_ADDRESS, on, type Row } from '../../support/found.ts';

const CLASS = 'service.beta.kubernetes.io/class';
const HELD = { finalizers: ['service.k8s.alibaba/resources'] };
const DELETED = { ...HELD, deletionTimestamp: '2026-01-02T03:04:05Z' };
const recorded = (id: string) => ({ ...HELD, labels: { 'service.k8s.alibaba/loadbalancer-id': id } });
const HOST_NAME = [{ hostname: 'web.example.com' }];
const ELASTIC = { 'external-ip-type': 'eip' };
const STALE = { kind: 'stale', ageMs: 600_000 } as const;

/** Two user-managed load balancers: the first has the published address. */
const SHARED = {
  'lb-1': { owner: 'user', address: '47.96.0.1' },
  'lb-2': { owner: 'user', address: '47.96.0.2' },
} as const;
/** The load balancer that was created for the Service. */
const OWNED = { 'lb-own': { owner: 'this-cluster', service: 'shop/web', address: '47.96.0.1' } } as const;
const reused: Pick<Row, 'metadata' | 'ingress' | 'facts'> = {
  metadata: HELD,
  ingress: HAS_ADDRESS,
  facts: { loadBalancers: SHARED },
};
const owned: Pick<Row, 'metadata' | 'ingress' | 'facts'> = {
  metadata: HELD,
  ingress: HAS_ADDRESS,
  facts: { loadBalancers: { ...OWNED, 'lb-2': SHARED['lb-2'] } },
};

/** Stored Services without an id, with the first id, or with the second. */
const OWN = { ...owned, before: { metadata: HELD } } as const;
const OWN_WITH_2 = { ...owned, before: { keys: { id: 'lb-2' }, metadata: HELD } } as const;
const REUSED = { ...reused, before: { keys: { id: 'lb-1' }, metadata: HELD } } as const;
const REUSED_WITH_2 = { ...reused, before: { keys: { id: 'lb-2' }, metadata: HELD } } as const;

on(loadBalancerChange, {
  'another id, on a Service that a user-managed load balancer serves': {
    ...REUSED,
    keys: { id: 'lb-2' },
    finds: ['id=lb-2'],
  },
  'a removed id, on a Service that a user-managed load balancer serves': { ...REUSED, finds: ['id='] },
  'an id, on a Service that its own load balancer serves': { ...OWN, keys: { id: 'lb-2' }, finds: ['id=lb-2'] },
  'an id that differs from a wrong one that was stored, on a Service with its own load balancer': {
    ...OWN_WITH_2,
    keys: { id: 'lb-3' },
    finds: ['id=lb-3'],
  },
  'the way back to the user-managed load balancer from a wrong id that was stored': {
    ...REUSED_WITH_2,
    keys: { id: 'lb-1' },
    finds: [],
  },
  'the way back to the user-managed load balancer from a removal that was stored': {
    ...reused,
    keys: { id: 'lb-1' },
    before: { metadata: HELD },
    finds: [],
  },
  'the way back to its own load balancer from a wrong id that was stored': { ...OWN_WITH_2, finds: [] },
  'the id of its own load balancer, which has no effect': { ...OWN_WITH_2, keys: { id: 'lb-own' }, finds: [] },
  'a wrong id that stays, beside another change': {
    ...REUSED_WITH_2,
    keys: { id: 'lb-2', scheduler: 'wrr' },
    finds: [],
  },
  'an id that cannot be read, which another rule denies': { ...OWN, keys: { id: 'LB' }, finds: [] },
  'another id with a label of it, which outweighs neither owner nor address': {
    ...reused,
    metadata: recorded('lb-2'),
    keys: { id: 'lb-2' },
    before: { keys: { id: 'lb-1' }, metadata: recorded('lb-2') },
    finds: ['id=lb-2'],
  },
  'an id with a label of it, on a Service that its own load balancer serves behind a host name': {
    ...owned,
    ingress: HOST_NAME,
    metadata: recorded('lb-2'),
    keys: { id: 'lb-2' },
    before: { metadata: recorded('lb-2') },
    finds: ['id=lb-2'],
  },
  'another id behind a host name, with a label of the load balancer': {
    ...reused,
    ingress: HOST_NAME,
    keys: { id: 'lb-2' },
    before: { keys: { id: 'lb-1' }, metadata: recorded('lb-1') },
    finds: ['id=lb-2'],
  },
  'the way back behind a host name, with a label of the load balancer': {
    ...reused,
    ingress: HOST_NAME,
    keys: { id: 'lb-1' },
    before: { keys: { id: 'lb-2' }, metadata: recorded('lb-1') },
    finds: [],
  },
  'another id behind an elastic address, with a label of the load balancer': {
    ...reused,
    ingress: [{ ip: '8.8.8.8' }],
    keys: { id: 'lb-2', ...ELASTIC },
    before: { keys: { id: 'lb-1', ...ELASTIC }, metadata: recorded('lb-1') },
    finds: ['id=lb-2'],
  },
  'another id and an elastic address in one write': { ...REUSED, keys: { id: 'lb-2', ...ELASTIC }, finds: ['id=lb-2'] },
  'another id behind a host name, without a label': {
    ...REUSED,
    ingress: HOST_NAME,
    keys: { id: 'lb-2' },
    finds: ['id=lb-2?'],
  },
  'another id, while the fresh inventory shows no load balancer with the published address': {
    ...reused,
    facts: { loadBalancers: { 'lb-2': SHARED['lb-2'] } },
    keys: { id: 'lb-2' },
    before: { keys: { id: 'lb-1' }, metadata: recorded('lb-1') },
    finds: ['id=lb-2?'],
  },
  'a removed id, while the fresh inventory shows no load balancer with the published address': {
    ...REUSED,
    facts: {},
    finds: ['id=?'],
  },
  'another id, while the inventory is stale': {
    ...REUSED,
    facts: { loadBalancers: SHARED, freshness: STALE },
    keys: { id: 'lb-2' },
    finds: ['id=lb-2?'],
  },
  'another id without an inventory': {
    ...reused,
    facts: { freshness: { kind: 'absent' } },
    keys: { id: 'lb-2' },
    before: { keys: { id: 'lb-1' }, metadata: recorded('lb-1') },
    finds: ['id=lb-2?'],
  },
  'another id, while the published private address is that of a load balancer of another VPC': {
    ...REUSED,
    facts: {
      loadBalancers: {
        'lb-1': { owner: 'user', address: '47.96.0.1', addressType: 'intranet', vpcId: 'vpc-2' },
      },
    },
    keys: { id: 'lb-2' },
    finds: ['id=lb-2?'],
  },
  'another id, while the published address is that of a load balancer of another owner': {
    ...REUSED,
    facts: { loadBalancers: { 'lb-1': { owner: 'other-cluster', address: '47.96.0.1' } } },
    keys: { id: 'lb-2' },
    finds: ['id=lb-2?'],
  },
  'another id on a Service that publishes no address, with its own load balancer': {
    ...OWN,
    ingress: [],
    keys: { id: 'lb-2' },
    finds: ['id=lb-2'],
  },
  'another id on a Service that publishes no address': {
    ...reused,
    ingress: [],
    keys: { id: 'lb-2' },
    before: { keys: { id: 'lb-1' }, metadata: recorded('lb-1') },
    finds: [],
  },
  'another id and the type ClusterIP in one write': {
    ...OWN,
    type: 'ClusterIP',
    keys: { id: 'lb-2' },
    finds: ['id=lb-2'],
  },
  'another id and a class in one write': { ...REUSED, keys: { id: 'lb-2', [CLASS]: 'nginx' }, finds: ['id=lb-2'] },
  'a removed id and the type ClusterIP in one write, which cleanup does not need': {
    ...REUSED,
    type: 'ClusterIP',
    finds: [],
  },
  'a removed id and a class in one write, which cleanup does not need': {
    ...REUSED,
    keys: { [CLASS]: 'nginx' },
    finds: [],
  },
  'another id after the type ClusterIP, while the finalizer is there': {
    ...owned,
    ingress: [],
    type: 'ClusterIP',
    keys: { id: 'lb-2' },
    before: { type: 'ClusterIP', metadata: HELD },
    finds: ['id=lb-2'],
  },
  'another id back from the type ClusterIP, while the finalizer is there': {
    ...reused,
    ingress: [],
    keys: { id: 'lb-2' },
    before: { type: 'ClusterIP', keys: { id: 'lb-1' }, metadata: recorded('lb-1') },
    finds: ['id=lb-2'],
  },
  'the same id back from the type ClusterIP, while the finalizer is there': {
    ...reused,
    ingress: [],
    keys: { id: 'lb-1' },
    before: { type: 'ClusterIP', metadata: recorded('lb-1') },
    finds: [],
  },
  'a removed id back from the type ClusterIP, while the finalizer is there': {
    ...reused,
    ingress: [],
    before: { type: 'ClusterIP', keys: { id: 'lb-1' }, metadata: recorded('lb-1') },
    finds: ['id='],
  },
  'another id back from the type ClusterIP, while only the finalizer is there': {
    ...reused,
    ingress: [],
    keys: { id: 'lb-2' },
    before: { type: 'ClusterIP', metadata: HELD },
    finds: ['id=lb-2?'],
  },
  'another id back from the type ClusterIP, after the finalizer is gone': {
    ...reused,
    metadata: {},
    ingress: [],
    keys: { id: 'lb-2' },
    before: { type: 'ClusterIP', keys: { id: 'lb-1' } },
    finds: [],
  },
  'another id back from a class before cleanup': {
    ...reused,
    keys: { id: 'lb-2' },
    before: { keys: { id: 'lb-1', [CLASS]: 'nginx' }, metadata: recorded('lb-1') },
    finds: ['id=lb-2'],
  },
  'another id while the Service is being deleted': {
    ...owned,
    metadata: DELETED,
    keys: { id: 'lb-2' },
    before: { metadata: DELETED },
    finds: ['id=lb-2'],
  },
  'a removed id while the Service is being deleted': {
    ...reused,
    metadata: DELETED,
    before: { keys: { id: 'lb-1' }, metadata: DELETED },
    finds: ['id='],
  },
  'an id on a Service of another controller': {
    ...reused,
    metadata: {},
    keys: { id: 'lb-2', [CLASS]: 'nginx' },
    before: { keys: { [CLASS]: 'nginx' } },
    finds: [],
  },
});

describe('the rule load-balancer-change', () => {
  const remedyOf = (row: Row): string => violationsOf(loadBalancerChange, row)[0]?.remedy ?? '';

  it('is not tunable', () => assert.equal(TUNABLE.has('load-balancer-change'), false));

  it('names the user-managed load balancer that the annotation must name', () => {
    const [violation] = violationsOf(loadBalancerChange, { ...REUSED, keys: { id: 'lb-2' } });
    assert.equal(violation?.detail, 'must be lb-1, because the Service is bound to that load balancer');
    assert.match(violation.remedy ?? '', /^to move, /);
  });

  it('tells to remove the annotation from a Service with its own load balancer', () => {
    assert.match(remedyOf({ ...OWN, keys: { id: 'lb-2' } }), /^remove the annotation; to move, /);
  });

  it('says how to move to another load balancer', () => {
    const remedy = remedyOf({ ...OWN, keys: { id: 'lb-2' } });
    assert.match(remedy, /create a second Service and switch DNS, or change the type to ClusterIP, wait until/);
    assert.match(remedy, /the finalizer service\.k8s\.alibaba\/resources is removed, and change it back$/);
  });
});
