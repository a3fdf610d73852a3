import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import {
  AUDIT_PERIOD_MS,
  invalidateDue,
  dueInMs,
  isRead,
  ServiceStateCache,
} from '../../../../../src/controller/service/state/service-state.ts';
import { NO_RECORD, type BindingRecord } from '../../../../../src/controller/service/state/binding-record.ts';
import { keyOf, type Service } from '../../../../../src/base/kubernetes-objects.ts';
import { aService } from '../../../../support/service.ts';

const FINALIZER = 'service.k8s.alibaba/resources';
const ID = 'service.k8s.alibaba/loadbalancer-id';
const KEY = keyOf(aService());
const NOTHING_OUTDATED = { isOutdated: () => false };
const at = (resourceVersion: string): Service => {
  const service = aService();
  return { ...service, metadata: { ...service.metadata, resourceVersion } };
};

/** The cache holds what earlier reconciles observed, so a wrong entry would skip a needed read or repeat a needless read. */
describe('the cache of Service entries', () => {
  const setUp = () => {
    const memory = new ServiceStateCache(() => 0.5, NOTHING_OUTDATED);
    return { memory, entry: memory.entry(KEY, at('1'), NO_RECORD, 1_000) };
  };

  it('keeps the entry after a reconcile', () => {
    const { memory, entry } = setUp();
    entry.addresses.set('10.0.0.1', { pod: 'a', foundAtMs: 5 });
    entry.pendingOperations.set('own listener 80/tcp', Infinity);
    entry.latest = at('7');
    const before = structuredClone(entry);
    memory.rest(KEY);
    const after = memory.entry(KEY, at('1'), NO_RECORD, 2_000);
    assert.deepEqual(after, before);
    assert.equal(after.pendingOperations.get('own listener 80/tcp'), Infinity);
  });

  it('returns the same entry during a reconcile, however often it is read', () => {
    const { memory } = setUp();
    memory.rest(KEY);
    memory.latest(KEY, at('1'));
    const entry = memory.entry(KEY, at('1'), NO_RECORD, 2_000);
    assert.equal(memory.entry(KEY, at('1'), NO_RECORD, 3_000), entry);
    assert.notEqual(entry, setUp().entry);
  });

  it('returns the later of the cached Service and our own last write, also between reconciles', () => {
    const { memory, entry } = setUp();
    entry.latest = at('10');
    memory.rest(KEY);
    const versions = ['9', '10', '11'].map((version) => memory.latest(KEY, at(version)).metadata.resourceVersion);
    assert.deepEqual(versions, ['10', '10', '11']);
  });

  it('keeps the written fields of a large response, and returns them with the cached Service', () => {
    const { memory, entry } = setUp();
    const labels = { app: 'web', [ID]: 'lb-1' };
    const metadata = { ...at('7').metadata, labels, finalizers: ['x', FINALIZER] };
    const large = Array.from({ length: 3_000 }, () => randomUUID());
    entry.latest = { ...at('7'), metadata: { ...metadata, annotations: { large: large.join(',') } } };
    memory.rest(KEY);
    const ports = [{ port: 443 }];
    const cached = {
      ...at('6'),
      metadata: { ...at('6').metadata, labels: { app: 'new', [ID]: 'lb-0' } },
      spec: { ports },
    };
    assert.deepEqual(memory.latest(KEY, cached), {
      ...cached,
      metadata: {
        ...at('7').metadata,
        labels: { app: 'new', [ID]: 'lb-1' },
        finalizers: [FINALIZER],
      },
      status: {},
    });
  });

  it('has no entry for another Service with the same name or for a dropped Service', () => {
    const { memory } = setUp();
    memory.rest(KEY);
    const other = { ...at('1'), metadata: { ...at('1').metadata, uid: 'other' } };
    assert.equal(memory.entry(KEY, other, NO_RECORD, 2_000).firstSeenMs, 2_000);
    memory.rest(KEY);
    memory.forget(KEY);
    memory.rest(KEY);
    assert.equal(memory.entry(KEY, other, NO_RECORD, 3_000).firstSeenMs, 3_000);
  });

  /** Records at the start of a process, and the resulting state. */
  const STARTS: Readonly<
    Record<string, readonly [record: BindingRecord, known: { bound?: string; isCleaningUp: boolean; waits: boolean }]>
  > = {
    'is bound to its owned load balancer': [
      { loadBalancer: { id: 'lb-1', use: 'owned' } },
      { bound: 'own', isCleaningUp: false, waits: false },
    ],
    'is bound to a user-managed load balancer': [
      { loadBalancer: { id: 'lb-hers', use: 'reused' } },
      { bound: 'lb-hers', isCleaningUp: false, waits: false },
    ],
    'has no load balancer without a record': [NO_RECORD, { isCleaningUp: false, waits: false }],
    'continues a cleanup': [{ operation: { type: 'Cleanup', state: 'Ended' } }, { isCleaningUp: true, waits: false }],
    'waits for pending operations': [
      { operation: { type: 'Sync', state: 'InProgress' } },
      { isCleaningUp: false, waits: true },
    ],
  };
  for (const [title, [record, { bound, isCleaningUp, waits }]] of Object.entries(STARTS))
    it(`reads from the record of a previous process that the Service ${title}`, () => {
      const entry = new ServiceStateCache(() => 0.5, NOTHING_OUTDATED).entry(KEY, at('1'), record, 1_000);
      assert.deepEqual(
        [entry.bound, entry.isCleaningUp, entry.pendingOperations.size > 0],
        [bound, isCleaningUp, waits],
      );
    });

  interface FirstState {
    readonly isOutdated?: boolean;
    readonly label?: string;
    readonly digest?: string;
  }
  const AUDITS: Readonly<Record<string, readonly [FirstState, isDue: boolean]>> = {
    'within two hours': [{ label: 'lb-1', digest: 'd' }, false],
    'within two hours without a label': [{ digest: 'd' }, false],
    'at once if its binding is outdated': [{ isOutdated: true, label: 'lb-1', digest: 'd' }, true],
    'at once if its label and its binding name different load balancers': [{ label: 'lb-2', digest: 'd' }, true],
    'at once if its binding records no sync, and the next audit after two hours': [{ label: 'lb-1' }, true],
  };
  for (const [title, [{ isOutdated = false, label, digest }, isDue]] of Object.entries(AUDITS))
    it(`schedules the first audit of a Service ${title}`, () => {
      const memory = new ServiceStateCache(() => 0.5, { isOutdated: () => isOutdated });
      const labels = label === undefined ? {} : { [ID]: label };
      const service = { ...at('1'), metadata: { ...at('1').metadata, labels } };
      const synced = digest === undefined ? {} : { syncedDigest: digest };
      const entry = memory.entry(KEY, service, { loadBalancer: { id: 'lb-1', use: 'owned' }, ...synced }, 1_000);
      assert.equal(dueInMs(entry, 1_000) <= 0, isDue);
      invalidateDue(entry, 1_000);
      assert.deepEqual([entry.isAuditing, isRead(entry, 1_000)], [isDue, !isDue]);
      assert.equal(dueInMs(entry, 1_000), isDue ? AUDIT_PERIOD_MS : AUDIT_PERIOD_MS / 2);
    });

  it('counts the audit as complete if a recorded operation makes the next process read anyway', () => {
    const memory = new ServiceStateCache(() => 0.5, { isOutdated: () => true });
    assert.equal(isRead(memory.entry(KEY, at('1'), { operation: { type: 'Sync', state: 'Ended' } }, 0), 0), true);
  });

  it('reads the stored record at the start of each reconcile', () => {
    const { memory } = setUp();
    memory.rest(KEY);
    const record: BindingRecord = { syncedDigest: 'd' };
    assert.equal(memory.entry(KEY, at('1'), record, 2_000).record, record);
  });
});
