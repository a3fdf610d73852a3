import assert from 'node:assert/strict';
import { managementOf, type Management } from '../../../../src/controller/service/management.ts';
import { NO_RECORD, type BindingRecord } from '../../../../src/controller/service/state/binding-record.ts';
import type { Service } from '../../../../src/base/objects.ts';
import { aService } from '../../../support/service.ts';

const HELD = { finalizers: ['service.k8s.alibaba/resources'] };
const DELETED = { deletionTimestamp: '2026-01-01T00:00:00Z' };
const SYNCED: BindingRecord = { syncedDigest: 'd' };
const CLEANING: BindingRecord = { operation: { type: 'Cleanup', state: 'InProgress' } };

const service = (metadata: object, spec: object = {}): Service => {
  const plain = aService();
  return { ...plain, metadata: { ...plain.metadata, ...metadata }, spec: { ...plain.spec, ...spec } };
};
const ofClass = (metadata: object): Service => service(metadata, { loadBalancerClass: 'example.com/other' });
const nlb = (metadata: object): Service => ({
  ...service(metadata),
  metadata: {
    ...service(metadata).metadata,
    annotations: { 'service.beta.kubernetes.io/alibaba-cloud-loadbalancer-type': 'nlb' },
  },
});
const clusterIp = (metadata: object): Service => service(metadata, { type: 'ClusterIP' });

const ROWS: Readonly<Record<string, readonly [service: Service, record: BindingRecord, management: Management]>> = {
  'a new Service is synced': [service({}), NO_RECORD, 'sync'],
  'a deleted Service with the finalizer is cleaned up': [service({ ...HELD, ...DELETED }), NO_RECORD, 'cleanup'],
  'a deleted Service without the finalizer is cleaned up if it has a binding': [service(DELETED), SYNCED, 'cleanup'],
  'a ClusterIP Service with the finalizer is cleaned up': [clusterIp(HELD), SYNCED, 'cleanup'],
  'a ClusterIP Service without finalizer and binding is not managed': [clusterIp({}), NO_RECORD, 'none'],
  'a Service of another class is left alone if it was never synced': [ofClass(HELD), NO_RECORD, 'other-controller'],
  'a Service of another class is left alone, whatever its labels say': [
    ofClass({ ...HELD, labels: { 'service.k8s.alibaba/loadbalancer-id': 'lb-1' } }),
    NO_RECORD,
    'other-controller',
  ],
  'a Service of another class is cleaned up if it has a binding': [ofClass(HELD), SYNCED, 'cleanup'],
  'a Service of another class is cleaned up if it is deleted': [ofClass({ ...HELD, ...DELETED }), NO_RECORD, 'cleanup'],
  'a Service of another class without the finalizer is not managed': [ofClass({}), NO_RECORD, 'none'],
  'a synced Service stays synced with the type nlb': [nlb(HELD), SYNCED, 'sync'],
  'a synced Service stays synced with the type nlb if a user removes its finalizer': [nlb({}), SYNCED, 'sync'],
  'a cleanup with the type nlb continues if a user removes the finalizer': [nlb({}), CLEANING, 'cleanup'],
  'a new Service with the type nlb is not managed': [nlb({}), NO_RECORD, 'none'],
};

describe('the decision what to do with a Service', () => {
  for (const [sentence, [object, record, management]] of Object.entries(ROWS))
    it(sentence, () => assert.equal(managementOf(object, record), management));
});
