import assert from 'node:assert/strict';
import { loadBalancerChange } from '../../../src/rules/load-balancer-change.ts';
import { TUNABLE } from '../../../src/rules/index.ts';
import { violationsOf, HAS_ADDRESS, describeViolations, type Row } from '../../support/rule-violations.ts';

const CLASS = 'service.beta.kubernetes.io/class';
const WITH_FINALIZER = { finalizers: ['service.k8s.alibaba/resources'] };
const DELETED = { ...WITH_FINALIZER, deletionTimestamp: '2026-01-02T03:04:05Z' };
const recorded = (id: string) => ({ ...WITH_FINALIZER, labels: { 'service.k8s.alibaba/loadbalancer-id': id } });
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
  metadata: WITH_FINALIZER,
  ingress: HAS_ADDRESS,
  facts: { loadBalancers: SHARED },
};
const owned: Pick<Row, 'metadata' | 'ingress' | 'facts'> = {
  metadata: WITH_FINALIZER,
  ingress: HAS_ADDRESS,
  facts: { loadBalancers: { ...OWNED, 'lb-2': SHARED['lb-2'] } },
};

/** Stored Services without an id, with the first id, or with the second. */
const OWN = { ...owned, before: { metadata: WITH_FINALIZER } } as const;
const OWN_WITH_2 = { ...owned, before: { keys: { id: 'lb-2' }, metadata: WITH_FINALIZER } } as const;
const REUSED = { ...reused, before: { keys: { id: 'lb-1' }, metadata: WITH_FINALIZER } } as const;
const REUSED_WITH_2 = { ...reused, before: { keys: { id: 'lb-2' }, metadata: WITH_FINALIZER } } as const;

/** A Service that names another load balancer keeps the old one, so users must learn how to move. In `finds`, `?` marks a warning. */
describeViolations(loadBalancerChange, {
  'another id, on a Service that a user-managed load balancer serves': {
    ...REUSED,
    keys: { id: 'lb-2' },
    finds: ['id=lb-2'],
  },
  'a removed id, on a Service that a user-managed load balancer serves': { ...REUSED, finds: ['id='] },
  'an id, on a Service that its own load balancer serves': { ...OWN, keys: { id: 'lb-2' }, finds: ['id=lb-2'] },
  'an id that differs from a stored wrong id, on a Service with its own load balancer': {
    ...OWN_WITH_2,
    keys: { id: 'lb-3' },
    finds: ['id=lb-3'],
  },
  'the id of the user-managed load balancer instead of a stored wrong id': {
    ...REUSED_WITH_2,
    keys: { id: 'lb-1' },
    finds: [],
  },
  'the restored id of the user-managed load balancer after its removal': {
    ...reused,
    keys: { id: 'lb-1' },
    before: { metadata: WITH_FINALIZER },
    finds: [],
  },
  'a removed wrong id on a Service with its own load balancer': { ...OWN_WITH_2, finds: [] },
  'the id of its own load balancer, which has no effect': { ...OWN_WITH_2, keys: { id: 'lb-own' }, finds: [] },
  'an unchanged wrong id while another annotation changes': {
    ...REUSED_WITH_2,
    keys: { id: 'lb-2', scheduler: 'wrr' },
    finds: [],
  },
  'an unreadable id, which another rule denies': { ...OWN, keys: { id: 'LB' }, finds: [] },
  'another id that a label also names: owner and address have more weight than the label': {
    ...reused,
    metadata: recorded('lb-2'),
    keys: { id: 'lb-2' },
    before: { keys: { id: 'lb-1' }, metadata: recorded('lb-2') },
    finds: ['id=lb-2'],
  },
  'an id that a label also names, on a Service with its own load balancer and a host name': {
    ...owned,
    ingress: HOST_NAME,
    metadata: recorded('lb-2'),
    keys: { id: 'lb-2' },
    before: { metadata: recorded('lb-2') },
    finds: ['id=lb-2'],
  },
  'another id on a Service with a host name, whose label names its load balancer': {
    ...reused,
    ingress: HOST_NAME,
    keys: { id: 'lb-2' },
    before: { keys: { id: 'lb-1' }, metadata: recorded('lb-1') },
    finds: ['id=lb-2'],
  },
  'the id in the label instead of a wrong id, on a Service with a host name': {
    ...reused,
    ingress: HOST_NAME,
    keys: { id: 'lb-1' },
    before: { keys: { id: 'lb-2' }, metadata: recorded('lb-1') },
    finds: [],
  },
  'another id on a Service with an elastic address, whose label names its load balancer': {
    ...reused,
    ingress: [{ ip: '8.8.8.8' }],
    keys: { id: 'lb-2', ...ELASTIC },
    before: { keys: { id: 'lb-1', ...ELASTIC }, metadata: recorded('lb-1') },
    finds: ['id=lb-2'],
  },
  'another id and an elastic address in the same write': {
    ...REUSED,
    keys: { id: 'lb-2', ...ELASTIC },
    finds: ['id=lb-2'],
  },
  'another id on a Service with a host name, without a label': {
    ...REUSED,
    ingress: HOST_NAME,
    keys: { id: 'lb-2' },
    finds: ['id=lb-2?'],
  },
  'another id, while the fresh inventory has no load balancer with the published address': {
    ...reused,
    facts: { loadBalancers: { 'lb-2': SHARED['lb-2'] } },
    keys: { id: 'lb-2' },
    before: { keys: { id: 'lb-1' }, metadata: recorded('lb-1') },
    finds: ['id=lb-2?'],
  },
  'a removed id, while the fresh inventory has no load balancer with the published address': {
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
  'another id, with a published private address of a load balancer in another VPC': {
    ...REUSED,
    facts: {
      loadBalancers: {
        'lb-1': { owner: 'user', address: '47.96.0.1', addressType: 'intranet', vpcId: 'vpc-2' },
      },
    },
    keys: { id: 'lb-2' },
    finds: ['id=lb-2?'],
  },
  "another id, with a published address of another owner's load balancer": {
    ...REUSED,
    facts: { loadBalancers: { 'lb-1': { owner: 'other-cluster', address: '47.96.0.1' } } },
    keys: { id: 'lb-2' },
    finds: ['id=lb-2?'],
  },
  'another id on a Service without a published address, with its own load balancer': {
    ...OWN,
    ingress: [],
    keys: { id: 'lb-2' },
    finds: ['id=lb-2'],
  },
  'another id on a Service without a published address': {
    ...reused,
    ingress: [],
    keys: { id: 'lb-2' },
    before: { keys: { id: 'lb-1' }, metadata: recorded('lb-1') },
    finds: [],
  },
  'an id and the type ClusterIP in the same write': {
    ...OWN,
    type: 'ClusterIP',
    keys: { id: 'lb-2' },
    finds: ['id=lb-2'],
  },
  'another id and a class in the same write': { ...REUSED, keys: { id: 'lb-2', [CLASS]: 'nginx' }, finds: ['id=lb-2'] },
  'a removed id and the type ClusterIP in the same write: the cleanup needs no id': {
    ...REUSED,
    type: 'ClusterIP',
    finds: [],
  },
  'a removed id and a class in the same write: the cleanup needs no id': {
    ...REUSED,
    keys: { [CLASS]: 'nginx' },
    finds: [],
  },
  'an added id on a Service of type ClusterIP that still has the finalizer': {
    ...owned,
    ingress: [],
    type: 'ClusterIP',
    keys: { id: 'lb-2' },
    before: { type: 'ClusterIP', metadata: WITH_FINALIZER },
    finds: ['id=lb-2'],
  },
  'another id in the return from the type ClusterIP, with the finalizer': {
    ...reused,
    ingress: [],
    keys: { id: 'lb-2' },
    before: { type: 'ClusterIP', keys: { id: 'lb-1' }, metadata: recorded('lb-1') },
    finds: ['id=lb-2'],
  },
  'the id in the label, in the return from the type ClusterIP, with the finalizer': {
    ...reused,
    ingress: [],
    keys: { id: 'lb-1' },
    before: { type: 'ClusterIP', metadata: recorded('lb-1') },
    finds: [],
  },
  'a removed id in the return from the type ClusterIP, with the finalizer': {
    ...reused,
    ingress: [],
    before: { type: 'ClusterIP', keys: { id: 'lb-1' }, metadata: recorded('lb-1') },
    finds: ['id='],
  },
  'another id in the return from the type ClusterIP, with only the finalizer': {
    ...reused,
    ingress: [],
    keys: { id: 'lb-2' },
    before: { type: 'ClusterIP', metadata: WITH_FINALIZER },
    finds: ['id=lb-2?'],
  },
  'another id in the return from the type ClusterIP, without the finalizer': {
    ...reused,
    metadata: {},
    ingress: [],
    keys: { id: 'lb-2' },
    before: { type: 'ClusterIP', keys: { id: 'lb-1' } },
    finds: [],
  },
  'another id in the return from a class before the cleanup': {
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

  it('reports the user-managed load balancer that the annotation must name', () => {
    const [violation] = violationsOf(loadBalancerChange, { ...REUSED, keys: { id: 'lb-2' } });
    assert.equal(violation?.detail, 'must be lb-1, because the Service is bound to that load balancer');
    assert.match(violation.remedy ?? '', /^to move, /);
  });

  it('advises to remove the annotation from a Service with its own load balancer', () => {
    assert.match(remedyOf({ ...OWN, keys: { id: 'lb-2' } }), /^remove the annotation; to move, /);
  });

  it('explains how to move to another load balancer', () => {
    const remedy = remedyOf({ ...OWN, keys: { id: 'lb-2' } });
    assert.match(remedy, /create a second Service and switch DNS, or change the type to ClusterIP, wait until/);
    assert.match(remedy, /the finalizer service\.k8s\.alibaba\/resources is removed, and change it back$/);
  });
});
