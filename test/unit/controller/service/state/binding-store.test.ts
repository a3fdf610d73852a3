import assert from 'node:assert/strict';
import type { BindingRecord } from '../../../../../src/controller/service/state/binding-record.ts';
import { BindingStore, recordsIn } from '../../../../../src/controller/service/state/binding-store.ts';
import { BINDING_INDEX, type KubernetesWriter } from '../../../../../src/controller/port.ts';
import { LOAD_BALANCER_BINDINGS, type LoadBalancerBinding } from '../../../../../src/inventory/binding.ts';
import { keyOf, objectKey } from '../../../../../src/base/objects.ts';
import { bindingStoreBench } from '../../../../support/binding-store-bench.ts';
import { aBinding, SYNCED, SYNCING } from '../../../../support/history/build.ts';
import { aService } from '../../../../support/service.ts';
import { watchedDouble } from '../../../../support/watched.ts';

const { signal } = new AbortController();
const service = aService();
const { uid } = service.metadata;
const KEY = objectKey(uid);
const PATH = keyOf(service);
const OWNED = { loadBalancer: { id: 'lb-1', use: 'owned' } } as const;

describe('the store of bindings', () => {
  it('creates a binding that names the Service and the cluster, and that backups leave out', async () => {
    const { write, stored } = bindingStoreBench();
    await write({ ...OWNED, ...SYNCING });
    assert.deepEqual(stored()?.metadata.labels, { 'velero.io/exclude-from-backup': 'true' });
    assert.equal(stored()?.metadata.name, uid);
    assert.deepEqual(stored()?.spec, {
      service: { namespace: 'shop', name: 'web' },
      clusterUID: 'the-cluster',
      ...OWNED,
      ...SYNCING,
    });
  });

  it('tells the record without the Service and the cluster', async () => {
    const { write, record } = bindingStoreBench();
    assert.deepEqual(record(), {});
    await write({ ...OWNED, ...SYNCED });
    assert.deepEqual(record(), { ...OWNED, ...SYNCED });
    const cache = watchedDouble([aBinding(SYNCED)]);
    assert.deepEqual(recordsIn(cache).recordOf(service), SYNCED);
    assert.deepEqual(recordsIn(watchedDouble<LoadBalancerBinding>()).recordOf(service), {});
  });

  it('patches what has changed, removes what is gone, and locks the patch to what was read', async () => {
    const { write, cluster, stored } = bindingStoreBench();
    await write({ ...OWNED, ...SYNCING });
    const { uid: bindingUid, resourceVersion } = stored()?.metadata ?? assert.fail();
    await write({ loadBalancer: { ...OWNED.loadBalancer, address: '47.0.0.1' }, ...SYNCED });
    assert.deepEqual(cluster.writes.at(-1)?.patch, {
      metadata: { resourceVersion, uid: bindingUid },
      spec: { loadBalancer: { address: '47.0.0.1' }, operation: null, syncedDigest: 'd' },
    });
  });

  it('deletes the very binding that was read, and nothing without a binding', async () => {
    const { write, remove, cluster, stored } = bindingStoreBench();
    await remove();
    await write(SYNCED);
    await remove();
    assert.equal(stored(), undefined);
    assert.deepEqual(
      cluster.writes.map(({ verb }) => verb),
      ['create', 'delete'],
    );
  });
});

describe('an older copy in the cache', () => {
  it('never replaces what the store has written', async () => {
    const { cluster, write, record, told } = bindingStoreBench();
    cluster.hold();
    await write(SYNCING);
    await write({ ...SYNCING, ...OWNED });
    await write(SYNCED);
    assert.deepEqual(record(), SYNCED);
    cluster.release();
    assert.deepEqual(told, [SYNCED, SYNCED, SYNCED]);
  });

  it('gives way to a later change by others', async () => {
    const { cluster, write, patch, told } = bindingStoreBench();
    cluster.hold();
    await write(SYNCING);
    patch({ syncedDigest: 'e' });
    cluster.release();
    assert.deepEqual(told.at(-1), { ...SYNCING, syncedDigest: 'e' });
  });

  it('does not bring back a binding that the store has deleted', async () => {
    const { cluster, write, remove, record, told } = bindingStoreBench();
    cluster.hold();
    await write(SYNCING);
    await remove();
    assert.deepEqual(record(), {});
    cluster.release();
    assert.deepEqual(told, [{}, {}]);
  });

  it('does not hide a binding that is created again', async () => {
    const { cluster, write, remove, record, told } = bindingStoreBench();
    await write(SYNCING);
    cluster.hold();
    await remove();
    await write(SYNCED);
    assert.deepEqual(record(), SYNCED);
    cluster.release();
    assert.deepEqual(told.slice(1), [SYNCED, SYNCED]);
  });

  const VERSIONS: Readonly<Record<string, readonly [cached: string, isOlder: boolean]>> = {
    'is told apart by its version as a number': ['9', true],
    'is told apart by a version of the same length': ['10', true],
    'is none if it has the version of the write': ['11', false],
    'is none if its version is longer': ['100', false],
  };
  for (const [sentence, [version, isOlder]] of Object.entries(VERSIONS))
    it(sentence, async () => {
      const at = (resourceVersion: string, record: BindingRecord): LoadBalancerBinding => {
        const binding = aBinding(record);
        return { ...binding, metadata: { ...binding.metadata, resourceVersion } };
      };
      const bindings = watchedDouble([at('8', {})], BINDING_INDEX);
      const writer = { mergePatch: async () => at('11', SYNCED) } as unknown as KubernetesWriter;
      const store = new BindingStore({ bindings, writer });
      await store.write(service, SYNCED, signal);
      bindings.put(at(version, SYNCING));
      assert.deepEqual(store.recordOf(service), isOlder ? SYNCED : SYNCING);
    });
});

describe('a binding that others have deleted', () => {
  it('is gone with the news', async () => {
    const { write, drop, record } = bindingStoreBench();
    await write(SYNCED);
    drop();
    assert.deepEqual(record(), {});
  });

  it('is created again by the next write, before the news as well', async () => {
    const { cluster, write, drop, record, stored } = bindingStoreBench();
    await write(SYNCED);
    cluster.hold();
    drop();
    await assert.rejects(write(SYNCING), { reason: 'NotFound' });
    assert.deepEqual(record(), {});
    await write(SYNCING);
    assert.deepEqual(stored()?.spec.operation, SYNCING.operation);
  });

  it('is gone with the news of a list that never had the last write', async () => {
    const bindings = watchedDouble([aBinding(SYNCING)], BINDING_INDEX);
    const later = { ...aBinding(SYNCED), metadata: { ...aBinding().metadata, resourceVersion: '2' } };
    const writer = { mergePatch: async () => later } as unknown as KubernetesWriter;
    const store = new BindingStore({ bindings, writer });
    await store.write(service, SYNCED, signal);
    bindings.remove(KEY);
    assert.deepEqual(store.recordOf(service), {});
  });

  it('is deleted without a failure', async () => {
    const { cluster, write, drop, remove, record } = bindingStoreBench();
    await write(SYNCED);
    cluster.hold();
    drop();
    await remove();
    assert.deepEqual(record(), {});
  });
});

/** Writes of other clients between the store's read and its write. */
const CONFLICTS: Readonly<
  Record<
    string,
    readonly [act: (b: ReturnType<typeof bindingStoreBench>) => Promise<unknown>, reason: string, known: BindingRecord]
  >
> = {
  'of a patch': [
    async ({ cluster, write, patch }) => {
      await write(SYNCING);
      cluster.hold();
      patch({ syncedDigest: 'e' });
      return write(SYNCED);
    },
    'Conflict',
    { ...SYNCING, syncedDigest: 'e' },
  ],
  'of a creation, as the binding exists already': [
    async ({ cluster, write }) => {
      cluster.hold();
      cluster.put(LOAD_BALANCER_BINDINGS, aBinding({ syncedDigest: 'e' }));
      return write(SYNCED);
    },
    'Conflict',
    { syncedDigest: 'e' },
  ],
  'of a deletion': [
    async ({ cluster, write, patch, remove }) => {
      await write(SYNCING);
      cluster.hold();
      patch({ syncedDigest: 'e' });
      return remove();
    },
    'Conflict',
    { ...SYNCING, syncedDigest: 'e' },
  ],
  'of a change of the load balancer, which the API server rejects': [
    async ({ write }) => {
      await write(OWNED);
      return write({ loadBalancer: { id: 'lb-2', use: 'owned' } });
    },
    'Rejected',
    OWNED,
  ],
};

describe('a conflict', () => {
  for (const [sentence, [act, reason, known]] of Object.entries(CONFLICTS))
    it(`${sentence} is read, and the next write starts from that`, async () => {
      const subject = bindingStoreBench();
      await assert.rejects(act(subject), { reason });
      assert.deepEqual(subject.record(), known);
      await subject.write({ ...known, ...SYNCED });
      assert.deepEqual(subject.record(), { ...known, ...SYNCED });
    });
});

describe('bindings of Services that had the same name', () => {
  it('are told without that of the Service itself', async () => {
    const { cluster, store, write } = bindingStoreBench();
    await write(SYNCED);
    cluster.put(LOAD_BALANCER_BINDINGS, aBinding(SYNCING, 'an-earlier-uid'));
    const names = (of?: string) => store.ofPredecessors(PATH, of).map(({ metadata }) => metadata.name);
    assert.deepEqual(names(uid), ['an-earlier-uid']);
    assert.deepEqual(names(), [uid, 'an-earlier-uid']);
    assert.deepEqual(store.ofPredecessors(objectKey('web', 'elsewhere'), uid), []);
  });

  it('are told as they were written last, and not once they are deleted', async () => {
    const { cluster, store, write, remove } = bindingStoreBench();
    await write(SYNCING);
    cluster.hold();
    await write(SYNCED);
    assert.deepEqual(
      store.ofPredecessors(PATH, undefined).map(({ spec }) => spec.syncedDigest),
      ['d'],
    );
    await remove();
    assert.deepEqual(store.ofPredecessors(PATH, undefined), []);
  });
});

describe('a binding of another cluster', () => {
  it('is told by the UID of the namespace kube-system', async () => {
    const { store } = bindingStoreBench();
    const own = aBinding(SYNCED);
    assert.equal(await store.isOfOtherCluster(own, signal), false);
    assert.equal(await store.isOfOtherCluster({ ...own, spec: { ...own.spec, clusterUID: 'other' } }, signal), true);
  });
});

describe('the source of bindings', () => {
  it('has each write at once, before the cache shows it', async () => {
    const { cluster, store, write, remove } = bindingStoreBench();
    const told: (string | undefined)[] = [];
    store.onChange((key) => told.push(store.get(key)?.spec.syncedDigest));
    await write(SYNCING);
    cluster.hold();
    await write(SYNCED);
    assert.deepEqual([[...store.keys()], told.at(-1)], [[KEY], 'd']);
    await remove();
    assert.deepEqual([store.get(KEY), told.at(-1)], [undefined, undefined]);
  });

  it('leaves out a binding of another cluster once it knows its own', async () => {
    const { cluster, store, write } = bindingStoreBench();
    const { spec, ...binding } = aBinding(SYNCED, 'foreign');
    cluster.put(LOAD_BALANCER_BINDINGS, { ...binding, spec: { ...spec, clusterUID: 'other' } });
    const foreign = objectKey('foreign');
    const told: string[] = [];
    store.onChange((key) => told.push(key));
    assert.notEqual(store.get(foreign), undefined);
    await write(SYNCING);
    assert.deepEqual([store.get(foreign), told.includes(foreign)], [undefined, true]);
  });
});
