import assert from 'node:assert/strict';
import { managementOf, type Management } from '../../../../src/controller/service/management.ts';
import { NO_RECORD, type BindingRecord } from '../../../../src/controller/service/state/binding-record.ts';
import type { Service } from '../../../../src/base/kubernetes-objects.ts';
import { aService } from '../../../support/service.ts';

const WITH_FINALIZER = { finalizers: ['service.k8s.alibaba/resources'] };
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
  'syncs a new Service': [service({}), NO_RECORD, 'sync'],
  'cleans up a deleted Service with the finalizer': [service({ ...WITH_FINALIZER, ...DELETED }), NO_RECORD, 'cleanup'],
  'cleans up a deleted Service without the finalizer if it has a binding': [service(DELETED), SYNCED, 'cleanup'],
  'cleans up a ClusterIP Service with the finalizer': [clusterIp(WITH_FINALIZER), SYNCED, 'cleanup'],
  'does not manage a ClusterIP Service without finalizer and binding': [clusterIp({}), NO_RECORD, 'none'],
  'ignores a Service of another class if it was never synced': [ofClass(WITH_FINALIZER), NO_RECORD, 'other-controller'],
  'ignores a Service of another class, whatever its labels are': [
    ofClass({ ...WITH_FINALIZER, labels: { 'service.k8s.alibaba/loadbalancer-id': 'lb-1' } }),
    NO_RECORD,
    'other-controller',
  ],
  'cleans up a Service of another class if it has a binding': [ofClass(WITH_FINALIZER), SYNCED, 'cleanup'],
  'cleans up a Service of another class if it is deleted': [
    ofClass({ ...WITH_FINALIZER, ...DELETED }),
    NO_RECORD,
    'cleanup',
  ],
  'does not manage a Service of another class without the finalizer': [ofClass({}), NO_RECORD, 'none'],
  'keeps syncing a synced Service with the type nlb': [nlb(WITH_FINALIZER), SYNCED, 'sync'],
  'keeps syncing a synced Service with the type nlb if a user removes its finalizer': [nlb({}), SYNCED, 'sync'],
  'continues a cleanup with the type nlb if a user removes the finalizer': [nlb({}), CLEANING, 'cleanup'],
  'does not manage a new Service with the type nlb': [nlb({}), NO_RECORD, 'none'],
};

/** A wrong decision would delete the load balancer of a Service that another controller manages. */
describe('the controller, for a stored Service,', () => {
  for (const [title, [object, record, management]] of Object.entries(ROWS))
    it(title, () => assert.equal(managementOf(object, record), management));
});
